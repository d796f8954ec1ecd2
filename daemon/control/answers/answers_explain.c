/* SPDX-License-Identifier: ISC */
/* Why an election began, and how it went; the names of nodes. */
#include "daemon/control/answers/answers.h"

#include <inttypes.h>

#include "daemon/history/put.h"

static json_t *
messages_of(
    const struct algorithm *algorithm, const uint32_t counts[MESSAGE_KINDS_MAX])
{
	uint64_t wide[MESSAGE_KINDS_MAX];

	for (size_t i = 0; i < MESSAGE_KINDS_MAX; i++)
		wide[i] = counts[i];
	return answer_messages(algorithm, wide);
}

json_t *
answer_term_messages(const struct control_view *view)
{
	static const struct past_election none;
	const struct past_election *last = node_past_election(view->node, 0);
	const struct past_election *a = last == NULL ? &none : last;
	json_t *o = json_object();

	put_count_or_null(&o, "term", last != NULL, a->term);
	put_value(
	    &o, "self", messages_of(view->settings->shared.algorithm, a->sent));
	return o;
}

static void
put_winner(json_t **object, const struct control_view *view,
    const struct past_election *a)
{
	bool is_decided = a->decided != 0;
	json_t *o = is_decided ? json_object() : json_null();

	put_id(object, "leader",
	    is_decided && a->winner.is_eligible ? a->winner.id : NODE_NONE);
	if (is_decided) {
		const struct config_node *node =
		    config_find(&view->settings->shared, a->winner.id);

		put_id(&o, "id", a->winner.id);
		put_value(&o, "name",
		    node == NULL ? json_null() : put_string(node->name));
		put_flag(&o, "eligible", a->winner.is_eligible);
		put_flag(&o, "contender", a->winner.is_contender);
		put_value(&o, "priority", json_integer(a->winner.priority));
	}
	put_value(object, "winner", o);
	put_ms_or_null(
	    object, "ms", is_decided, nsec_since(a->decided, a->began));
}

static json_t *
phases_of(const struct past_election *a)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < a->phases_count; i++) {
		json_t *row = json_object();

		put_text(&row, "phase", a->phases[i].name);
		put_ms_or_null(
		    &row, "ms", true, nsec_since(a->phases[i].at, a->began));
		put_next(&rows, row);
	}
	return rows;
}

/* Adds how this node knows that the node in `reason` is down, if that node was
 * lost and its link is still down. */
static void
put_evidence(
    json_t **object, const struct control_view *view, struct reason reason)
{
	enum evidence evidence = EVIDENCE_NONE;

	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		if (peer.id == reason.node && !peer.up)
			evidence = peer.evidence;
	}
	if ((reason.kind != REASON_DIED && reason.kind != REASON_BYE &&
		reason.kind != REASON_MISSED &&
		reason.kind != REASON_REFUSED) ||
	    evidence == EVIDENCE_DISTANT)
		evidence = EVIDENCE_NONE;
	put_value(object, "evidence",
	    evidence == EVIDENCE_NONE ? json_null()
				      : json_string(evidence_name(evidence)));
}

static void
put_name(json_t **names, const struct settings *settings, node_id id)
{
	const char *name = settings_name(settings, id);
	char key[ID_TEXT_MAX];

	if (name == NULL)
		return;
	snprintf(key, sizeof(key), "%" PRIu32, id);
	put_text(names, key, name);
}

json_t *
answer_names(const struct control_view *view)
{
	const struct settings *settings = view->settings;
	json_t *names = json_object();

	for (size_t i = 0; i < settings->shared.nodes_count; i++)
		put_name(&names, settings, settings->shared.nodes[i].id);
	for (unsigned i = 0; i < FORMER_MAX; i++)
		put_name(&names, settings, settings->former[i].id);
	return names;
}

/* The names of the nodes whose ids are in the answer. */
static json_t *
names_in(const struct control_view *view, const struct past_election *a)
{
	json_t *names = json_object();

	put_name(&names, view->settings, view->self);
	put_name(&names, view->settings, a->reason.node);
	if (a->decided != 0)
		put_name(&names, view->settings, a->winner.id);
	return names;
}

json_t *
answer_explain(const struct control_view *view, const struct past_election *a)
{
	const struct settings *settings = view->settings;
	json_t *o = json_object();

	put_count(&o, "term", a->term);
	put_id(&o, "self", view->self);
	put_text(&o, "algorithm", settings->shared.algorithm->name);
	put_text(&o, "topology", topology_name(settings->shared.topology));
	put_reason(&o, a->reason);
	put_flag(&o, "starter", a->is_starter);
	put_count(&o, "restarts", a->restarts);
	put_count(&o, "links", a->links);
	put_winner(&o, view, a);
	put_value(&o, "phases", phases_of(a));
	put_value(&o, "sent", messages_of(settings->shared.algorithm, a->sent));
	put_value(&o, "received",
	    messages_of(settings->shared.algorithm, a->received));
	put_evidence(&o, view, a->reason);
	put_count(&o, "nodes", settings->shared.nodes_count);
	put_value(&o, "names", names_in(view, a));
	return o;
}
