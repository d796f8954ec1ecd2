/* SPDX-License-Identifier: ISC */
/*
 * The ring algorithm with a list of the living, as A. S. Tanenbaum and M. van
 * Steen, "Distributed systems: principles and paradigms", give it. The exact
 * rules are in algorithms/README.md, "ring-list".
 *
 * Model: a ring used in one direction; reliable FIFO links.
 *
 * Messages, all to the right
 *   ELECTION(origin, list, rank)     round and back to its origin; each node
 *                                    appends itself, `rank` is the best so far
 *   COORDINATOR(origin, list, rank)  the same list and the winner's rank, round
 *                                    and back to the same origin
 *
 *   IDLE --start: own ELECTION--> ELECTING
 *   IDLE --ELECTION: append itself, pass it on--> PASSING
 *   ELECTING --own ELECTION: decide, COORDINATOR--> TELLING
 *   TELLING --own COORDINATOR: swallow it--> DONE
 *   PASSING --COORDINATOR: decide, pass it on--> DONE
 *
 * m starters among n nodes cost m n ELECTION and m n COORDINATOR, in any order
 * of delivery. Alone, a node decides without a message.
 *
 * All starters name the same winner. Only its origin takes a message from the
 * ring, so each ELECTION passes every node once. With join all nodes append
 * themselves, so every list holds all. Without join only starters do. A starter
 * has started before any message reached it, so it is in every list that
 * passes it: again all lists hold the same nodes.
 *
 * A starter sends its own ELECTION before it passes any on, and none overtakes
 * another. So all ELECTIONs have passed a node before the first COORDINATOR
 * does, and a starter always decides by its own list. (If links did not keep
 * order, it would decide by the first COORDINATOR, and send its own all the
 * same.)
 *
 * Departures
 *   "If the successor does not answer, it sends to the one after it": the
 *   caller closes the ring and begins a new instance (election.h).
 *   In the textbook a node recognises its message by finding itself in the
 *   list. Here `origin` tells, as a list longer than LIST_MAX is not carried.
 *   The decision is made by `rank`, the best so far; the list is for readers of
 *   traces.
 *   A message counts its links. If its origin is no node of this ring, it would
 *   go round for ever: the caller drops it (election.c).
 */
#include "algorithms/registry.h"

enum ring_list_kind {
	RING_LIST_ELECTION,
	RING_LIST_COORDINATOR,
};

enum ring_list_phase {
	RING_LIST_IDLE,
	RING_LIST_PASSING,
	RING_LIST_ELECTING,
	RING_LIST_TELLING,
	RING_LIST_DONE,
};

struct ring_list {
	const struct view *view;
	enum ring_list_phase phase;
	bool is_listed;   /* appends itself to lists */
	bool has_decided; /* `best` is the winner */
	struct rank best; /* best of all ranks seen */
};

static size_t
ring_list_size(const struct view *view)
{
	(void)view;
	return sizeof(struct ring_list);
}

static void
ring_list_init(void *state, const struct view *view)
{
	struct ring_list *r = state;

	assert(view->self.id != NODE_NONE);
	assert(view->links_count == 0 || view->links_count == RING_LINKS);
	r->view = view;
	r->phase = RING_LIST_IDLE;
	r->is_listed = false;
	r->has_decided = false;
	r->best.id = NODE_NONE;
}

static void
ring_list_become(struct ring_list *r, enum ring_list_phase phase)
{
	assert(phase > r->phase);
	r->phase = phase;
}

static void
ring_list_learn(struct ring_list *r, const struct rank *rank)
{
	if (r->best.id != NODE_NONE &&
	    !rank_better(rank, &r->best, r->view->prefer))
		return;
	assert(!r->has_decided);
	r->best = *rank;
}

static void
ring_list_decide(struct ring_list *r, struct outbox *out)
{
	if (r->has_decided)
		return;
	r->has_decided = true;
	outbox_decide(out, &r->best);
}

/* Sends the message one link farther. */
static void
ring_list_pass(const struct message *m, struct outbox *out)
{
	struct message on = *m;

	on.distance++;
	outbox_send(out, RING_RIGHT, &on);
}

/* "It sends to its successor a message ELECTION with its own number." */
static void
ring_list_start(struct ring_list *r, struct outbox *out)
{
	const struct rank *self = &r->view->self;
	struct message m = {
		.kind = RING_LIST_ELECTION,
		.rank = *self,
		.origin = self->id,
		.distance = 1,
	};

	if (r->phase != RING_LIST_IDLE)
		return;
	r->is_listed = true;
	ring_list_learn(r, self);
	if (r->view->links_count == 0) {
		ring_list_become(r, RING_LIST_DONE);
		ring_list_decide(r, out);
		return;
	}
	ring_list_become(r, RING_LIST_ELECTING);
	message_list(&m, self->id);
	outbox_send(out, RING_RIGHT, &m);
}

/* True if this can be the best of a list that has come round. It cannot if this
 * node has seen a better one, or has decided for another. */
static bool
ring_list_believes(const struct ring_list *r, const struct rank *winner)
{
	if (winner->id == r->view->self.id &&
	    !rank_equal(winner, &r->view->self))
		return false;
	if (r->has_decided)
		return rank_equal(winner, &r->best);
	return !rank_better(&r->best, winner, r->view->prefer);
}

/* "When it finds its own number in the list, it changes the type of the message
 * to COORDINATOR, and it goes round to tell all of the living and of the
 * coordinator." */
static void
ring_list_on_own_election(
    struct ring_list *r, const struct message *m, struct outbox *out)
{
	struct message coordinator = *m;

	if (r->phase != RING_LIST_ELECTING)
		return;
	if (!ring_list_believes(r, &m->rank))
		return;
	ring_list_learn(r, &m->rank);
	ring_list_become(r, RING_LIST_TELLING);
	ring_list_decide(r, out);
	coordinator.kind = RING_LIST_COORDINATOR;
	coordinator.distance = 1;
	outbox_send(out, RING_RIGHT, &coordinator);
}

/* "Each living process adds its number to the list and passes the message on
 * round the ring." */
static void
ring_list_on_election(
    struct ring_list *r, const struct message *m, struct outbox *out)
{
	const struct view *view = r->view;
	struct message on = *m;

	if (m->origin == view->self.id) {
		ring_list_on_own_election(r, m, out);
		return;
	}
	if (message_lists(m, view->self.id) || m->rank.id == view->self.id)
		return; /* the message has been here before */
	if (r->has_decided && rank_better(&m->rank, &r->best, view->prefer))
		return; /* the best of its list would have won */
	if (r->phase == RING_LIST_IDLE) {
		ring_list_become(r, RING_LIST_PASSING);
		r->is_listed = !view->choices->starters_only;
	}
	if (r->is_listed)
		message_list(&on, view->self.id);
	if (r->is_listed && rank_better(&view->self, &m->rank, view->prefer))
		on.rank = view->self;
	ring_list_learn(r, &on.rank);
	ring_list_pass(&on, out);
}

/* "When it has gone round, the message is removed." */
static void
ring_list_on_own_coordinator(struct ring_list *r)
{
	if (r->phase == RING_LIST_TELLING)
		ring_list_become(r, RING_LIST_DONE);
}

/* Rules 4 and 5. */
static void
ring_list_on_coordinator(
    struct ring_list *r, const struct message *m, struct outbox *out)
{
	if (m->origin == r->view->self.id) {
		ring_list_on_own_coordinator(r);
		return;
	}
	if (r->phase == RING_LIST_IDLE)
		return; /* the ELECTION of this COORDINATOR was never here */
	if (!ring_list_believes(r, &m->rank))
		return;
	if (m->rank.id == r->view->self.id && !r->is_listed)
		return;
	ring_list_learn(r, &m->rank);
	ring_list_decide(r, out);
	if (r->phase == RING_LIST_PASSING)
		ring_list_become(r, RING_LIST_DONE);
	ring_list_pass(m, out);
}

static void
ring_list_on_message(struct ring_list *r, unsigned link,
    const struct message *m, struct outbox *out)
{
	if (link != RING_LEFT)
		return;
	if (m->rank.id == NODE_NONE || m->origin == NODE_NONE)
		return;
	if (m->list_count == 0)
		return; /* an honest list has its origin at least */
	switch (m->kind) {
	case RING_LIST_ELECTION:
		ring_list_on_election(r, m, out);
		break;
	case RING_LIST_COORDINATOR:
		ring_list_on_coordinator(r, m, out);
		break;
	}
}

static void
ring_list_step(void *state, const struct input *in, struct outbox *out)
{
	struct ring_list *r = state;

	switch (in->kind) {
	case INPUT_START:
		ring_list_start(r, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < r->view->links_count);
		ring_list_on_message(r, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
ring_list_phase(const void *state)
{
	static const char *const names[] = {
		[RING_LIST_IDLE] = "idle",
		[RING_LIST_PASSING] = "passing",
		[RING_LIST_ELECTING] = "electing",
		[RING_LIST_TELLING] = "telling",
		[RING_LIST_DONE] = "done",
	};
	const struct ring_list *r = state;

	return names[r->phase];
}

static void
ring_list_check(const void *state)
{
	const struct ring_list *r = state;
	const struct rank *self = &r->view->self;

	assert(r->phase <= RING_LIST_DONE);
	assert((r->phase == RING_LIST_IDLE) == (r->best.id == NODE_NONE));
	switch (r->phase) {
	case RING_LIST_IDLE:
	case RING_LIST_PASSING:
		assert(!r->has_decided);
		break;
	case RING_LIST_ELECTING:
		assert(r->is_listed);
		break;
	case RING_LIST_TELLING:
		assert(r->is_listed);
		assert(r->has_decided);
		break;
	case RING_LIST_DONE:
		assert(r->has_decided);
		break;
	}
	/* A listed node never takes a worse rank than its own for the best. */
	if (r->is_listed)
		assert(!rank_better(self, &r->best, r->view->prefer));
	else
		assert(r->best.id != self->id);
	if (r->phase != RING_LIST_IDLE && !r->is_listed)
		assert(r->view->choices->starters_only);
}

const struct algorithm algorithm_ring_list = {
	.name = "ring-list",
	.summary = "a list of the living goes round a ring (Tanenbaum)",
	.topology = TOPOLOGY_RING,
	.kinds = {
		[RING_LIST_ELECTION] = "ELECTION",
		[RING_LIST_COORDINATOR] = "COORDINATOR",
	},
	.choices = CHOICE_JOIN,
	.has_lists = true,
	.size = ring_list_size,
	.init = ring_list_init,
	.step = ring_list_step,
	.phase = ring_list_phase,
	.check = ring_list_check,
};
