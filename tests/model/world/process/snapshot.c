/* SPDX-License-Identifier: ISC */
/*
 * Snapshots: a node begins one and gets the parts of all others, as electd
 * does. The world compares what comes of it with what it knows: the events that
 * all nodes have kept. Of a message that was taken in the cut the sender has to
 * say that it sent it in the cut; and just those that were sent in it and not
 * taken in it were in transit. And each datagram that a node took in the cut,
 * be it a heartbeat, was sent in it.
 */
#include "tests/model/world/process/process.h"

#include <inttypes.h>

#include "daemon/history/assembly.h"

void
world_snapshot(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct snapshot_name snapshot;

	if (!world_runs(w, name) || p->paused || p->step.is_open)
		return;
	world_note(w, "snapshot at %u", name);
	tap_listen(w, name);
	snapshot = node_snapshot(p->node, clock_local(&p->clock, w->now));
	assembly_free(p->snapshot.last);
	p->snapshot.last = assembly_new(&snapshot);
	assert(p->snapshot.last != NULL);
	p->snapshot.until = nsec_after(w->now, SNAPSHOT_TIME);
	w->counters.snapshots++;
	process_act(w, name);
}

void
snapshots_end(struct world *w, process_name name)
{
	assembly_free(w->processes[name].snapshot.last);
	w->processes[name].snapshot.last = NULL;
}

/*
 * The process that made this part after `began`, if it runs yet; else NULL: the
 * world cannot compare. Two processes may have the same id and incarnation: a
 * copy, or the next one of a host whose disk is as before.
 */
static const struct process *
process_of(const struct world *w, const struct assembled_node *n, nsec_t began)
{
	if (w->processes[WORLD_COPY].lives > 0)
		return NULL;
	for (process_name i = 1; i < WORLD_COPY; i++) {
		const struct process *p = &w->processes[i];

		if (p->node != NULL && p->id == n->id &&
		    p->disk.durable.incarnation == n->head.incarnation &&
		    p->fallen_at <= began)
			return p;
	}
	return NULL;
}

static bool
has_all_events(const struct process *p)
{
	return p != NULL && event_log_first(node_events(p->node)) == 1;
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
was_recorded(const struct assembled_node *n, node_id from, uint32_t sequence)
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
compare(struct world *w, nsec_t began, const struct assembled_node *from,
    const struct assembled_node *to, uint64_t session)
{
	const struct process *sender = process_of(w, from, began);
	const struct process *taker = process_of(w, to, began);
	const struct event_log *sent, *taken;

	if (!has_all_events(sender) || !has_all_events(taker))
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
		/* A message that was dropped is no event, though it was
		 * taken. */
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

void
snapshots_heard(struct world *w, process_name name, uint64_t before,
    const struct origin *origin)
{
	struct process *p = &w->processes[name];
	uint64_t number = node_counters(p->node)->received;

	if (number != before)
		p->snapshot.from[number % WORLD_TAKEN_MAX] = *origin;
}

/* True if a node of the snapshot sent the datagram after it had recorded. */
static bool
is_later(const struct world *w, const struct assembly *c, nsec_t began,
    const struct origin *origin)
{
	const struct process *sender = &w->processes[origin->sender];
	const struct assembled_node *from;

	if (origin->sender == 0 || origin->life != sender->lives)
		return false;
	from = assembly_find(c, sender->id);
	return from != NULL && process_of(w, from, began) == sender &&
	       origin->number > from->head.sent;
}

/*
 * Nothing of what a node said after its record was taken before the receiver's,
 * be it a message, a beacon, a vote or a report. Whom a node follows proves no
 * more: it may have decided for a process that is over, and the next process of
 * that id has not seen the term.
 */
static void
check_datagrams(struct world *w, const struct assembly *c,
    const struct assembled_node *n, nsec_t began)
{
	const struct process *taker = process_of(w, n, began);
	uint64_t last = n->head.received, first = 1, count;

	if (taker == NULL)
		return;
	count = node_counters(taker->node)->received;
	if (count > WORLD_TAKEN_MAX)
		first = count - WORLD_TAKEN_MAX + 1;
	for (uint64_t i = first; i <= last; i++) {
		const struct origin *origin =
		    &taker->snapshot.from[i % WORLD_TAKEN_MAX];

		if (is_later(w, c, began, origin))
			world_fail(w,
			    "a snapshot has that %" PRIu32
			    " took what %u said only after its record",
			    n->id, origin->sender);
	}
}

static void
check(struct world *w, const struct assembly *c, nsec_t began)
{
	char fault[ASSEMBLY_FAULT_MAX];

	if (!assembly_is_consistent(c, fault))
		world_fail(w, "a snapshot is inconsistent: %s", fault);
	if (!assembly_keeps_promises(c, fault) &&
	    w->setup.guarantee == GUARANTEE_QUORUM)
		world_fail(w, "a snapshot shows a broken promise: %s", fault);
	for (unsigned i = 0; i < c->count; i++) {
		const struct assembled_node *n = &c->nodes[i];

		check_datagrams(w, c, n, began);
		for (unsigned j = 0; j < n->head.channels; j++)
			compare(w, began, assembly_find(c, n->channels[j].peer),
			    n, n->channels[j].session);
	}
}

void
snapshots_take(struct world *w, process_name name, const struct action *action)
{
	const struct process *p = &w->processes[name];
	struct assembly *c = p->snapshot.last;

	if (c == NULL || c->outcome != SNAPSHOT_OPEN)
		return;
	assembly_take(c, &action->pulled, action->datagram);
	if (c->outcome == SNAPSHOT_OPEN)
		return;
	world_note(
	    w, "snapshot of %u is %s", name, snapshot_outcome_name(c->outcome));
	if (c->outcome != SNAPSHOT_COMPLETE)
		return;
	w->counters.complete++;
	w->counters.markers += c->markers;
	check(w, c, nsec_since(p->snapshot.until, SNAPSHOT_TIME));
}

bool
snapshots_go_on(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct assembly *c = p->snapshot.last;
	struct pull pull;
	bool has_begun = false;

	if (c == NULL || c->outcome != SNAPSHOT_OPEN)
		return false;
	if (w->now >= p->snapshot.until)
		assembly_give_up(c, node_snapshot_awaits(p->node));
	while (assembly_next(c, &pull) &&
	       node_pull(p->node, p->step.local, &pull)) {
		assembly_asked(c, &pull);
		has_begun = true;
	}
	return has_begun;
}
