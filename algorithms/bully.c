/* SPDX-License-Identifier: ISC */
/*
 * The bully algorithm. H. Garcia-Molina, "Elections in a distributed
 * computing system", IEEE Transactions on Computers C-31(1), 1982, section
 * III; in the form that textbooks give it (ELECTION / OK / COORDINATOR). The
 * exact rules are in algorithms/README.md, "bully".
 *
 * Model: complete graph; reliable FIFO links; processes fail by stopping.
 *
 * Messages; each carries the sender's rank
 *   ELECTION     to every better node: I hold an election
 *   OK           from a better node: I am alive and take over
 *   COORDINATOR  from the winner to all
 *
 *   IDLE --start, or ELECTION from a worse node--> ASKING
 *   ASKING --nobody is better: COORDINATOR to all--> DECIDED
 *   ASKING --OK--> WAITING
 *   any --COORDINATOR of a better node--> DECIDED
 *   any --COORDINATOR of a worse node, not started yet--> ASKING
 *
 * A single worst starter among n costs n(n-1)/2 ELECTION, as many OK, and
 * n-1 COORDINATOR: n^2 - 1. The best as starter costs n-1.
 *
 * Departures
 *   No timer. The paper waits for OK, and for COORDINATOR, at most a time T.
 *   Here a link of the view delivers, or goes down. When it goes down, the
 *   caller begins a new instance without it (election.h), so nobody waits for
 *   a dead node. The caller also begins again when an election takes too long.
 *   A node starts at its first ELECTION even if COORDINATOR has come: the two
 *   travel on different links, and the count must not depend on their order.
 */
#include "algorithms/registry.h"

enum bully_kind {
	BULLY_ELECTION,
	BULLY_OK,
	BULLY_COORDINATOR,
};

enum bully_phase {
	BULLY_IDLE,
	BULLY_ASKING,
	BULLY_WAITING,
	BULLY_DECIDED,
};

struct bully {
	const struct view *view;
	enum bully_phase phase;
	bool has_started;   /* has asked the better nodes, or found none */
	struct rank winner; /* DECIDED: the leader */
};

static size_t
bully_size(const struct view *view)
{
	(void)view;
	return sizeof(struct bully);
}

static void
bully_init(void *state, const struct view *view)
{
	struct bully *b = state;

	assert(view->self.id != NODE_NONE);
	*b = (struct bully){ .view = view };
}

static void
bully_become(struct bully *b, enum bully_phase phase)
{
	/* No phase follows DECIDED. */
	assert(b->phase != BULLY_DECIDED || phase == BULLY_DECIDED);
	b->phase = phase;
}

static void
bully_send(const struct bully *b, unsigned link, enum bully_kind kind,
    struct outbox *out)
{
	struct message m = { .kind = (uint8_t)kind, .rank = b->view->self };

	outbox_send(out, link, &m);
}

static void
bully_decide(struct bully *b, const struct rank *winner, struct outbox *out)
{
	b->winner = *winner;
	bully_become(b, BULLY_DECIDED);
	outbox_decide(out, winner);
}

/* "P sends ELECTION to all processes with higher numbers. If no one responds,
 * P wins the election and becomes coordinator." */
static void
bully_start(struct bully *b, struct outbox *out)
{
	const struct view *view = b->view;
	bool is_best = true;

	if (b->has_started)
		return;
	b->has_started = true;
	for (unsigned i = 0; i < view->links_count; i++) {
		if (!rank_better(
			&view->links[i].rank, &view->self, view->prefer))
			continue;
		is_best = false;
		bully_send(b, i, BULLY_ELECTION, out);
	}
	if (b->phase == BULLY_DECIDED)
		return;
	if (!is_best) {
		bully_become(b, BULLY_ASKING);
		return;
	}
	for (unsigned i = 0; i < view->links_count; i++)
		bully_send(b, i, BULLY_COORDINATOR, out);
	bully_decide(b, &view->self, out);
}

/* "When a process gets an ELECTION message from one of its lower-numbered
 * colleagues, it sends an OK back, and holds an election unless it is already
 * holding one." */
static void
bully_on_election(
    struct bully *b, unsigned link, const struct message *m, struct outbox *out)
{
	if (!rank_better(&b->view->self, &m->rank, b->view->prefer))
		return; /* the sender's view of our rank is out of date */
	bully_send(b, link, BULLY_OK, out);
	bully_start(b, out);
}

/* "If one of the higher-ups answers, it takes over. P's job is done." */
static void
bully_on_ok(struct bully *b)
{
	if (b->phase == BULLY_ASKING)
		bully_become(b, BULLY_WAITING);
}

/* The sender is better: rule 4. It is worse: rule 5, "the biggest guy in town
 * always wins". */
static void
bully_on_coordinator(
    struct bully *b, const struct message *m, struct outbox *out)
{
	const struct view *view = b->view;

	if (rank_better(&view->self, &m->rank, view->prefer)) {
		bully_start(b, out);
		return;
	}
	if (b->phase == BULLY_DECIDED &&
	    !rank_better(&m->rank, &b->winner, view->prefer))
		return;
	bully_decide(b, &m->rank, out);
}

static void
bully_on_message(
    struct bully *b, unsigned link, const struct message *m, struct outbox *out)
{
	if (m->rank.id == NODE_NONE || m->rank.id == b->view->self.id)
		return;
	switch (m->kind) {
	case BULLY_ELECTION:
		bully_on_election(b, link, m, out);
		break;
	case BULLY_OK:
		bully_on_ok(b);
		break;
	case BULLY_COORDINATOR:
		bully_on_coordinator(b, m, out);
		break;
	}
}

static void
bully_step(void *state, const struct input *in, struct outbox *out)
{
	struct bully *b = state;

	switch (in->kind) {
	case INPUT_START:
		bully_start(b, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < b->view->links_count);
		bully_on_message(b, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
bully_phase(const void *state)
{
	static const char *const names[] = {
		[BULLY_IDLE] = "idle",
		[BULLY_ASKING] = "asking",
		[BULLY_WAITING] = "waiting",
		[BULLY_DECIDED] = "decided",
	};
	const struct bully *b = state;

	return names[b->phase];
}

static void
bully_check(const void *state)
{
	const struct bully *b = state;
	const struct rank *self = &b->view->self;

	assert(b->phase <= BULLY_DECIDED);
	if (b->phase == BULLY_ASKING || b->phase == BULLY_WAITING)
		assert(b->has_started);
	if (b->phase != BULLY_DECIDED)
		return;
	assert(b->winner.id != NODE_NONE);
	/* A node never accepts a leader that is worse than itself. */
	assert(!rank_better(self, &b->winner, b->view->prefer));
	if (b->winner.id == self->id)
		assert(b->has_started);
}

const struct algorithm algorithm_bully = {
	.name = "bully",
	.summary = "the best node alive tells all (Garcia-Molina 1982)",
	.topology = TOPOLOGY_FULL,
	.kinds = {
		[BULLY_ELECTION] = "ELECTION",
		[BULLY_OK] = "OK",
		[BULLY_COORDINATOR] = "COORDINATOR",
	},
	.size = bully_size,
	.init = bully_init,
	.step = bully_step,
	.phase = bully_phase,
	.check = bully_check,
};
