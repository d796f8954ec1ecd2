/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs/verbs_each.h"

#include <errno.h>
#include <string.h>

#include "daemon/history/put.h"

static json_t *
refuse_minority(const struct node_status *status)
{
	return error_answer(CODE_NO_QUORUM,
	    "no quorum: %u of %u voters heard, %u needed", status->votes,
	    status->voters, status->quorum);
}

/* Why this node begins no election. */
static json_t *
refuse_election(const struct node_status *status)
{
	if (status->is_bypassed)
		return error_answer(CODE_REFUSED,
		    "this node is not part of the ring at present: ask a node that is");
	if (status->votes < status->quorum)
		return refuse_minority(status);
	if (status->tree.is_forming)
		return error_answer(CODE_REFUSED,
		    "the tree of the nodes is forming: try again in a second");
	return error_answer(CODE_REFUSED,
	    status->is_mixed
		? "the settings of the nodes are changing: try again in a second"
		: "this node is stopping: it begins no election");
}

json_t *
verb_elect(struct request *request)
{
	const struct control_view *view = request->view;
	uint64_t term = node_elect(view->node, view_wake(view));
	struct node_status status;

	view->perform(view->context);
	status = view_status(view);
	if (term == 0)
		return refuse_election(&status);
	return json_pack("{s:b,s:I}", "ok", true, "term", (json_int_t)term);
}

static const char *
name_of(const struct control_view *view, node_id id)
{
	const struct config_node *node =
	    config_find(&view->settings->shared, id);

	return node == NULL ? "nobody" : node->name;
}

/* Finds the node that is to lead. */
static json_t *
find_successor(const struct request *request, node_id *to)
{
	const struct control_view *view = request->view;
	json_t *error = request_node(request, "to", to);

	if (error != NULL || *to != view->self)
		return error;
	return error_answer(CODE_USAGE,
	    "%s is this node itself: choose another", name_of(view, *to));
}

/* A better node would take over from the chosen one. */
static json_t *
refuse_for_preemption(const struct control_view *view, node_id to)
{
	if (view->settings->shared.preempt == PREEMPT_ALWAYS)
		return error_answer(CODE_REFUSED,
		    "a better node would take over from %s at once: preempt = \"always\"",
		    name_of(view, to));
	return error_answer(CODE_REFUSED,
	    "a better node would take over from %s: preempt = \"after %.15gs\"",
	    name_of(view, to),
	    (double)view->settings->shared.preempt_after / (double)SEC);
}

/* The chosen node cannot lead: says why. */
static json_t *
refuse_unfit(const struct control_view *view, node_id to)
{
	const struct config_node *node =
	    config_find(&view->settings->shared, to);
	const struct standby standby = node_standby(view->node, to);
	bool is_up = false;

	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		if (peer.id == to)
			is_up = peer.up;
	}
	if (node->role != ROLE_CANDIDATE)
		return error_answer(CODE_REFUSED,
		    "%s never leads: its role is \"%s\"", node->name,
		    role_name(node->role));
	if (!is_up)
		return error_answer(
		    CODE_REFUSED, "this node does not hear %s", node->name);
	if (standby.is_on)
		return error_answer(CODE_REFUSED,
		    "%s is on standby%s%s; unless a check failed, run `electctl rejoin` there",
		    node->name, standby.reason[0] != '\0' ? ": " : "",
		    standby.reason);
	return error_answer(CODE_REFUSED,
	    "%s is not eligible at present: `electctl status` there says why",
	    node->name);
}

/* Why this node keeps leading, or does not lead. */
static json_t *
refuse_resignation(const struct control_view *view, enum resignation why,
    node_id to, const struct node_status *status)
{
	if (status->is_leaving)
		return error_answer(CODE_REFUSED,
		    "this node is stopping, and hands over already");
	if (status->state == STATE_LEADER && status->votes < status->quorum)
		return refuse_minority(status);
	switch (why) {
	case RESIGN_NOBODY:
		return error_answer(
		    CODE_REFUSED, "no other node can lead at present");
	case RESIGN_UNFIT:
		return refuse_unfit(view, to);
	case RESIGN_UNDONE:
		return refuse_for_preemption(view, to);
	case RESIGN_NO_LEADER:
	case RESIGN_BEGUN:
		break;
	}
	if (status->leader != NODE_NONE)
		return error_answer(CODE_NO,
		    "this node does not lead: %s does, run this there",
		    name_of(view, status->leader));
	return error_answer(
	    CODE_NO, "this node does not lead, and knows of no leader");
}

static bool
is_follower(const struct node_status *status)
{
	return status->state == STATE_FOLLOWER;
}

/* The outcome is known once another node leads, or once this leader is on
 * standby no more: no other node was left, or an operator told it to rejoin. */
static bool
resign_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer)
{
	node_id to = pending->to;
	struct node_status status = view_status(view);
	const char *leader = name_of(view, status.leader);

	if (status.state == STATE_LEADER && !status.standby.is_on)
		*answer = error_answer(CODE_REFUSED,
		    "%s still leads: no other node took over, or it rejoined",
		    leader);
	else if (is_follower(&status) && to != NODE_NONE && status.leader != to)
		*answer = error_answer(CODE_REFUSED, "%s leads, not %s", leader,
		    name_of(view, to));
	else
		return answer_leader_if(view, is_follower, answer);
	return true;
}

json_t *
verb_resign(struct request *request)
{
	const struct control_view *view = request->view;
	enum resignation begun;
	struct node_status status;
	node_id to;
	char reason[STANDBY_REASON_MAX + 1];
	json_t *error = find_successor(request, &to);

	if (error == NULL)
		error = take_reason(request, reason);
	if (error != NULL)
		return error;
	begun = node_resign(view->node, view_wake(view), to, reason);
	view->perform(view->context);
	status = view_status(view);
	if (begun != RESIGN_BEGUN)
		return refuse_resignation(view, begun, to, &status);
	return request_await(request,
	    (struct pending_request){ .is_over = resign_is_over, .to = to });
}

const char *
reload_trouble(enum proposal_end end)
{
	switch (end) {
	case PROPOSAL_NOTHING:
	case PROPOSAL_DONE:
	case PROPOSAL_PROPOSED:
		break;
	case PROPOSAL_WRONG:
		return "the configuration is wrong; nothing has changed";
	case PROPOSAL_RESTART:
		return "a restart of this daemon is needed; nothing has changed";
	case PROPOSAL_CLUSTER:
		return "all hosts must agree on this: raise config_version, or see CHANGING A CLUSTER in electd-operating(7); nothing has changed";
	case PROPOSAL_TOO_FAR:
		return "more than one voter comes, goes or changes compared with the settings in effect: change one at a time, and wait until each change is in effect; nothing has changed";
	case PROPOSAL_PROMOTES:
		return "an observer cannot become a voter: remove it first, then add it; nothing has changed";
	case PROPOSAL_UNHEARD:
		return "this node does not hear the new voter: start electd there first, or give --force; nothing has changed";
	case PROPOSAL_ALIEN:
		return "this cannot change while any daemon of the cluster runs; nothing has changed";
	case PROPOSAL_FAILED:
		return "an address cannot be applied; nothing has changed";
	}
	return NULL;
}

json_t *
answer_refusal(const char *verb, const struct reload *reload)
{
	json_t *answer = error_answer(
	    reload->end == PROPOSAL_WRONG ? CODE_SETTINGS : CODE_REFUSED,
	    "%s: %s", verb, reload_trouble(reload->end));

	put_value(&answer, "details", lines_of(reload->lines));
	return answer;
}

static bool
reload_is_done(const struct pending_request *pending,
    const struct control_view *view, const struct outcome *outcome,
    json_t **answer)
{
	const struct reload *reload = outcome->reload;

	if (pending->waits && reload->end == PROPOSAL_PROPOSED)
		return false;
	if (reload_trouble(reload->end) != NULL) {
		*answer = answer_refusal("reload", reload);
		return true;
	}
	*answer = json_pack("{s:b,s:o,s:b,s:b}", "ok", true, "changed",
	    lines_of(reload->lines), "older", reload->is_older, "proposed",
	    reload->end == PROPOSAL_PROPOSED);
	put_id(answer, "leader", view_status(view).leader);
	return true;
}

json_t *
verb_reload(struct request *request)
{
	const struct control_view *view = request->view;
	const struct operation operation = {
		.kind = OPERATION_RELOAD,
		.is_forced = request_has(request, "force"),
	};

	return request_await_end(request, operation.kind,
	    view->begin(view->context, &operation), reload_is_done);
}

/* The bytes go with the answer as a file in memory: electd writes nowhere for a
 * client, and holds nothing for one that does not read. */
json_t *
verb_record(struct request *request)
{
	const struct control_view *view = request->view;
	size_t size;
	int fd;

	fd = view->record(view->context, &size);
	if (fd == -ENODATA)
		return error_answer(CODE_REFUSED,
		    "this node is not recorded: by its settings, or memory was short");
	if (fd < 0)
		return error_answer(CODE_REFUSED,
		    "the tape cannot be copied: %s", strerror(-fd));
	request->has_file = true;
	request->file = fd;
	return json_pack("{s:b,s:I}", "ok", true, "bytes", (json_int_t)size);
}
