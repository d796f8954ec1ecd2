/* SPDX-License-Identifier: ISC */
/*
 * The bully by silence. After H. Garcia-Molina, "Elections in a distributed
 * computing system", IEEE Transactions on Computers C-31(1), 1982, in the form
 * that lectures give it for networks that multicast: a node that has heard no
 * new candidate for a time takes the best it has heard. The exact rules are in
 * algorithms/README.md, "bully-broadcast".
 *
 * Model: complete graph; synchronous: a message and its answer arrive within
 * the timer; processes fail by stopping.
 *
 * Messages
 *   CANDIDATE(rank)  to all, once: the sender's candidacy
 *
 *   IDLE --start, or CANDIDATE of a worse node: CANDIDATE--> LISTENING
 *   IDLE --CANDIDATE of a better node--> LISTENING
 *   LISTENING --the first CANDIDATE of a worse node: CANDIDATE--> LISTENING
 *   LISTENING --timer: the best heard, ourselves included--> DECIDED
 *   DECIDED --CANDIDATE of a better node than the winner--> DECIDED
 * The timer begins with LISTENING, once.
 *
 * With one starter, it and each better node send their CANDIDATE once: with b
 * better among n, (1 + b)(n-1) messages, in every order of delivery. There is
 * no announcement.
 *
 * Agreement. Let s be the moment when the first CANDIDATE is sent, and T the
 * most that a message takes. That CANDIDATE goes to all. So by s + T the best
 * node has sent its own, in answer to that one or to another, for all others
 * are worse. By s + 2 T the best node's CANDIDATE has come everywhere. A timer
 * runs 2 T, and none begins before s. So each node that decides has heard the
 * best node, and decides for it. All listen by s + T, so the election ends by
 * s + 3 T; by s + 2 T if all start at once.
 *
 * If a message takes longer, a node may decide for one that is not the best.
 * It decides again when a better CANDIDATE comes. So the nodes may differ for
 * a time, and agree once all messages have come.
 *
 * Departures
 *   CANDIDATE is a message to each node. The caller may send all of them as one
 *   datagram.
 *   A CANDIDATE after the decision begins no new election. If it is better,
 *   the node decides again, in the same instance.
 */
#include "algorithms/registry.h"

enum bully_broadcast_kind {
	BULLY_BROADCAST_CANDIDATE,
};

enum bully_broadcast_phase {
	BULLY_BROADCAST_IDLE,
	BULLY_BROADCAST_LISTENING,
	BULLY_BROADCAST_DECIDED,
};

struct bully_broadcast {
	const struct view *view;
	enum bully_broadcast_phase phase;
	uint32_t has_sent; /* a boolean: this node has sent its CANDIDATE */
	struct rank best;  /* best of this node and of all messages; DECIDED:
			    * the winner */
	uint8_t heard[];   /* a boolean for each link: its CANDIDATE has come */
};

static size_t
bully_broadcast_size(const struct view *view)
{
	return sizeof(struct bully_broadcast) + view->links_count;
}

static void
bully_broadcast_init(void *state, const struct view *view)
{
	struct bully_broadcast *b = state;

	assert(view->self.id != NODE_NONE);
	b->view = view;
	b->phase = BULLY_BROADCAST_IDLE;
	b->has_sent = false;
	b->best = view->self;
	for (size_t i = 0; i < view->links_count; i++)
		b->heard[i] = false;
}

static void
bully_broadcast_become(
    struct bully_broadcast *b, enum bully_broadcast_phase phase)
{
	assert(phase >= b->phase);
	b->phase = phase;
}

static void
bully_broadcast_decide(struct bully_broadcast *b, struct outbox *out)
{
	bully_broadcast_become(b, BULLY_BROADCAST_DECIDED);
	outbox_decide(out, &b->best);
}

static void
bully_broadcast_listen(struct bully_broadcast *b, struct outbox *out)
{
	bully_broadcast_become(b, BULLY_BROADCAST_LISTENING);
	outbox_arm(out);
}

/* "A process that believes the leader has failed multicasts a candidacy." */
static void
bully_broadcast_send(struct bully_broadcast *b, struct outbox *out)
{
	struct message m = {
		.kind = BULLY_BROADCAST_CANDIDATE,
		.rank = b->view->self,
	};

	if (b->has_sent)
		return;
	b->has_sent = true;
	for (unsigned i = 0; i < b->view->links_count; i++)
		outbox_send(out, i, &m);
}

static void
bully_broadcast_start(struct bully_broadcast *b, struct outbox *out)
{
	if (b->phase != BULLY_BROADCAST_IDLE)
		return;
	bully_broadcast_send(b, out);
	if (b->view->links_count == 0)
		bully_broadcast_decide(b, out);
	else
		bully_broadcast_listen(b, out);
}

/* "Every process that receives the candidacy of a lower id than its own
 * multicasts a candidacy of its own." */
static void
bully_broadcast_on_candidate(struct bully_broadcast *b, unsigned link,
    const struct rank *rank, struct outbox *out)
{
	enum prefer prefer = b->view->prefer;
	bool is_news = rank_better(rank, &b->best, prefer);

	if (rank->id == NODE_NONE || rank->id != b->view->links[link].rank.id ||
	    b->heard[link])
		return;
	b->heard[link] = true;
	if (is_news)
		b->best = *rank;
	if (rank_better(&b->view->self, rank, prefer))
		bully_broadcast_send(b, out);
	if (b->phase == BULLY_BROADCAST_IDLE)
		bully_broadcast_listen(b, out);
	else if (b->phase == BULLY_BROADCAST_DECIDED && is_news)
		bully_broadcast_decide(b, out);
}

/* "If a process receives no new candidacy within a certain time, it takes as
 * leader the process with the highest id." */
static void
bully_broadcast_on_timer(struct bully_broadcast *b, struct outbox *out)
{
	if (b->phase == BULLY_BROADCAST_LISTENING)
		bully_broadcast_decide(b, out);
}

static void
bully_broadcast_on_message(struct bully_broadcast *b, unsigned link,
    const struct message *m, struct outbox *out)
{
	switch (m->kind) {
	case BULLY_BROADCAST_CANDIDATE:
		bully_broadcast_on_candidate(b, link, &m->rank, out);
		break;
	}
}

static void
bully_broadcast_step(void *state, const struct input *in, struct outbox *out)
{
	struct bully_broadcast *b = state;

	switch (in->kind) {
	case INPUT_START:
		bully_broadcast_start(b, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < b->view->links_count);
		bully_broadcast_on_message(b, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		bully_broadcast_on_timer(b, out);
		break;
	}
}

static const char *
bully_broadcast_phase(const void *state)
{
	static const char *const names[] = {
		[BULLY_BROADCAST_IDLE] = "idle",
		[BULLY_BROADCAST_LISTENING] = "listening",
		[BULLY_BROADCAST_DECIDED] = "decided",
	};
	const struct bully_broadcast *b = state;

	return names[b->phase];
}

static void
bully_broadcast_check(const void *state)
{
	const struct bully_broadcast *b = state;
	bool is_own = b->best.id == b->view->self.id;
	bool is_idle = b->phase == BULLY_BROADCAST_IDLE;
	bool has_heard = false;
	bool has_heard_best = false;

	assert(b->phase <= BULLY_BROADCAST_DECIDED);
	assert(b->has_sent <= 1);
	assert(!rank_better(&b->view->self, &b->best, b->view->prefer));
	for (size_t i = 0; i < b->view->links_count; i++) {
		assert(b->heard[i] <= 1);
		has_heard |= b->heard[i];
		has_heard_best |=
		    b->heard[i] && b->view->links[i].rank.id == b->best.id;
	}
	/* The best is this node, or one that has sent its CANDIDATE. */
	assert(is_own != has_heard_best);
	assert(is_idle == (!has_heard && !b->has_sent));
	if (is_own && !is_idle)
		assert(b->has_sent);
}

const struct algorithm algorithm_bully_broadcast = {
	.name = "bully-broadcast",
	.summary = "the best candidate heard before silence (Garcia-Molina)",
	.topology = TOPOLOGY_FULL,
	.kinds = { [BULLY_BROADCAST_CANDIDATE] = "CANDIDATE" },
	.size = bully_broadcast_size,
	.init = bully_broadcast_init,
	.step = bully_broadcast_step,
	.phase = bully_broadcast_phase,
	.check = bully_broadcast_check,
};
