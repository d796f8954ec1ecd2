/* SPDX-License-Identifier: ISC */
/* Is there a majority of the voters, and who is missing from it? */
#include "daemon/answers.h"

#include "daemon/answers_put.h"

/* The first reason that applies; NULL: it votes. */
static const char *
why_missing(const struct peer_status *peer)
{
	if (peer->votes)
		return NULL;
	if (peer->differs)
		return "differs";
	if (peer->duplicate)
		return "duplicate";
	if (peer->other_key)
		return "other-key";
	if (peer->up)
		return "no-vote";
	if (peer->evidence != EVIDENCE_NONE)
		return evidence_name(peer->evidence);
	return peer->incarnation == 0 ? "never-heard" : "not-linked";
}

static void
add_missing(
    json_t **rows, const struct settings *settings, node_id id, const char *why)
{
	const struct node_settings *node = settings_node(settings, id);
	json_t *row = json_object();

	assert(node != NULL);
	put_id(&row, "id", id);
	put_text(&row, "name", node->name);
	put_text(&row, "why", why);
	if (json_array_append_new(*rows, row) == 0)
		return;
	json_decref(*rows);
	*rows = NULL;
}

/* Of this node itself. */
static const char *
why_missing_here(const struct node_status *status)
{
	if (status->memory != MEMORY_SOUND)
		return memory_name(status->memory);
	return status->duplicate ? "duplicate" : "no-vote";
}

/* The voters that do not vote: this node first, then the peers in order. */
static json_t *
missing(const struct control_view *view, const struct node_status *status)
{
	const struct node_settings *self =
	    settings_node(view->settings, view->self);
	json_t *rows = json_array();

	assert(self != NULL);
	if (self->role != ROLE_OBSERVER && !status->has_vote)
		add_missing(&rows, view->settings, view->self,
		    why_missing_here(status));
	for (unsigned i = 0; i < view->peers_count; i++) {
		struct peer_status peer = node_peer_status(view->node, i);
		const char *why = why_missing(&peer);

		if (peer.is_voter && why != NULL)
			add_missing(&rows, view->settings, peer.id, why);
	}
	return rows;
}

json_t *
answer_quorum(const struct control_view *view, const struct node_status *status)
{
	json_t *o;

	if (view->settings->guarantee != GUARANTEE_QUORUM)
		return json_null();
	o = json_object();
	put_count(&o, "voters", status->voters);
	put_count(&o, "quorum", status->quorum);
	put_count(&o, "votes", status->votes);
	put_value(&o, "missing", missing(view, status));
	return o;
}
