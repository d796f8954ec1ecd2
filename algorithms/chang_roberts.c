/* SPDX-License-Identifier: ISC */
/*
 * Chang and Roberts' ring. E. Chang, R. Roberts, "An improved algorithm for
 * decentralized extrema-finding in circular configurations of processes",
 * Communications of the ACM 22(5), 1979; with the announcement and the two
 * variants that textbooks add. The exact rules are in algorithms/README.md,
 * "chang-roberts".
 *
 * Model: a ring; reliable FIFO links.
 *
 * Messages
 *   ELECTION(rank)  from a candidate; a node passes it on if it has sent no
 *                   rank as good, and swallows it otherwise
 *   LEADER(rank)    from the winner to the right, round and back to it
 * Both carry the id of that rank as origin, too.
 *
 *   IDLE --start: own ELECTION--> CANDIDATE
 *   IDLE --worse ELECTION, with join: swallow it, own ELECTION--> CANDIDATE
 *   IDLE --better ELECTION, or without join any: pass it on--> PASSIVE
 *   CANDIDATE --better ELECTION: pass it on--> PASSIVE
 *   CANDIDATE --own ELECTION: LEADER--> DECIDED
 *   PASSIVE --LEADER of the best: pass it on--> DECIDED
 *
 * Variants
 *   standard       ELECTION goes to the right.
 *   bidirectional  A candidate draws the direction of its rank from the view's
 *                  seed, and the rank keeps it. A node remembers the best rank
 *                  of both sides.
 *   replace        A node that has not sent its own rank yet does not swallow
 *                  a worse rank but sends its own in its place. This takes the
 *                  same messages as standard.
 *
 * All n start: 2n - 1 ELECTION if ranks get better to the right, n(n+1)/2 if
 * they get worse, n Hn on average (1 + 1/2 + ... + 1/n = Hn); and n LEADER. One
 * starter without join: n and n.
 *
 * The best candidate's ELECTION comes back, whatever comes from either side.
 * No node has sent as good a rank before it arrives, since each rank travels
 * once and one way; so every node passes it on. No other ELECTION comes back:
 * it would have to pass the best candidate. That one has sent its own, better
 * rank already, or it sleeps, wakes and swallows the other. With join, some
 * rank does wake the best node: all other nodes pass on the best of the ranks
 * sent while it sleeps, until it gets there. Each origin sends one ELECTION, so
 * there are never two of one origin in opposite directions.
 *
 * The winner sends LEADER when its ELECTION has been everywhere. By then every
 * other node is PASSIVE, and the best rank it has sent is the winner's. No
 * honest node sends another LEADER.
 *
 * Departures
 *   Without join, the textbooks let a node that did not start pass on
 *   everything. Here it too swallows a rank that is no better than one it has
 *   passed on. On a FIFO ring in one direction that never happens, since ranks
 *   reach it in rising order: a candidate sends its own rank before it passes
 *   on a better one, and passes on no worse one after that. In two directions
 *   it saves messages.
 *   Without join, `replace` replaces nothing: only starters can win.
 */
#include "algorithms/registry.h"

#include "common/util/random.h"

enum chang_roberts_kind {
	CHANG_ROBERTS_ELECTION,
	CHANG_ROBERTS_LEADER,
};

enum chang_roberts_variant {
	CHANG_ROBERTS_STANDARD,
	CHANG_ROBERTS_BIDIRECTIONAL,
	CHANG_ROBERTS_REPLACE,
};

enum chang_roberts_phase {
	CHANG_ROBERTS_IDLE,
	CHANG_ROBERTS_CANDIDATE,
	CHANG_ROBERTS_PASSIVE,
	CHANG_ROBERTS_DECIDED,
};

struct chang_roberts {
	const struct view *view;
	enum chang_roberts_phase phase;
	enum ring_link direction; /* the link on which its own rank goes */
	bool has_sent_own;        /* has sent its own rank, or is alone */
	struct rank best;         /* best of all ranks sent; DECIDED: the
				   * winner */
};

static size_t
chang_roberts_size(const struct view *view)
{
	(void)view;
	return sizeof(struct chang_roberts);
}

static void
chang_roberts_init(void *state, const struct view *view)
{
	struct chang_roberts *c = state;
	struct random random;

	assert(view->self.id != NODE_NONE);
	assert(view->links_count == 0 || view->links_count == RING_LINKS);
	assert(view->choices->variant <= CHANG_ROBERTS_REPLACE);
	c->view = view;
	c->phase = CHANG_ROBERTS_IDLE;
	c->direction = RING_RIGHT;
	c->has_sent_own = false;
	c->best.id = NODE_NONE;
	if (view->choices->variant != CHANG_ROBERTS_BIDIRECTIONAL)
		return;
	random_init(&random, view->seed);
	if (random_below(&random, RING_LINKS) == RING_LEFT)
		c->direction = RING_LEFT;
}

static void
chang_roberts_become(struct chang_roberts *c, enum chang_roberts_phase phase)
{
	assert(c->phase != CHANG_ROBERTS_DECIDED);
	assert(phase != CHANG_ROBERTS_IDLE);
	c->phase = phase;
}

static enum ring_link
ring_across(unsigned link)
{
	return link == RING_LEFT ? RING_RIGHT : RING_LEFT;
}

static bool
chang_roberts_is_own(const struct chang_roberts *c, const struct rank *rank)
{
	return rank->id == c->view->self.id;
}

/* True if the rank is better than all this node has sent: then it is the best
 * now. */
static bool
chang_roberts_improve(struct chang_roberts *c, const struct rank *rank)
{
	if (c->best.id != NODE_NONE &&
	    !rank_better(rank, &c->best, c->view->prefer))
		return false;
	c->best = *rank;
	return true;
}

static void
chang_roberts_send(unsigned link, enum chang_roberts_kind kind,
    const struct rank *rank, struct outbox *out)
{
	struct message m = {
		.kind = (uint8_t)kind, .rank = *rank, .origin = rank->id
	};

	outbox_send(out, link, &m);
}

static void
chang_roberts_decide(struct chang_roberts *c, struct outbox *out)
{
	chang_roberts_become(c, CHANG_ROBERTS_DECIDED);
	outbox_decide(out, &c->best);
}

/* "Each node sends its own id on, and becomes eligible." */
static void
chang_roberts_start(struct chang_roberts *c, struct outbox *out)
{
	const struct rank *self = &c->view->self;

	if (c->phase != CHANG_ROBERTS_IDLE)
		return;
	c->has_sent_own = true;
	chang_roberts_improve(c, self);
	if (c->view->links_count == 0) {
		chang_roberts_decide(c, out);
		return;
	}
	chang_roberts_become(c, CHANG_ROBERTS_CANDIDATE);
	chang_roberts_send(c->direction, CHANG_ROBERTS_ELECTION, self, out);
}

/* "If i > own id, it sends i on, and is eligible no longer. If i < own id, it
 * ignores the message." */
static void
chang_roberts_pass(struct chang_roberts *c, unsigned link,
    const struct rank *rank, struct outbox *out)
{
	if (!chang_roberts_improve(c, rank))
		return;
	chang_roberts_become(c, CHANG_ROBERTS_PASSIVE);
	chang_roberts_send(
	    ring_across(link), CHANG_ROBERTS_ELECTION, rank, out);
}

/* "It sends on the greater of the id received and its own", but nothing if it
 * has sent one as good before. */
static void
chang_roberts_replace(struct chang_roberts *c, unsigned link,
    const struct rank *rank, struct outbox *out)
{
	const struct rank *self = &c->view->self;
	bool is_own = !c->view->choices->starters_only &&
		      rank_better(self, rank, c->view->prefer);
	const struct rank *result = is_own ? self : rank;

	if (!chang_roberts_improve(c, result))
		return;
	c->has_sent_own |= is_own;
	chang_roberts_become(
	    c, is_own ? CHANG_ROBERTS_CANDIDATE : CHANG_ROBERTS_PASSIVE);
	chang_roberts_send(
	    ring_across(link), CHANG_ROBERTS_ELECTION, result, out);
}

/* "If i is its own id and it is eligible, it has been elected. Else it ignores
 * the message." */
static void
chang_roberts_on_own(struct chang_roberts *c, unsigned link,
    const struct rank *rank, struct outbox *out)
{
	if (c->phase != CHANG_ROBERTS_CANDIDATE)
		return;
	if (link == c->direction || !rank_equal(rank, &c->view->self))
		return;
	chang_roberts_decide(c, out);
	chang_roberts_send(RING_RIGHT, CHANG_ROBERTS_LEADER, rank, out);
}

static void
chang_roberts_on_election(struct chang_roberts *c, unsigned link,
    const struct rank *rank, struct outbox *out)
{
	const struct view *view = c->view;
	uint8_t variant = view->choices->variant;

	if (link == RING_RIGHT && variant != CHANG_ROBERTS_BIDIRECTIONAL)
		return;
	if (c->phase == CHANG_ROBERTS_DECIDED)
		return; /* the winner is the best: no better rank can come */
	if (chang_roberts_is_own(c, rank)) {
		chang_roberts_on_own(c, link, rank, out);
		return;
	}
	if (variant == CHANG_ROBERTS_REPLACE) {
		chang_roberts_replace(c, link, rank, out);
		return;
	}
	if (c->phase == CHANG_ROBERTS_IDLE && !view->choices->starters_only &&
	    rank_better(&view->self, rank, view->prefer))
		chang_roberts_start(c, out);
	chang_roberts_pass(c, link, rank, out);
}

/* Rule 5. */
static void
chang_roberts_on_leader(struct chang_roberts *c, unsigned link,
    const struct rank *rank, struct outbox *out)
{
	if (link != RING_LEFT || c->phase != CHANG_ROBERTS_PASSIVE)
		return; /* came by the wrong link, or once around */
	if (!rank_equal(rank, &c->best))
		return;
	chang_roberts_decide(c, out);
	chang_roberts_send(RING_RIGHT, CHANG_ROBERTS_LEADER, rank, out);
}

static void
chang_roberts_on_message(struct chang_roberts *c, unsigned link,
    const struct message *m, struct outbox *out)
{
	if (m->rank.id == NODE_NONE || m->origin != m->rank.id)
		return;
	switch (m->kind) {
	case CHANG_ROBERTS_ELECTION:
		chang_roberts_on_election(c, link, &m->rank, out);
		break;
	case CHANG_ROBERTS_LEADER:
		chang_roberts_on_leader(c, link, &m->rank, out);
		break;
	}
}

static void
chang_roberts_step(void *state, const struct input *in, struct outbox *out)
{
	struct chang_roberts *c = state;

	switch (in->kind) {
	case INPUT_START:
		chang_roberts_start(c, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < c->view->links_count);
		chang_roberts_on_message(c, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
chang_roberts_phase(const void *state)
{
	static const char *const names[] = {
		[CHANG_ROBERTS_IDLE] = "idle",
		[CHANG_ROBERTS_CANDIDATE] = "candidate",
		[CHANG_ROBERTS_PASSIVE] = "passive",
		[CHANG_ROBERTS_DECIDED] = "decided",
	};
	const struct chang_roberts *c = state;

	return names[c->phase];
}

static void
chang_roberts_check(const void *state)
{
	const struct chang_roberts *c = state;
	const struct view *view = c->view;
	const struct rank *self = &view->self;

	assert(c->phase <= CHANG_ROBERTS_DECIDED);
	assert(c->direction < RING_LINKS);
	if (view->choices->variant != CHANG_ROBERTS_BIDIRECTIONAL)
		assert(c->direction == RING_RIGHT);
	assert((c->phase == CHANG_ROBERTS_IDLE) == (c->best.id == NODE_NONE));
	if (c->phase == CHANG_ROBERTS_IDLE)
		return;
	if (c->phase == CHANG_ROBERTS_CANDIDATE) {
		assert(c->has_sent_own);
		assert(rank_equal(&c->best, self));
	}
	if (c->phase == CHANG_ROBERTS_PASSIVE)
		assert(c->best.id != self->id);
	if (!c->has_sent_own)
		assert(c->best.id != self->id);
	/* A node that may win never follows a worse one. */
	if (c->has_sent_own || !view->choices->starters_only)
		assert(!rank_better(self, &c->best, view->prefer));
}

const struct algorithm algorithm_chang_roberts = {
	.name = "chang-roberts",
	.summary = "the best candidate's rank comes round a ring (Chang and Roberts 1979)",
	.topology = TOPOLOGY_RING,
	.kinds = {
		[CHANG_ROBERTS_ELECTION] = "ELECTION",
		[CHANG_ROBERTS_LEADER] = "LEADER",
	},
	.choices = CHOICE_JOIN | CHOICE_VARIANT,
	.variants = {
		[CHANG_ROBERTS_STANDARD] = "standard",
		[CHANG_ROBERTS_BIDIRECTIONAL] = "bidirectional",
		[CHANG_ROBERTS_REPLACE] = "replace",
	},
	.size = chang_roberts_size,
	.init = chang_roberts_init,
	.step = chang_roberts_step,
	.phase = chang_roberts_phase,
	.check = chang_roberts_check,
};
