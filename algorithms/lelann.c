/* SPDX-License-Identifier: ISC */
/*
 * LeLann's ring. G. Le Lann, "Distributed systems: towards a formal
 * approach", IFIP Congress 1977, pages 155-160; in the form in which every
 * CANDIDATE gathers a list of the candidates it passes. The exact rules are in
 * algorithms/README.md, "lelann".
 *
 * Model: a ring used in one direction; reliable FIFO links.
 *
 * Messages, all to the right
 *   CANDIDATE(origin, list, rank)  goes round and back to its origin; each
 *                                  candidate appends itself to the list, and
 *                                  `rank` is the best of all passed
 *   LEADER(origin, rank)           from the winner, round and back to it
 *
 *   IDLE --start, or with join the first CANDIDATE: own CANDIDATE--> WAITING
 *   IDLE --CANDIDATE, without join--> PASSING
 *   WAITING --own CANDIDATE, no better one: LEADER--> DECIDED
 *   WAITING --own CANDIDATE, a better one--> LOST
 *   PASSING, WAITING, LOST --LEADER of the best: pass it on--> DECIDED
 *
 * m candidates among n nodes cost m n CANDIDATE and n LEADER, in any order of
 * delivery; with join m = n. Alone, a node decides without a message.
 *
 * Every origin learns the best of all candidates. Only its origin takes a
 * CANDIDATE from the ring, so each passes every node once. A starter has
 * started before any message reached it. With join, a node that the first
 * CANDIDATE reaches sends its own. So each candidate is one already when any
 * CANDIDATE passes it, and is counted in all of them. Hence exactly one origin
 * finds that it is the best.
 *
 * LEADER finds every node ready. The winner sends it when its CANDIDATE has
 * been everywhere. By then no node is IDLE, and each has seen the winner's
 * rank, the best there is. No honest node sends another LEADER. A node sends
 * its own CANDIDATE before it passes the first one on, and none overtakes
 * another; so each is back at its origin before LEADER comes. (If links did
 * not keep order, a node would pass on a CANDIDATE also after LEADER.)
 *
 * Departures
 *   A node that is not eligible takes part, so that the election ends. It sends
 *   its CANDIDATE, and its rank counts for the best, below all that are
 *   eligible. But it appears in no list but its own.
 *   A list longer than LIST_MAX is not carried. The decision is made by `rank`,
 *   the best so far; the list is for readers of traces.
 *   A CANDIDATE counts its links. If its origin is no node of this ring, it
 *   would go round for ever: the caller drops it (election.c).
 */
#include "algorithms/registry.h"

enum lelann_kind {
	LELANN_CANDIDATE,
	LELANN_LEADER,
};

enum lelann_phase {
	LELANN_IDLE,
	LELANN_PASSING,
	LELANN_WAITING,
	LELANN_LOST,
	LELANN_DECIDED,
};

struct lelann {
	const struct view *view;
	enum lelann_phase phase;
	bool is_candidate; /* has sent its own CANDIDATE, or is alone */
	struct rank best;  /* best of all candidates seen; DECIDED: the
			    * winner */
};

static size_t
lelann_size(const struct view *view)
{
	(void)view;
	return sizeof(struct lelann);
}

static void
lelann_init(void *state, const struct view *view)
{
	struct lelann *l = state;

	assert(view->self.id != NODE_NONE);
	assert(view->links_count == 0 || view->links_count == RING_LINKS);
	l->view = view;
	l->phase = LELANN_IDLE;
	l->is_candidate = false;
	l->best.id = NODE_NONE;
}

static void
lelann_become(struct lelann *l, enum lelann_phase phase)
{
	/* Phases only go forward: no node is IDLE or undecided again. */
	assert(phase > l->phase);
	l->phase = phase;
}

static void
lelann_learn(struct lelann *l, const struct rank *rank)
{
	if (l->best.id != NODE_NONE &&
	    !rank_better(rank, &l->best, l->view->prefer))
		return;
	l->best = *rank;
}

static void
lelann_decide(struct lelann *l, struct outbox *out)
{
	lelann_become(l, LELANN_DECIDED);
	outbox_decide(out, &l->best);
}

/* "Each starter sends a message of candidacy along the ring." */
static void
lelann_start(struct lelann *l, struct outbox *out)
{
	const struct rank *self = &l->view->self;
	struct message m = {
		.kind = LELANN_CANDIDATE,
		.rank = *self,
		.origin = self->id,
		.distance = 1,
	};

	if (l->phase != LELANN_IDLE)
		return;
	l->is_candidate = true;
	lelann_learn(l, self);
	if (l->view->links_count == 0) {
		lelann_decide(l, out);
		return;
	}
	lelann_become(l, LELANN_WAITING);
	message_list(&m, self->id);
	outbox_send(out, RING_RIGHT, &m);
}

/* "A process that receives one passes it on; if it is a starter, it appends
 * its own." */
static void
lelann_pass(struct lelann *l, const struct message *m, struct outbox *out)
{
	const struct rank *self = &l->view->self;
	struct message on = *m;

	on.distance++;
	if (l->is_candidate && self->is_eligible)
		message_list(&on, self->id);
	if (l->is_candidate && rank_better(self, &m->rank, l->view->prefer))
		on.rank = *self;
	lelann_learn(l, &on.rank);
	outbox_send(out, RING_RIGHT, &on);
}

/* "A starter that receives its own chooses the best of the list. If that is
 * itself, it announces it to all." */
static void
lelann_on_own(struct lelann *l, const struct message *m, struct outbox *out)
{
	const struct rank *self = &l->view->self;
	struct message leader = {
		.kind = LELANN_LEADER, .rank = *self, .origin = self->id
	};

	if (l->phase != LELANN_WAITING)
		return;
	if (rank_better(&l->best, &m->rank, l->view->prefer))
		return; /* its list lacks a candidate that has passed here */
	if (m->rank.id == self->id && !rank_equal(&m->rank, self))
		return;
	lelann_learn(l, &m->rank);
	if (l->best.id != self->id) {
		lelann_become(l, LELANN_LOST);
		return;
	}
	lelann_decide(l, out);
	outbox_send(out, RING_RIGHT, &leader);
}

static void
lelann_on_candidate(
    struct lelann *l, const struct message *m, struct outbox *out)
{
	const struct view *view = l->view;

	if (m->list_count == 0)
		return; /* an honest list has its origin at least */
	if (m->origin == view->self.id) {
		lelann_on_own(l, m, out);
		return;
	}
	if (message_lists(m, view->self.id) || m->rank.id == view->self.id)
		return; /* the message has been here before */
	if (l->phase == LELANN_DECIDED &&
	    rank_better(&m->rank, &l->best, view->prefer))
		return; /* the best of its list would have won */
	if (l->phase == LELANN_IDLE && view->choices->starters_only)
		lelann_become(l, LELANN_PASSING);
	lelann_start(l, out);
	lelann_pass(l, m, out);
}

/* Rule 4. */
static void
lelann_on_leader(struct lelann *l, const struct message *m, struct outbox *out)
{
	if (m->origin != m->rank.id || m->origin == l->view->self.id)
		return; /* our own, come round, or one no winner sends */
	if (l->phase == LELANN_IDLE || l->phase == LELANN_DECIDED)
		return;
	if (!rank_equal(&m->rank, &l->best))
		return;
	lelann_decide(l, out);
	outbox_send(out, RING_RIGHT, m);
}

static void
lelann_on_message(struct lelann *l, unsigned link, const struct message *m,
    struct outbox *out)
{
	if (link != RING_LEFT)
		return;
	if (m->rank.id == NODE_NONE || m->origin == NODE_NONE)
		return;
	switch (m->kind) {
	case LELANN_CANDIDATE:
		lelann_on_candidate(l, m, out);
		break;
	case LELANN_LEADER:
		lelann_on_leader(l, m, out);
		break;
	}
}

static void
lelann_step(void *state, const struct input *in, struct outbox *out)
{
	struct lelann *l = state;

	switch (in->kind) {
	case INPUT_START:
		lelann_start(l, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < l->view->links_count);
		lelann_on_message(l, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
lelann_phase(const void *state)
{
	static const char *const names[] = {
		[LELANN_IDLE] = "idle",
		[LELANN_PASSING] = "passing",
		[LELANN_WAITING] = "waiting",
		[LELANN_LOST] = "lost",
		[LELANN_DECIDED] = "decided",
	};
	const struct lelann *l = state;

	return names[l->phase];
}

static void
lelann_check(const void *state)
{
	const struct lelann *l = state;
	const struct rank *self = &l->view->self;

	assert(l->phase <= LELANN_DECIDED);
	assert((l->phase == LELANN_IDLE) == (l->best.id == NODE_NONE));
	if (l->phase == LELANN_PASSING)
		assert(l->view->choices->starters_only);
	if (l->phase == LELANN_WAITING || l->phase == LELANN_LOST)
		assert(l->is_candidate);
	if (l->phase == LELANN_LOST)
		assert(l->best.id != self->id);
	/* A candidate never takes a worse rank than its own for the best. */
	if (l->is_candidate)
		assert(!rank_better(self, &l->best, l->view->prefer));
	else
		assert(l->best.id != self->id);
	if (!l->is_candidate && l->phase != LELANN_IDLE)
		assert(l->view->choices->starters_only);
}

const struct algorithm algorithm_lelann = {
	.name = "lelann",
	.summary = "every candidate's list goes round a ring (Le Lann 1977)",
	.topology = TOPOLOGY_RING,
	.kinds = {
		[LELANN_CANDIDATE] = "CANDIDATE",
		[LELANN_LEADER] = "LEADER",
	},
	.choices = CHOICE_JOIN,
	.has_lists = true,
	.size = lelann_size,
	.init = lelann_init,
	.step = lelann_step,
	.phase = lelann_phase,
	.check = lelann_check,
};
