/* SPDX-License-Identifier: ISC */
/*
 * FloodMax. N. A. Lynch, "Distributed Algorithms", 1996, section 4.1; its
 * synchronous rounds are made by waiting, as in B. Awerbuch, "Complexity of
 * network synchronization", Journal of the ACM 32(4), 1985. The exact rules are
 * in algorithms/README.md, "floodmax".
 *
 * Model: connected graph; every node knows the same bound D on its diameter;
 * reliable FIFO links.
 *
 * Messages
 *   MAX(best, round)  once a round, 1 to D, each way on each link
 *
 *   ASLEEP --start, or MAX: MAX of round 1 on all links--> FLOODING
 *   FLOODING --MAX of this round on all links: MAX of the next--> FLOODING
 *   FLOODING --MAX of round D on all links--> DECIDED
 *
 * E links carry 2 E D messages, for any starters and in every order of
 * delivery. If each message takes one unit, the time is D if all start, and
 * 2 D at most if not.
 *
 * After r rounds a node knows the best of all nodes within r links, and after
 * D rounds the best of all. The rank in a message depends on its round alone,
 * not on the order of delivery: a node keeps apart what comes for the next
 * round.
 *
 * A neighbour is one round ahead at most. For its message of round r + 2 it
 * needs ours of round r + 1. So while we are in round r, its latest message is
 * of round r + 1, and it is enough to count, for each link, the messages of
 * this round and the next.
 *
 * Departures
 *   A leaf that the first MAX has woken sends two messages in that step, its
 *   own of round 1 and of round 2: with one neighbour, round 1 is over.
 */
#include "algorithms/registry.h"

enum floodmax_kind {
	FLOODMAX_MAX,
};

enum floodmax_phase {
	FLOODMAX_ASLEEP,
	FLOODMAX_FLOODING,
	FLOODMAX_DECIDED,
};

/* heard[] of a link that has sent for this round and for the next. */
#define FLOODMAX_AHEAD 2

struct floodmax {
	const struct view *view;
	enum floodmax_phase phase;
	uint32_t round;    /* the one we are in; 0: ASLEEP */
	uint32_t awaited;  /* how many links owe a message of this round */
	struct rank best;  /* best that we sent in this round; DECIDED: the
			    * winner */
	struct rank next;  /* the best of that and this round's messages */
	struct rank after; /* the best of next round's messages, or NODE_NONE */
	uint8_t heard[];   /* messages of this round and the next, by link */
};

static size_t
floodmax_size(const struct view *view)
{
	return sizeof(struct floodmax) + view->links_count;
}

static void
floodmax_init(void *state, const struct view *view)
{
	struct floodmax *f = state;

	assert(view->self.id != NODE_NONE);
	assert(view->links_count == 0 || view->choices->diameter > 0);
	f->view = view;
	f->phase = FLOODMAX_ASLEEP;
	f->round = 0;
	f->awaited = 0;
	f->best = view->self;
	f->next = view->self;
	f->after.id = NODE_NONE;
	for (size_t i = 0; i < view->links_count; i++)
		f->heard[i] = 0;
}

static void
floodmax_become(struct floodmax *f, enum floodmax_phase phase)
{
	assert(phase > f->phase);
	f->phase = phase;
}

static void
floodmax_learn(
    const struct floodmax *f, struct rank *known, const struct rank *rank)
{
	if (known->id == NODE_NONE || rank_better(rank, known, f->view->prefer))
		*known = *rank;
}

/* Begins a round: "at every round, each process propagates the maximum UID it
 * has seen on each of its outgoing edges". */
static void
floodmax_send(struct floodmax *f, struct outbox *out)
{
	struct message m = { .kind = FLOODMAX_MAX, .rank = f->best };

	m.phase = ++f->round;
	f->awaited = 0;
	for (unsigned i = 0; i < f->view->links_count; i++) {
		if (f->heard[i] > 0)
			f->heard[i]--;
		f->awaited += f->heard[i] == 0;
		outbox_send(out, i, &m);
	}
	assert(f->awaited > 0);
}

static void
floodmax_decide(struct floodmax *f, struct outbox *out)
{
	floodmax_become(f, FLOODMAX_DECIDED);
	outbox_decide(out, &f->best);
}

/* "After diam rounds, if the maximum value seen is the process's own UID, the
 * process elects itself the leader; otherwise, it is a non-leader." */
static void
floodmax_end_round(struct floodmax *f, struct outbox *out)
{
	assert(f->awaited == 0);
	f->best = f->next;
	if (f->round == f->view->choices->diameter) {
		floodmax_decide(f, out);
		return;
	}
	if (f->after.id != NODE_NONE)
		floodmax_learn(f, &f->next, &f->after);
	f->after = (struct rank){ .id = NODE_NONE };
	floodmax_send(f, out);
}

static void
floodmax_start(struct floodmax *f, struct outbox *out)
{
	if (f->phase != FLOODMAX_ASLEEP)
		return;
	if (f->view->links_count == 0) {
		floodmax_decide(f, out);
		return;
	}
	floodmax_become(f, FLOODMAX_FLOODING);
	floodmax_send(f, out);
}

/* True if the message is of the round that this link has to send next, and if
 * it names our own rank, names it rightly. */
static bool
floodmax_makes_sense(
    const struct floodmax *f, unsigned link, const struct message *m)
{
	const struct rank *self = &f->view->self;
	uint32_t round = f->round == 0 ? 1 : f->round;

	if (f->phase == FLOODMAX_DECIDED || m->rank.id == NODE_NONE)
		return false;
	if (m->rank.id == self->id && !rank_equal(&m->rank, self))
		return false;
	return f->heard[link] < FLOODMAX_AHEAD &&
	       m->phase == round + f->heard[link] &&
	       m->phase <= f->view->choices->diameter;
}

/* Rules 2 and 3. */
static void
floodmax_on_max(struct floodmax *f, unsigned link, const struct message *m,
    struct outbox *out)
{
	if (!floodmax_makes_sense(f, link, m))
		return;
	floodmax_start(f, out);
	f->heard[link]++;
	if (f->heard[link] == FLOODMAX_AHEAD) {
		floodmax_learn(f, &f->after, &m->rank);
		return;
	}
	floodmax_learn(f, &f->next, &m->rank);
	f->awaited--;
	if (f->awaited == 0)
		floodmax_end_round(f, out);
}

static void
floodmax_on_message(struct floodmax *f, unsigned link, const struct message *m,
    struct outbox *out)
{
	switch (m->kind) {
	case FLOODMAX_MAX:
		floodmax_on_max(f, link, m, out);
		break;
	}
}

static void
floodmax_step(void *state, const struct input *in, struct outbox *out)
{
	struct floodmax *f = state;

	switch (in->kind) {
	case INPUT_START:
		floodmax_start(f, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < f->view->links_count);
		floodmax_on_message(f, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
floodmax_phase(const void *state)
{
	static const char *const names[] = {
		[FLOODMAX_ASLEEP] = "asleep",
		[FLOODMAX_FLOODING] = "flooding",
		[FLOODMAX_DECIDED] = "decided",
	};
	const struct floodmax *f = state;

	return names[f->phase];
}

/* `awaited` and `after` agree with what each link has sent. */
static void
floodmax_check_heard(const struct floodmax *f)
{
	uint32_t awaited = 0;
	bool is_ahead = false;

	for (size_t i = 0; i < f->view->links_count; i++) {
		assert(f->heard[i] <= FLOODMAX_AHEAD);
		awaited += f->heard[i] == 0;
		is_ahead |= f->heard[i] == FLOODMAX_AHEAD;
	}
	assert(is_ahead == (f->after.id != NODE_NONE));
	if (f->phase == FLOODMAX_ASLEEP)
		assert(awaited == f->view->links_count);
	else
		assert(awaited == f->awaited);
	if (is_ahead)
		assert(f->round < f->view->choices->diameter);
}

static void
floodmax_check(const void *state)
{
	const struct floodmax *f = state;
	enum prefer prefer = f->view->prefer;

	assert(f->phase <= FLOODMAX_DECIDED);
	floodmax_check_heard(f);
	assert(!rank_better(&f->view->self, &f->best, prefer));
	assert(!rank_better(&f->best, &f->next, prefer));
	if (f->phase == FLOODMAX_ASLEEP) {
		assert(f->round == 0);
		assert(rank_equal(&f->next, &f->view->self));
	}
	if (f->phase == FLOODMAX_FLOODING) {
		assert(f->round > 0);
		assert(f->round <= f->view->choices->diameter);
		assert(f->awaited > 0);
	}
	if (f->phase == FLOODMAX_DECIDED) {
		assert(f->awaited == 0);
		assert(rank_equal(&f->best, &f->next));
	}
}

const struct algorithm algorithm_floodmax = {
	.name = "floodmax",
	.summary = "everybody's best to all, D times (Lynch 1996)",
	.topology = TOPOLOGY_GRAPH,
	.kinds = { [FLOODMAX_MAX] = "MAX" },
	.choices = CHOICE_DIAMETER,
	.size = floodmax_size,
	.init = floodmax_init,
	.step = floodmax_step,
	.phase = floodmax_phase,
	.check = floodmax_check,
};
