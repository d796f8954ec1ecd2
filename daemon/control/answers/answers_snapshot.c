/* SPDX-License-Identifier: ISC */
/* The state of the whole cluster by a snapshot, and the events of the other
 * nodes that it has shown the way to. */
#include "daemon/control/answers/answers.h"

#include <inttypes.h>

#include "daemon/control/protocol/control_protocol.h"
#include "daemon/history/history.h"
#include "daemon/history/put.h"

#define CHANNELS_SHOWN 4096 /* of all: an answer has 4 MiB at most */

static const char *
state_of(const struct snapshot_head *head)
{
	if (head->leader == head->node)
		return node_state_name(STATE_LEADER);
	if (head->leader != NODE_NONE)
		return node_state_name(STATE_FOLLOWER);
	return node_state_name(
	    head->is_electing ? STATE_ELECTING : STATE_NO_LEADER);
}

static json_t *
node_json(const struct control_view *view, const struct snapshot_head *head)
{
	const struct config_node *node =
	    config_find(&view->settings->shared, head->node);
	json_t *o = json_object();

	put_id(&o, "id", head->node);
	put_text_or_null(&o, "name", node != NULL ? node->name : NULL);
	put_count(&o, "incarnation", head->incarnation);
	put_text(&o, "state", state_of(head));
	put_count(&o, "term", head->term);
	put_id(&o, "leader", head->leader);
	put_count_or_null(
	    &o, "leader_term", head->leader != NODE_NONE, head->leader_term);
	put_count_or_null(
	    &o, "election_term", head->election_term != 0, head->election_term);
	put_flag(&o, "electing", head->is_electing);
	put_count(&o, "events", head->events);
	put_count(&o, "sent", head->sent);
	put_count(&o, "received", head->received);
	return o;
}

static json_t *
message_json(const struct algorithm *a, const struct snapshot_message *m)
{
	bool is_marker = m->kind == SNAPSHOT_KIND_MARKER;
	const char *kind =
	    m->kind < MESSAGE_KINDS_MAX ? a->kinds[m->kind] : NULL;
	json_t *o = json_object();

	put_text_or_null(&o, "message", is_marker ? "marker" : kind);
	put_count(&o, "sequence", m->sequence);
	put_count_or_null(&o, "term", kind != NULL, m->term);
	put_id(&o, "rank", m->rank);
	put_id(&o, "origin", m->origin);
	put_count_or_null(&o, "phase", kind != NULL, m->phase);
	return o;
}

/* The channel by which `n` gets messages. */
static json_t *
channel_json(const struct control_view *view, const struct assembled_node *n,
    const struct snapshot_channel *channel)
{
	const struct algorithm *a = view->settings->shared.algorithm;
	json_t *o = json_object(), *messages = json_array();

	for (unsigned i = 0; i < n->head.messages; i++) {
		if (n->messages[i].from == channel->peer)
			put_next(&messages, message_json(a, &n->messages[i]));
	}
	put_id(&o, "from", channel->peer);
	put_id(&o, "to", n->id);
	put_flag(&o, "up", channel->is_up);
	put_count(&o, "delivered", channel->delivered);
	put_value(&o, "messages", messages);
	return o;
}

static uint64_t
highest_term(const struct assembly *c)
{
	uint64_t term = 0;

	for (unsigned i = 0; i < c->count; i++) {
		if (c->nodes[i].head.term > term)
			term = c->nodes[i].head.term;
	}
	return term;
}

/* What is said before and after the name of a node. */
struct sentence {
	const char *before;
	const char *after;
};

static const struct sentence failures[SNAPSHOT_OUTCOMES] = {
	[SNAPSHOT_LOST] = { "the session with ", " ended meanwhile" },
	[SNAPSHOT_FULL] = { "there was no room for what goes to or comes from ",
	    "" },
	[SNAPSHOT_CHANGED] = { "other settings came into effect at ", "" },
	[SNAPSHOT_UNKNOWN] = { "", " knows nothing of this snapshot any more" },
	[SNAPSHOT_BUSY] = { "", " takes part in too many snapshots" },
	[SNAPSHOT_SILENT] = { "", " did not answer" },
	[SNAPSHOT_RESTARTED] = { "", " began anew meanwhile" },
	[SNAPSHOT_LARGE] = { "there are more than 65536 channels, with those of ",
	    "" },
	[SNAPSHOT_FAR] = { "more than 64 nodes are on the way to ", "" },
	[SNAPSHOT_ABSURD] = { "", " gave an answer that makes no sense" },
};

_Static_assert(PULL_PATH_MAX == 64, "as said above");
_Static_assert(ASSEMBLY_CHANNELS_MAX == 65536, "likewise");

/* The error that names the node by which it has failed. */
static json_t *
failure(const struct control_view *view, const char *what,
    enum snapshot_outcome outcome, node_id culprit)
{
	const struct config_node *node =
	    config_find(&view->settings->shared, culprit);
	const struct sentence *s = &failures[outcome];
	char id[16];

	assert(s->before != NULL);
	snprintf(id, sizeof(id), "node %" PRIu32, culprit);
	return error_answer(CODE_UNKNOWN, "%s: %s%s%s", what, s->before,
	    node != NULL ? node->name : id, s->after);
}

/* The places of the nodes in the order of their ids. */
static void
sort(const struct assembly *c, unsigned order[NODES_MAX])
{
	for (unsigned i = 0; i < c->count; i++) {
		unsigned at = i;

		while (at > 0 && c->nodes[order[at - 1]].id > c->nodes[i].id) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
	}
}

static bool
has_messages(const struct assembled_node *n, node_id from)
{
	for (unsigned i = 0; i < n->head.messages; i++) {
		if (n->messages[i].from == from)
			return true;
	}
	return false;
}

/* Adds the nodes and their channels; of more than CHANNELS_SHOWN only those
 * with messages. */
static void
put_parts(json_t **o, const struct control_view *view, const struct assembly *c)
{
	json_t *nodes = json_array(), *channels = json_array();
	bool is_small = c->markers <= CHANNELS_SHOWN;
	unsigned order[NODES_MAX];

	sort(c, order);
	for (unsigned i = 0; i < c->count; i++) {
		const struct assembled_node *n = &c->nodes[order[i]];

		put_next(&nodes, node_json(view, &n->head));
		for (unsigned j = 0; j < n->head.channels; j++) {
			const struct snapshot_channel *in = &n->channels[j];

			if (is_small || has_messages(n, in->peer))
				put_next(&channels, channel_json(view, n, in));
		}
	}
	put_value(o, "nodes", nodes);
	put_value(o, "channels", channels);
}

json_t *
answer_snapshot(
    const struct control_view *view, const struct assembled *assembled)
{
	const struct assembly *c = assembled->assembly;
	json_t *o;
	char fault[ASSEMBLY_FAULT_MAX];
	bool is_consistent, is_kept;
	node_id leader;

	if (c->outcome != SNAPSHOT_COMPLETE)
		return failure(view, "no snapshot", c->outcome, c->culprit);
	o = json_object();
	leader = assembly_leader(c);
	put_flag(&o, "complete", true);
	fault[0] = '\0';
	is_consistent = assembly_is_consistent(c, fault);
	put_flag(&o, "consistent", is_consistent);
	is_kept = is_consistent && assembly_keeps_promises(c, fault);
	put_flag(&o, "sound", is_kept);
	put_text_or_null(&o, "fault", is_kept ? NULL : fault);
	put_id(&o, "initiator", c->name.initiator);
	put_count(&o, "term", highest_term(c));
	put_id(&o, "leader", leader);
	put_count(&o, "markers", c->markers);
	put_ms_or_null(&o, "ms", true, assembled->took);
	put_parts(&o, view, c);
	return o;
}

/* The head of a piece of another node's events. */
static struct history
head_of(const struct control_view *view, const struct fetched *f)
{
	struct history h = answer_history_head(view, f->head.node);

	h.incarnation = f->head.incarnation;
	h.epoch_ns = f->head.epoch;
	h.first = f->pulled.first;
	h.last = f->head.events;
	return h;
}

/* Reads the events of a piece. False if they make no sense. */
static bool
events_read(struct history *h, const struct fetched *f)
{
	struct reader r = reader_of(f->pulled.items, f->pulled.size);

	while (r.left > 0) {
		struct event *e = &h->events[h->count];
		bool is_message;

		if (h->count == HISTORY_PIECE_MAX || !event_decode(&r, e) ||
		    e->number != h->first + h->count)
			return false;
		is_message = e->kind == EVENT_SENT || e->kind == EVENT_TAKEN;
		if (is_message && e->message >= h->kinds_count)
			return false;
		h->count++;
	}
	if (h->last < h->first + h->count - 1)
		h->last = h->first + h->count - 1;
	if (h->last < f->pulled.next) /* there are more */
		h->last = f->pulled.next;
	return true;
}

json_t *
answer_fetched(const struct control_view *view, const struct fetched *f)
{
	struct event piece[HISTORY_PIECE_MAX];
	struct history h;

	if (f->pulled.outcome != SNAPSHOT_COMPLETE)
		return failure(
		    view, "no history", f->pulled.outcome, f->pulled.culprit);
	if (f->pulled.incarnation != f->head.incarnation)
		return failure(
		    view, "no history", SNAPSHOT_RESTARTED, f->head.node);
	h = head_of(view, f);
	h.events = piece;
	if (!events_read(&h, f))
		return failure(
		    view, "no history", SNAPSHOT_ABSURD, f->head.node);
	return history_json(&h);
}
