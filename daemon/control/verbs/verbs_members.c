/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs/verbs_each.h"

#include <inttypes.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/history/put.h"

/* Why this node changes no nodes, whatever the change. NULL if it does. */
static json_t *
refuse_any(const struct control_view *view)
{
	struct node_status status = view_status(view);

	if (!config_has_document(&view->settings->shared))
		return error_answer(CODE_REFUSED,
		    "members: this host knows only its neighbours: see CHANGING A CLUSTER in electd-operating(7)");
	if (status.is_leaving || status.eligibility == INELIGIBLE_ENDING)
		return error_answer(CODE_REFUSED,
		    "members: this node is stopping: ask another");
	if (status.is_outside)
		return error_answer(CODE_REFUSED,
		    "members: the settings of the other nodes do not name this node: ask another");
	return NULL;
}

/* True if the settings are as the change wants them. */
static bool
is_in_effect(const struct settings *settings, const struct membership *members)
{
	const struct config_node *want = &members->node;
	const struct config_node *is = config_find(&settings->shared, want->id);

	if (members->kind == MEMBER_REMOVE || is == NULL)
		return members->kind == MEMBER_REMOVE && is == NULL;
	return strcmp(is->name, want->name) == 0 &&
	       strcmp(is->address, want->address) == 0 &&
	       is->priority == want->priority && is->role == want->role;
}

static json_t *
answer_changed(
    const struct control_view *view, const struct membership *members)
{
	static const char *const words[] = {
		[MEMBER_ADD] = "added",
		[MEMBER_REMOVE] = "removed",
		[MEMBER_REPLACE] = "replaced",
	};
	struct node_status status = view_status(view);
	json_t *o = json_object();

	put_flag(&o, "ok", true);
	put_text(&o, "change", words[members->kind]);
	put_id(&o, "id", members->node.id);
	put_text(&o, "name", members->node.name);
	put_text(&o, "address", members->node.address);
	put_count(&o, "config_version", view->settings->shared.config_version);
	put_count(
	    &o, "file_config_version", view->settings->file_config_version);
	put_count_or_null(&o, "spare",
	    status.quorum > 0 && status.votes >= status.quorum,
	    status.votes - status.quorum);
	return o;
}

/* The change was judged, and is to come into effect. */
static bool
change_is_over(const struct control_view *view,
    const struct membership *members, json_t **answer)
{
	const struct settings *settings = view->settings;

	const struct config_id is = config_numbers(&settings->shared);

	if (config_id_may_replace(&members->becomes, &is))
		return false;
	if (is_in_effect(settings, members))
		*answer = answer_changed(view, members);
	else
		*answer = error_answer(CODE_REFUSED,
		    "members: another change came first, config version %" PRIu32
		    ": try again",
		    settings->shared.config_version);
	return true;
}

static bool
members_is_done(const struct pending_request *pending,
    const struct control_view *view, const struct outcome *outcome,
    json_t **answer)
{
	const struct membership *members = outcome->members;
	const struct reload *change = &members->change;

	if (change->number > pending->number)
		*answer = error_answer(CODE_UNKNOWN,
		    "members: another change came after this one; `electctl members` shows the outcome");
	else if (reload_trouble(change->end) != NULL)
		*answer = answer_refusal("members", change);
	else
		return change_is_over(view, members, answer);
	return true;
}

/* Begins the change, which is taken as it is: whoever parses the settings that
 * come of it finds what is wrong. */
static json_t *
begin(struct request *request, struct member_change change)
{
	const struct control_view *view = request->view;
	const struct operation operation = {
		.kind = OPERATION_MEMBERS,
		.change = change,
	};
	json_t *error = refuse_any(view);
	uint64_t number;

	if (error != NULL)
		return error;
	number = view->begin(view->context, &operation);
	if (number == 0)
		return error_answer(CODE_REFUSED,
		    "members: another change is proposed, and not yet in effect");
	return request_await_end(
	    request, operation.kind, number, members_is_done);
}

json_t *
verb_members_add(struct request *request)
{
	struct member_change change = {
		.kind = MEMBER_ADD,
		.id = request_number(request, "id"),
		.name = request_text(request, "name"),
		.address = request_text(request, "address"),
		.role = request_text(request, "role"),
		.priority = request_number(request, "priority"),
		.is_forced = request_has(request, "force"),
	};

	return begin(request, change);
}

/* A node that was discovered and runs would join again. */
static json_t *
refuse_present(const struct control_view *view, node_id id)
{
	if (!config_find(&view->settings->shared, id)->is_discovered)
		return NULL;
	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		if (peer.id == id && peer.up)
			return error_answer(CODE_REFUSED,
			    "members: %s runs, and would join again: stop electd there first",
			    config_find(&view->settings->shared, id)->name);
	}
	return NULL;
}

/* The changes of a node that there is. This node cannot go from the settings
 * that are in effect here, and its own socket keeps its address. */
static json_t *
begin_known(struct request *request, struct member_change change)
{
	const struct control_view *view = request->view;
	node_id id;
	json_t *error = request_node(request, "node", &id);

	if (error != NULL)
		return error;
	if (id == NODE_NONE)
		return error_answer(CODE_USAGE, "members: \"node\" is missing");
	if (id == view->self)
		return error_answer(CODE_REFUSED,
		    "members: %s is this node itself: ask another",
		    config_find(&view->settings->shared, id)->name);
	if (change.kind == MEMBER_REMOVE)
		error = refuse_present(request->view, id);
	if (error != NULL)
		return error;
	change.id = id;
	return begin(request, change);
}

json_t *
verb_members_remove(struct request *request)
{
	return begin_known(
	    request, (struct member_change){ .kind = MEMBER_REMOVE });
}

json_t *
verb_members_replace(struct request *request)
{
	return begin_known(
	    request, (struct member_change){
			 .kind = MEMBER_REPLACE,
			 .address = request_text(request, "address"),
		     });
}
