/* SPDX-License-Identifier: ISC */
/*
 * Snapshots: a node begins one and gets the parts of all others, as electd does.
 * The world compares what comes of it with what it knows: the events that all
 * nodes have kept. Of a message that was taken in the cut the sender has to say
 * that it sent it in the cut; and just those that were sent in it and not taken
 * in it were in transit.
 */
#include "tests/world/world_process.h"

#include <inttypes.h>

#include "daemon/history/collection.h"

void
world_snapshot(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct snapshot_name snapshot;

	if (!world_runs(w, name) || p->paused || p->step.is_open)
		return;
	world_note(w, "snapshot at %u", name);
	tap_listen(w, name);
	snapshot = node_snapshot(p->node, clock_local(p, w->now));
	collection_free(p->snapshot);
	p->snapshot = collection_new(&snapshot);
	assert(p->snapshot != NULL);
	p->snapshot_until = nsec_after(w->now, SNAPSHOT_TIME);
	w->counters.snapshots++;
	process_act(w, name);
}

void
snapshots_end(struct world *w, process_name name)
{
	collection_free(w->processes[name].snapshot);
	w->processes[name].snapshot = NULL;
}

/*
 * The process that made this part after `began`, if it runs yet and has all its
 * events; else NULL: the world cannot compare. Two processes may have the same
 * id and incarnation: a copy, or the next one of a host whose disk is as before.
 */
static const struct process *
process_of(const struct world *w, const struct collected *n, nsec_t began)
{
	if (w->processes[WORLD_COPY].lives > 0)
		return NULL;
	for (process_name i = 1; i < WORLD_COPY; i++) {
		const struct process *p = &w->processes[i];

		if (p->node != NULL && p->id == n->id &&
		    p->durable.incarnation == n->head.incarnation &&
		    p->fallen_at <= began &&
		    event_log_first(node_events(p->node)) == 1)
			return p;
	}
	return NULL;
}

/* The event of a log, up to `last`, that is about this message; NULL: none. */
static const struct event *
find(const struct event_log *log, uint64_t last, enum event_kind kind,
    node_id peer, uint64_t session, uint32_t sequence)
{
	for (uint64_t i = 1; i <= last; i++) {
		const struct event *e = event_log_find(log, i);

		if (e->kind == kind && e->peer == peer &&
		    e->session == session && e->sequence == sequence)
			return e;
	}
	return NULL;
}

static bool
was_recorded(const struct collected *n, node_id from, uint32_t sequence)
{
	for (unsigned i = 0; i < n->head.messages; i++) {
		if (n->messages[i].from == from &&
		    n->messages[i].sequence == sequence)
			return true;
	}
	return false;
}

/* Compares what went from `from` to `to` by one channel. */
static void
compare(struct world *w, nsec_t began, const struct collected *from,
    const struct collected *to, uint64_t session)
{
	const struct process *sender = process_of(w, from, began);
	const struct process *taker = process_of(w, to, began);
	const struct event_log *sent, *taken;

	if (sender == NULL || taker == NULL)
		return;
	sent = node_events(sender->node);
	taken = node_events(taker->node);
	for (uint64_t i = 1; i <= to->head.events; i++) {
		const struct event *e = event_log_find(taken, i);

		if (e->kind == EVENT_TAKEN && e->peer == from->id &&
		    e->session == session &&
		    find(sent, from->head.events, EVENT_SENT, to->id, session,
			e->sequence) == NULL)
			world_fail(w,
			    "a snapshot has that %" PRIu32
			    " took a message that %" PRIu32 " had not sent",
			    to->id, from->id);
	}
	for (uint64_t i = 1; i <= from->head.events; i++) {
		const struct event *e = event_log_find(sent, i);

		if (e->kind != EVENT_SENT || e->peer != to->id ||
		    e->session != session)
			continue;
		w->counters.compared++;
		/* What was dropped is no event: it was taken as well. */
		if (was_recorded(to, from->id, e->sequence) &&
		    find(taken, to->head.events, EVENT_TAKEN, from->id, session,
			e->sequence) != NULL)
			world_fail(w,
			    "a snapshot has a message from %" PRIu32
			    " to %" PRIu32 " in transit that it has as taken",
			    from->id, to->id);
	}
	for (uint64_t i = to->head.events + 1; i <= taken->count; i++) {
		const struct event *e = event_log_find(taken, i);

		if (e->kind == EVENT_TAKEN && e->peer == from->id &&
		    e->session == session &&
		    find(sent, from->head.events, EVENT_SENT, to->id, session,
			e->sequence) != NULL &&
		    !was_recorded(to, from->id, e->sequence))
			world_fail(w,
			    "a snapshot lacks a message that was in transit "
			    "from %" PRIu32 " to %" PRIu32,
			    from->id, to->id);
	}
}

static bool
has_channel(const struct collected *n, node_id peer)
{
	for (unsigned i = 0; i < n->head.channels; i++) {
		if (n->channels[i].peer == peer)
			return true;
	}
	return false;
}

/* A node that has a session with its leader follows that process: it knows the
 * term from it, directly or not. So the leader's part is of that term, or later.
 */
static void
check_leader(
    struct world *w, const struct collection *c, const struct collected *n)
{
	const struct collected *leader =
	    n->head.leader == NODE_NONE ? NULL
					: collection_find(c, n->head.leader);

	if (leader != NULL && has_channel(n, leader->id) &&
	    leader->head.term < n->head.leader_term)
		world_fail(w,
		    "a snapshot has that %" PRIu32 " follows %" PRIu32
		    " in term %" PRIu64 ", which that has not seen",
		    n->id, leader->id, n->head.leader_term);
}

static void
check(struct world *w, const struct collection *c, nsec_t began)
{
	char fault[COLLECTION_FAULT_MAX];

	if (!collection_is_consistent(c, fault))
		world_fail(w, "a snapshot is inconsistent: %s", fault);
	if (!collection_keeps_promises(c, fault) &&
	    w->setup.guarantee == GUARANTEE_QUORUM)
		world_fail(w, "a snapshot shows a broken promise: %s", fault);
	for (unsigned i = 0; i < c->count; i++) {
		const struct collected *n = &c->nodes[i];

		check_leader(w, c, n);
		for (unsigned j = 0; j < n->head.channels; j++)
			compare(w, began,
			    collection_find(c, n->channels[j].peer), n,
			    n->channels[j].session);
	}
}

void
snapshots_take(struct world *w, process_name name, const struct action *action)
{
	const struct process *p = &w->processes[name];
	struct collection *c = p->snapshot;

	if (c == NULL || c->outcome != SNAPSHOT_OPEN)
		return;
	collection_take(c, &action->pulled, action->datagram);
	if (c->outcome == SNAPSHOT_OPEN)
		return;
	world_note(
	    w, "snapshot of %u is %s", name, snapshot_outcome_name(c->outcome));
	if (c->outcome != SNAPSHOT_COMPLETE)
		return;
	w->counters.complete++;
	w->counters.markers += c->markers;
	check(w, c, nsec_since(p->snapshot_until, SNAPSHOT_TIME));
}

bool
snapshots_go_on(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct collection *c = p->snapshot;
	struct pull pull;
	bool has_begun = false;

	if (c == NULL || c->outcome != SNAPSHOT_OPEN)
		return false;
	if (w->now >= p->snapshot_until)
		collection_give_up(c, node_snapshot_awaits(p->node));
	while (collection_next(c, &pull) &&
	       node_pull(p->node, p->step.local, &pull)) {
		collection_asked(c, &pull);
		has_begun = true;
	}
	return has_begun;
}
