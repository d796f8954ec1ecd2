/* SPDX-License-Identifier: ISC */
/*
 * The promises of a world. After every event: the node that moved is sound
 * and says nothing it must not. When quiet (component mode, design.md 3):
 * every component has one leader, alive, known to all, the best that it has.
 */
#include "tests/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#define FORGIVEN (3 * SEC) /* until evidence of a second process ages */

void
world_fail(struct world *w, const char *format, ...)
{
	char why[240];
	va_list args;

	if (w->halted)
		return;
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	world_note(w, "BROKEN: %.140s", why);
	w->halted = true;
	if (w->setup.failed != NULL) {
		w->setup.failed(w, why);
		return;
	}
	fprintf(stderr, "%s\n%s\n", w->trace, why);
	abort();
}

/* State and leader must tell the same story. */
static bool
is_sane(const struct process *p, const struct node_status *s)
{
	switch (s->state) {
	case STATE_LEADER:
		return s->leader == p->id && p->role == ROLE_CANDIDATE &&
		       !s->duplicate;
	case STATE_FOLLOWER:
		return s->leader != NODE_NONE && s->leader != p->id;
	case STATE_STARTING:
	case STATE_ELECTING:
		return s->leader != p->id;
	case STATE_NO_LEADER:
		return s->leader == NODE_NONE;
	}
	return false;
}

/* Did it tell its host of the leader that it has? */
static bool
has_told(const struct process *p, const struct node_status *s)
{
	if (p->leader.kind == NOTICE_LEADER)
		return p->leader.leader == s->leader;
	return s->leader == NODE_NONE;
}

void
world_check(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct node_status s = world_status(w, name);

	node_check(p->node);
	if (!is_sane(p, &s))
		world_fail(w, "%u is %s and its leader is %" PRIu32, name,
		    node_state_name(s.state), s.leader);
	if (s.term < p->term)
		world_fail(w, "%u fell from term %" PRIu64 " to %" PRIu64, name,
		    p->term, s.term);
	if (!has_told(p, &s))
		world_fail(w,
		    "%u has leader %" PRIu32 " and told its host %" PRIu32,
		    name, s.leader, p->leader.leader);
	if (s.incarnation > p->incarnation)
		world_fail(
		    w, "%u bears an incarnation that is not durable", name);
	p->term = s.term;
}

/* The process that answers at an id's address; 0: none, or two. */
static process_name
voice_of(const struct world *w, node_id id)
{
	const struct process *copy = &w->processes[WORLD_COPY];
	bool original = world_runs(w, id) && !w->processes[id].paused;
	bool second = copy->id == id && copy->node != NULL && !copy->paused;

	if (original == second)
		return 0;
	return original ? id : WORLD_COPY;
}

/* The ids that are connected with `id`, by links that work both ways. */
static unsigned
component_of(const struct world *w, node_id id)
{
	unsigned found = 1u << id, before;

	do {
		before = found;
		for (unsigned a = 1; a <= w->setup.nodes; a++) {
			for (unsigned b = 1; b <= w->setup.nodes; b++) {
				if (found >> a & 1 && voice_of(w, b) != 0 &&
				    !w->wires[a][b].cut && !w->wires[b][a].cut)
					found |= 1u << b;
			}
		}
	} while (found != before);
	return found;
}

static struct rank
rank_of(const struct process *p)
{
	return (struct rank){ .stands = p->role == ROLE_CANDIDATE,
		.priority = p->priority,
		.id = p->id };
}

/* The best of a component that stands; NODE_NONE if nobody does. */
static node_id
best_of(const struct world *w, unsigned component)
{
	struct rank best = { .stands = false };

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		struct rank r = rank_of(&w->processes[id]);

		if (!(component >> id & 1) || !r.stands)
			continue;
		if (!best.stands || rank_better(&r, &best, w->setup.prefer))
			best = r;
	}
	return best.id;
}

/* Why this leader is not right for this component; NULL if it is. */
static const char *
fault_of(const struct world *w, unsigned component, node_id leader)
{
	node_id best = best_of(w, component);

	if ((best == NODE_NONE) != (leader == NODE_NONE))
		return best == NODE_NONE ? "none stands" : "one stands";
	if (leader == NODE_NONE)
		return NULL;
	if (!(component >> leader & 1))
		return "that one is not there";
	if (w->processes[leader].role != ROLE_CANDIDATE)
		return "that one does not stand";
	if (w->setup.preempt == PREEMPT_ALWAYS && leader != best)
		return "another is better";
	return NULL;
}

/*
 * Does this node agree with the first of its component? Where nobody leads,
 * the term is nobody's.
 */
static bool
agrees(struct world *w, node_id id, const struct node_status *first)
{
	struct node_status s = world_status(w, voice_of(w, id));

	if (s.leader == first->leader &&
	    (s.leader == NODE_NONE || s.term == first->term) &&
	    s.state != STATE_STARTING && s.state != STATE_ELECTING)
		return true;
	snprintf(w->why, sizeof(w->why),
	    "%" PRIu32 " is %s with leader %" PRIu32 " in term %" PRIu64
	    ", and not %" PRIu32 " in term %" PRIu64,
	    id, node_state_name(s.state), s.leader, s.term, first->leader,
	    first->term);
	return false;
}

static bool
component_settled(struct world *w, unsigned component, node_id first)
{
	struct node_status s = world_status(w, voice_of(w, first));
	const char *fault;

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (component >> id & 1 && !agrees(w, id, &s))
			return false;
	}
	fault = fault_of(w, component, s.leader);
	if (fault != NULL)
		snprintf(w->why, sizeof(w->why),
		    "%" PRIu32 " takes %" PRIu32 " as leader, but %s", first,
		    s.leader, fault);
	return fault == NULL;
}

bool
world_settled(struct world *w)
{
	unsigned seen = 0, component;

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (voice_of(w, id) == 0 || seen >> id & 1)
			continue;
		component = component_of(w, id);
		if (!component_settled(w, component, id))
			return false;
		seen |= component;
	}
	w->why[0] = '\0';
	return true;
}

/* Elections and changes of leader that all nodes together told of. */
static unsigned
unrest(const struct world *w)
{
	unsigned count = 0;

	for (process_name name = 1; name <= WORLD_COPY; name++) {
		const unsigned *n = w->processes[name].notices;

		count +=
		    n[NOTICE_LEADER] + n[NOTICE_NO_LEADER] + n[NOTICE_ELECTION];
	}
	return count;
}

/* Runs until it is settled, and goes on while nothing changes. */
static bool
settle_once(struct world *w, nsec_t until)
{
	unsigned before;

	if (!world_run_until(w, world_settled, nsec_since(until, w->now))) {
		world_fail(w, "not settled within %" PRIu64 " ms: %s",
		    world_bound(w) / MSEC, w->why);
		return true;
	}
	w->settled_at = w->now;
	before = unrest(w);
	while (w->now < w->settled_at + WORLD_CALM && unrest(w) == before)
		world_run(w, 10 * MSEC);
	return unrest(w) == before;
}

void
world_settle(struct world *w)
{
	nsec_t until = nsec_after(w->fault_at, world_bound(w));

	while (!settle_once(w, until)) {
		if (w->now > until) {
			world_fail(w, "settled, and yet it elected again");
			return;
		}
	}
	if (!world_settled(w))
		world_fail(w, "settled, and no more: %s", w->why);
}

/*
 * A pessimist's sum: everyone listens; failures are noticed late by nodes
 * that doubt themselves (protocol.md D.3, h = 3), twice; then two elections,
 * each of a round trip a node with each message lost up to its longest
 * retransmission timer (160 ms), each way. Loss makes all of it longer, and
 * slow clocks a tenth more. An id that was in use twice is forgiven after
 * 3 s without evidence by the others, and 3 s later by its owner.
 */
nsec_t
world_bound(const struct world *w)
{
	const struct world_setup *s = &w->setup;
	nsec_t detection = 4 * (2 * s->misses + 5) * s->heartbeat / 2;
	nsec_t election = 2 * s->nodes * 160 * MSEC;
	unsigned loss = w->wires[1][1].loss;
	nsec_t sum = s->startup + 2 * detection + 2 * election;

	if (w->processes[WORLD_COPY].id != NODE_NONE)
		sum += 2 * FORGIVEN;
	assert(loss < 1000);
	return sum * 11 / 10 * 1000 / (1000 - loss);
}
