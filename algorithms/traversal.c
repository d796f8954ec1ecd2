/* SPDX-License-Identifier: ISC */
/*
 * Election by a token that walks the graph depth first. The walk: T.-Y.
 * Cheung, "Graph traversal techniques and the maximum flow problem in
 * distributed computation", IEEE Transactions on Software Engineering SE-9(4),
 * 1983; as an election ("sequentielles Traversieren"): R. Kapitza, "Verteilte
 * Systeme", lecture, 2015, chapter 11. The exact rules are in
 * algorithms/README.md, "traversal".
 *
 * Model: connected graph; reliable FIFO links.
 *
 * Messages
 *   TOKEN(origin, best, leg)  origin's token, with the best of all nodes that
 *                             it has passed. `phase` holds the leg: onward;
 *                             back to the parent, as all is done; or straight
 *                             back from a node where it has been before
 *   LEADER(origin, rank)      down the tree that the token has walked
 *
 *   IDLE --start, or TOKEN: pass it to a link not yet used--> WAITING
 *   WAITING --TOKEN comes back: pass it to a link not yet used--> WAITING
 *   WAITING --... but none is left: to the parent--> RETURNED
 *   WAITING --... but none is left, and it is ours: LEADER--> DECIDED
 *   RETURNED --LEADER from the parent: LEADER to the children--> DECIDED
 *   WAITING, RETURNED --TOKEN of a better initiator: as if IDLE--> WAITING
 *
 * One starter: 2 E TOKEN on E links, since each link carries it once each way,
 * out and back, or out and straight back. Any m starters: at most m 2 E. Then
 * n-1 LEADER among n nodes.
 *
 * The token of the best initiator dies nowhere. So it passes all nodes and ends
 * at its initiator. Every other token would have to pass that initiator, which
 * had started its own before any message reached it: there the other dies. So
 * one token ends, it knows the best of all nodes, and every node has joined its
 * tree before LEADER is sent. LEADER finds that tree in each node, and late
 * tokens of others only die. The leg "back" tells a node that its neighbour is
 * its child: the token reached that neighbour there for the first time.
 *
 * Departures
 *   The lecture has one initiator, and no announcement. Here several may start,
 *   and LEADER is added.
 */
#include "algorithms/registry.h"

enum traversal_kind {
	TRAVERSAL_TOKEN,
	TRAVERSAL_LEADER,
};

enum traversal_phase {
	TRAVERSAL_IDLE,
	TRAVERSAL_WAITING,
	TRAVERSAL_RETURNED,
	TRAVERSAL_DECIDED,
};

/* The leg of a token: why it travels this link. */
enum traversal_leg {
	TRAVERSAL_ONWARD,  /* to a node where it may not have been yet */
	TRAVERSAL_BACK,    /* to the parent, done */
	TRAVERSAL_BOUNCED, /* straight back: it has been here before */
};

/* The use of a link by this initiator's token. */
enum traversal_mark {
	TRAVERSAL_UNUSED, /* the token was not sent on this link */
	TRAVERSAL_USED,   /* the token was sent */
	TRAVERSAL_CHILD,  /* the token was sent, and the neighbour is our
			   * child */
};

#define TRAVERSAL_NO_LINK UINT32_MAX /* no index of a link */

struct traversal {
	const struct view *view;
	enum traversal_phase phase;
	node_id initiator;  /* the best whose token has come; IDLE: none */
	uint32_t parent;    /* the link it came by first; none: it is ours */
	uint32_t out_on;    /* WAITING: the link by which it must come back */
	struct rank winner; /* DECIDED: the leader */
	uint8_t marks[];    /* enum traversal_mark, by link */
};

static size_t
traversal_size(const struct view *view)
{
	return sizeof(struct traversal) + view->links_count;
}

/* Takes over an initiator's token, and forgets all links' marks. */
static void
traversal_join(struct traversal *t, node_id initiator, uint32_t parent)
{
	t->initiator = initiator;
	t->parent = parent;
	t->out_on = TRAVERSAL_NO_LINK;
	for (size_t i = 0; i < t->view->links_count; i++)
		t->marks[i] = TRAVERSAL_UNUSED;
}

static void
traversal_init(void *state, const struct view *view)
{
	struct traversal *t = state;

	assert(view->self.id != NODE_NONE);
	t->view = view;
	t->phase = TRAVERSAL_IDLE;
	t->winner.id = NODE_NONE;
	traversal_join(t, NODE_NONE, TRAVERSAL_NO_LINK);
}

static void
traversal_become(struct traversal *t, enum traversal_phase phase)
{
	assert(t->phase != TRAVERSAL_DECIDED);
	assert(phase != TRAVERSAL_IDLE);
	t->phase = phase;
}

/* True if the id is better than our initiator's, or we have none. Initiators
 * are compared by id alone. */
static bool
traversal_outdoes(const struct traversal *t, node_id initiator)
{
	struct rank a = { .id = initiator };
	struct rank b = { .id = t->initiator };

	return t->initiator == NODE_NONE ||
	       rank_better(&a, &b, t->view->prefer);
}

static void
traversal_send(struct traversal *t, unsigned link, enum traversal_leg leg,
    const struct rank *best, struct outbox *out)
{
	struct message m = {
		.kind = TRAVERSAL_TOKEN,
		.origin = t->initiator,
		.rank = *best,
		.phase = leg,
	};

	assert(t->marks[link] == TRAVERSAL_UNUSED);
	t->marks[link] = TRAVERSAL_USED;
	outbox_send(out, link, &m);
}

static void
traversal_decide(
    struct traversal *t, const struct rank *winner, struct outbox *out)
{
	struct message m = {
		.kind = TRAVERSAL_LEADER,
		.origin = t->initiator,
		.rank = *winner,
	};

	t->winner = *winner;
	traversal_become(t, TRAVERSAL_DECIDED);
	outbox_decide(out, winner);
	for (unsigned i = 0; i < t->view->links_count; i++) {
		if (t->marks[i] == TRAVERSAL_CHILD)
			outbox_send(out, i, &m);
	}
}

/* The first unused link but the parent's; the number of links if none is. */
static unsigned
traversal_unused(const struct traversal *t)
{
	unsigned link = 0;

	while (link < t->view->links_count &&
	       (link == t->parent || t->marks[link] != TRAVERSAL_UNUSED))
		link++;
	return link;
}

/* "Pass the token to a neighbour that has not had it yet. If none is known:
 * send the token over the edge it was received on." */
static void
traversal_pass(struct traversal *t, const struct rank *best, struct outbox *out)
{
	unsigned link = traversal_unused(t);

	t->out_on = TRAVERSAL_NO_LINK;
	if (link < t->view->links_count) {
		t->out_on = link;
		traversal_become(t, TRAVERSAL_WAITING);
		traversal_send(t, link, TRAVERSAL_ONWARD, best, out);
	} else if (t->parent != TRAVERSAL_NO_LINK) {
		traversal_become(t, TRAVERSAL_RETURNED);
		traversal_send(t, t->parent, TRAVERSAL_BACK, best, out);
	} else {
		traversal_decide(t, best, out);
	}
}

/* Rule 1. */
static void
traversal_start(struct traversal *t, struct outbox *out)
{
	if (t->phase != TRAVERSAL_IDLE)
		return;
	traversal_join(t, t->view->self.id, TRAVERSAL_NO_LINK);
	traversal_pass(t, &t->view->self, out);
}

/* A token that we have had before. It comes back from where we sent it, or a
 * node below us in its tree has sent it to us by another link. */
static void
traversal_on_known(struct traversal *t, unsigned link, const struct message *m,
    const struct rank *best, struct outbox *out)
{
	bool is_onward = m->phase == TRAVERSAL_ONWARD;

	if (t->phase != TRAVERSAL_WAITING)
		return;
	if (link == t->out_on && !is_onward) {
		if (m->phase == TRAVERSAL_BACK)
			t->marks[link] = TRAVERSAL_CHILD;
		traversal_pass(t, best, out);
	} else if (is_onward && link != t->parent &&
		   t->marks[link] == TRAVERSAL_UNUSED) {
		traversal_send(t, link, TRAVERSAL_BOUNCED, best, out);
	}
}

/* Rule 3. */
static void
traversal_on_token(struct traversal *t, unsigned link, const struct message *m,
    struct outbox *out)
{
	const struct rank *self = &t->view->self;
	const struct rank *best = &m->rank;

	if (rank_better(self, best, t->view->prefer))
		best = self;
	if (m->origin == t->initiator) {
		traversal_on_known(t, link, m, best, out);
	} else if (m->origin != self->id && m->phase == TRAVERSAL_ONWARD &&
		   traversal_outdoes(t, m->origin)) {
		traversal_join(t, m->origin, link);
		traversal_pass(t, best, out);
	}
}

/* Rule 4. */
static void
traversal_on_leader(struct traversal *t, unsigned link, const struct message *m,
    struct outbox *out)
{
	if (t->phase != TRAVERSAL_RETURNED || link != t->parent)
		return;
	if (m->origin != t->initiator ||
	    rank_better(&t->view->self, &m->rank, t->view->prefer))
		return;
	traversal_decide(t, &m->rank, out);
}

static void
traversal_on_message(struct traversal *t, unsigned link,
    const struct message *m, struct outbox *out)
{
	const struct rank *self = &t->view->self;

	if (t->phase == TRAVERSAL_DECIDED)
		return;
	if (m->origin == NODE_NONE || m->rank.id == NODE_NONE)
		return;
	if (m->rank.id == self->id && !rank_equal(&m->rank, self))
		return;
	switch (m->kind) {
	case TRAVERSAL_TOKEN:
		if (m->phase <= TRAVERSAL_BOUNCED)
			traversal_on_token(t, link, m, out);
		break;
	case TRAVERSAL_LEADER:
		traversal_on_leader(t, link, m, out);
		break;
	}
}

static void
traversal_step(void *state, const struct input *in, struct outbox *out)
{
	struct traversal *t = state;

	switch (in->kind) {
	case INPUT_START:
		traversal_start(t, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < t->view->links_count);
		traversal_on_message(t, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
traversal_phase(const void *state)
{
	static const char *const names[] = {
		[TRAVERSAL_IDLE] = "idle",
		[TRAVERSAL_WAITING] = "waiting",
		[TRAVERSAL_RETURNED] = "returned",
		[TRAVERSAL_DECIDED] = "decided",
	};
	const struct traversal *t = state;

	return names[t->phase];
}

static void
traversal_check_marks(const struct traversal *t)
{
	size_t unused = 0;

	for (size_t i = 0; i < t->view->links_count; i++) {
		assert(t->marks[i] <= TRAVERSAL_CHILD);
		unused += t->marks[i] == TRAVERSAL_UNUSED;
		if (i == t->parent)
			assert(t->marks[i] != TRAVERSAL_CHILD);
	}
	if (t->phase == TRAVERSAL_IDLE)
		assert(unused == t->view->links_count);
	if (t->phase == TRAVERSAL_RETURNED || t->phase == TRAVERSAL_DECIDED)
		assert(unused == 0);
	if (t->phase != TRAVERSAL_WAITING) {
		assert(t->out_on == TRAVERSAL_NO_LINK);
		return;
	}
	assert(t->out_on < t->view->links_count);
	assert(t->out_on != t->parent);
	assert(t->marks[t->out_on] == TRAVERSAL_USED);
	if (t->parent != TRAVERSAL_NO_LINK)
		assert(t->marks[t->parent] == TRAVERSAL_UNUSED);
}

static void
traversal_check(const void *state)
{
	const struct traversal *t = state;
	bool is_idle = t->phase == TRAVERSAL_IDLE;
	bool is_root = t->parent == TRAVERSAL_NO_LINK;

	assert(t->phase <= TRAVERSAL_DECIDED);
	assert(is_idle == (t->initiator == NODE_NONE));
	assert(is_root == (is_idle || t->initiator == t->view->self.id));
	assert(is_root || t->parent < t->view->links_count);
	traversal_check_marks(t);
	if (t->phase == TRAVERSAL_RETURNED)
		assert(!is_root);
	if (t->phase != TRAVERSAL_DECIDED) {
		assert(t->winner.id == NODE_NONE);
		return;
	}
	assert(t->winner.id != NODE_NONE);
	assert(!rank_better(&t->view->self, &t->winner, t->view->prefer));
}

const struct algorithm algorithm_traversal = {
	.name = "traversal",
	.summary = "one token walks depth first: 2E and n - 1 (Cheung 1983)",
	.topology = TOPOLOGY_GRAPH,
	.kinds = {
		[TRAVERSAL_TOKEN] = "TOKEN",
		[TRAVERSAL_LEADER] = "LEADER",
	},
	.size = traversal_size,
	.init = traversal_init,
	.step = traversal_step,
	.phase = traversal_phase,
	.check = traversal_check,
};
