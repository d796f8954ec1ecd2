/* SPDX-License-Identifier: ISC */
/*
 * Election by echo waves: the best initiator's wave adopts the trees of all
 * others. The wave: E. J. H. Chang, "Echo algorithms", IEEE Transactions on
 * Software Engineering SE-8(4), 1982; extinction: G. Tel, "Introduction to
 * Distributed Algorithms", 2000, section 7.3; the rules here
 * ("Adoptionsverfahren"): R. Kapitza, "Verteilte Systeme", lecture, 2015,
 * chapter 11. The exact rules are in algorithms/README.md, "extinction".
 *
 * Model: connected graph; reliable FIFO links.
 *
 * Messages
 *   EXPLORER(origin)          the wave of this initiator
 *   ECHO(origin, best)        answer to that EXPLORER: the sender's subtree is
 *                             complete, with the best of it
 *   LEADER(origin, rank)      down the adopted tree, from its root
 *
 *   IDLE --start: EXPLORER on all links--> EXPLORING
 *   IDLE --EXPLORER: EXPLORER on all other links--> EXPLORING
 *   EXPLORING --each link but the parent's is settled: ECHO--> ECHOED
 *   EXPLORING --each link is settled, no parent: LEADER--> DECIDED
 *   ECHOED --LEADER from the parent: LEADER to the children--> DECIDED
 *
 * An ECHO settles a link: the neighbour is a child. The link is also settled
 * when both ends have sent the EXPLORER of one wave on it: then it is no part
 * of the tree. A node knows IDi, the best initiator that has reached it, and
 * of each link its mark m: the IDm of the last EXPLORER it sent there. EXPLORER
 * x comes by link k, marked m:
 *   1. IDx = IDm          k is no part of the tree
 *   2. IDx < IDm          x is ignored: its sender will learn of m
 *   3. IDm < IDx <= IDi   the node answers by EXPLORER on k, the new mark
 *   4. IDi < IDx          adoption: k leads to the parent now, and the node
 *                         sends x to its former parent
 * where a better initiator is a higher ID. Alone, a node decides at once.
 *
 * So a wave adopts a tree as a whole, without exploring it again: x goes from
 * the adopter up to the root and reverses each edge on its way. If it meets a
 * node that has x already, by another edge, rule 3 cuts the edge it came by, so
 * there is no cycle. A node that has sent ECHO has all its links settled. A
 * better wave could reach it only through its parent, which need not tell it.
 * So each node but one sends one ECHO.
 *
 * The best initiator's tree adopts every other that it meets, and its root is
 * never adopted. So that root ends the election. No other root does: while its
 * tree is not the whole graph, there is a link from it to a node outside. That
 * link is settled only if both ends have sent the same EXPLORER. But then both
 * were in one tree, and the end that left it has sent EXPLORER towards the
 * tree's root, which waits for it.
 *
 * Costs, n nodes, E links, m starters: n-1 ECHO and n-1 LEADER. One starter:
 * 2 E EXPLORER and ECHO, since each link carries two EXPLORERs, or one and an
 * ECHO. Any m: at most m 2 E, since in each direction of a link each message
 * is of a better initiator than the one before.
 *
 * Departures
 *   In rule 3 the source sends x back. Here the node sends IDi, which differs
 *   only if IDx < IDi. In that case x would tell its sender that the link is no
 *   part of the tree, and a worse initiator could end its wave. Take b - c - a,
 *   where all start, a is best and c worst. c adopts a; then b's EXPLORER comes
 *   by a link marked c. If c answered with b, b would take itself for alone.
 */
#include "algorithms/registry.h"

enum extinction_kind {
	EXTINCTION_EXPLORER,
	EXTINCTION_ECHO,
	EXTINCTION_LEADER,
};

enum extinction_phase {
	EXTINCTION_IDLE,
	EXTINCTION_EXPLORING,
	EXTINCTION_ECHOED,
	EXTINCTION_DECIDED,
};

/* The place of a link in the wave. */
enum extinction_fate {
	EXTINCTION_OPEN,  /* not known yet; the parent's link stays OPEN */
	EXTINCTION_CHORD, /* not part of the tree */
	EXTINCTION_CHILD, /* the neighbour is our child: its ECHO has come */
};

#define EXTINCTION_NO_LINK UINT32_MAX /* no index of a link */

struct extinction_link {
	node_id mark;  /* origin of our last EXPLORER there, or NODE_NONE */
	uint32_t fate; /* enum extinction_fate; 32 bits leave no padding */
};

struct extinction {
	const struct view *view;
	enum extinction_phase phase;
	node_id initiator; /* the best that has reached us; IDLE: none */
	uint32_t parent;   /* the link it came by; none: it is ours */
	uint32_t awaited;  /* how many links but the parent's are OPEN */
	struct rank best;  /* best of our subtree; DECIDED: the winner */
	struct extinction_link links[]; /* one for each link of the view */
};

static size_t
extinction_size(const struct view *view)
{
	return sizeof(struct extinction) +
	       view->links_count * sizeof(struct extinction_link);
}

static void
extinction_init(void *state, const struct view *view)
{
	struct extinction *e = state;

	assert(view->self.id != NODE_NONE);
	e->view = view;
	e->phase = EXTINCTION_IDLE;
	e->initiator = NODE_NONE;
	e->parent = EXTINCTION_NO_LINK;
	e->awaited = (uint32_t)view->links_count;
	e->best = view->self;
	for (size_t i = 0; i < view->links_count; i++) {
		e->links[i].mark = NODE_NONE;
		e->links[i].fate = EXTINCTION_OPEN;
	}
}

static void
extinction_become(struct extinction *e, enum extinction_phase phase)
{
	assert(phase > e->phase);
	e->phase = phase;
}

/* True if initiator `a` is better than `b`, by id alone; any is better than
 * NODE_NONE. */
static bool
extinction_better(const struct extinction *e, node_id a, node_id b)
{
	struct rank of_a = { .id = a };
	struct rank of_b = { .id = b };

	if (a == NODE_NONE || b == NODE_NONE)
		return a != NODE_NONE;
	return rank_better(&of_a, &of_b, e->view->prefer);
}

static void
extinction_explore(struct extinction *e, unsigned link, struct outbox *out)
{
	struct message m = {
		.kind = EXTINCTION_EXPLORER,
		.origin = e->initiator,
	};

	assert(extinction_better(e, e->initiator, e->links[link].mark));
	e->links[link].mark = e->initiator;
	outbox_send(out, link, &m);
}

/* Sends e->best: to the parent as ECHO, or to a child as LEADER. */
static void
extinction_tell(struct extinction *e, unsigned link, enum extinction_kind kind,
    node_id origin, struct outbox *out)
{
	struct message m = {
		.kind = (uint8_t)kind,
		.origin = origin,
		.rank = e->best,
	};

	outbox_send(out, link, &m);
}

static void
extinction_decide(struct extinction *e, node_id root, struct outbox *out)
{
	extinction_become(e, EXTINCTION_DECIDED);
	outbox_decide(out, &e->best);
	for (unsigned i = 0; i < e->view->links_count; i++) {
		if (e->links[i].fate == EXTINCTION_CHILD)
			extinction_tell(e, i, EXTINCTION_LEADER, root, out);
	}
}

/* Rule 5. Where the subtree is complete: sends ECHO, or decides if the wave is
 * our own. */
static void
extinction_proceed(struct extinction *e, struct outbox *out)
{
	if (e->awaited > 0)
		return;
	if (e->parent == EXTINCTION_NO_LINK) {
		extinction_decide(e, e->initiator, out);
		return;
	}
	extinction_become(e, EXTINCTION_ECHOED);
	extinction_tell(e, e->parent, EXTINCTION_ECHO, e->initiator, out);
}

static void
extinction_settle(
    struct extinction *e, unsigned link, enum extinction_fate fate)
{
	assert(e->links[link].fate == EXTINCTION_OPEN);
	assert(link != e->parent);
	assert(e->awaited > 0);
	e->links[link].fate = fate;
	e->awaited--;
}

static void
extinction_start(struct extinction *e, struct outbox *out)
{
	if (e->phase != EXTINCTION_IDLE)
		return;
	e->initiator = e->view->self.id;
	extinction_become(e, EXTINCTION_EXPLORING);
	for (unsigned i = 0; i < e->view->links_count; i++)
		extinction_explore(e, i, out);
	extinction_proceed(e, out);
}

/* The first EXPLORER: "it is passed on in all other directions". */
static void
extinction_join(
    struct extinction *e, unsigned link, node_id x, struct outbox *out)
{
	e->initiator = x;
	e->parent = link;
	e->awaited--;
	extinction_become(e, EXTINCTION_EXPLORING);
	for (unsigned i = 0; i < e->view->links_count; i++) {
		if (i != link)
			extinction_explore(e, i, out);
	}
}

/* 4: "adoption: k becomes the new parent edge; x is passed on over the former
 * parent edge". A root has no former parent: it waits for one link less. */
static void
extinction_adopt(
    struct extinction *e, unsigned link, node_id x, struct outbox *out)
{
	uint32_t former = e->parent;

	e->initiator = x;
	if (link == former)
		return;
	e->parent = link;
	if (former == EXTINCTION_NO_LINK)
		e->awaited--;
	else
		extinction_explore(e, former, out);
}

/* 3: "update m, send x over k", but with the best wave that we know. */
static void
extinction_answer(
    struct extinction *e, unsigned link, node_id x, struct outbox *out)
{
	extinction_explore(e, link, out);
	if (x == e->initiator)
		extinction_settle(e, link, EXTINCTION_CHORD);
}

/* The four cases. The parent sends another EXPLORER only for a better wave. No
 * node can know our own wave before we have sent it. */
static void
extinction_on_explorer(
    struct extinction *e, unsigned link, node_id x, struct outbox *out)
{
	node_id mark = e->links[link].mark;
	bool is_better = extinction_better(e, x, e->initiator);

	if (link == e->parent && !is_better)
		return;
	if (x == mark) {
		extinction_settle(e, link, EXTINCTION_CHORD);
	} else if (extinction_better(e, mark, x) || x == e->view->self.id) {
		return;
	} else if (e->phase == EXTINCTION_IDLE) {
		extinction_join(e, link, x, out);
	} else if (is_better) {
		extinction_adopt(e, link, x, out);
	} else {
		extinction_answer(e, link, x, out);
	}
	extinction_proceed(e, out);
}

/* An ECHO counts if it is of the wave that we sent there last. */
static void
extinction_on_echo(struct extinction *e, unsigned link, const struct message *m,
    struct outbox *out)
{
	if (e->phase != EXTINCTION_EXPLORING || link == e->parent)
		return;
	if (m->origin != e->links[link].mark || m->rank.id == NODE_NONE)
		return;
	if (rank_better(&m->rank, &e->best, e->view->prefer))
		e->best = m->rank;
	extinction_settle(e, link, EXTINCTION_CHILD);
	extinction_proceed(e, out);
}

/* Rule 6. */
static void
extinction_on_leader(struct extinction *e, unsigned link,
    const struct message *m, struct outbox *out)
{
	if (e->phase != EXTINCTION_ECHOED || link != e->parent)
		return;
	if (m->rank.id == NODE_NONE ||
	    rank_better(&e->best, &m->rank, e->view->prefer))
		return;
	e->best = m->rank;
	extinction_decide(e, m->origin, out);
}

/* Nothing more comes by a settled link. */
static void
extinction_on_message(struct extinction *e, unsigned link,
    const struct message *m, struct outbox *out)
{
	const struct rank *self = &e->view->self;

	if (e->links[link].fate != EXTINCTION_OPEN || m->origin == NODE_NONE)
		return;
	if (m->rank.id == self->id && !rank_equal(&m->rank, self))
		return;
	switch (m->kind) {
	case EXTINCTION_EXPLORER:
		if (e->phase <= EXTINCTION_EXPLORING)
			extinction_on_explorer(e, link, m->origin, out);
		break;
	case EXTINCTION_ECHO:
		extinction_on_echo(e, link, m, out);
		break;
	case EXTINCTION_LEADER:
		extinction_on_leader(e, link, m, out);
		break;
	}
}

static void
extinction_step(void *state, const struct input *in, struct outbox *out)
{
	struct extinction *e = state;

	switch (in->kind) {
	case INPUT_START:
		extinction_start(e, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < e->view->links_count);
		extinction_on_message(e, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
extinction_phase(const void *state)
{
	static const char *const names[] = {
		[EXTINCTION_IDLE] = "idle",
		[EXTINCTION_EXPLORING] = "exploring",
		[EXTINCTION_ECHOED] = "echoed",
		[EXTINCTION_DECIDED] = "decided",
	};
	const struct extinction *e = state;

	return names[e->phase];
}

static void
extinction_check_link(const struct extinction *e, size_t link)
{
	const struct extinction_link *l = &e->links[link];

	assert(l->fate <= EXTINCTION_CHILD);
	assert(!extinction_better(e, l->mark, e->initiator));
	if (e->phase == EXTINCTION_IDLE) {
		assert(l->fate == EXTINCTION_OPEN);
	} else if (link == e->parent) {
		assert(l->fate == EXTINCTION_OPEN);
		assert(l->mark != e->initiator);
	} else {
		assert(l->mark != NODE_NONE);
	}
}

static void
extinction_check(const void *state)
{
	const struct extinction *e = state;
	bool is_idle = e->phase == EXTINCTION_IDLE;
	bool is_root = e->parent == EXTINCTION_NO_LINK;
	uint32_t awaited = 0;

	assert(e->phase <= EXTINCTION_DECIDED);
	assert(is_idle == (e->initiator == NODE_NONE));
	assert(is_root == (is_idle || e->initiator == e->view->self.id));
	assert(is_root || e->parent < e->view->links_count);
	for (size_t i = 0; i < e->view->links_count; i++) {
		extinction_check_link(e, i);
		awaited +=
		    e->links[i].fate == EXTINCTION_OPEN && i != e->parent;
	}
	assert(e->awaited == awaited);
	assert(is_idle || (e->phase == EXTINCTION_EXPLORING) == (awaited > 0));
	assert(e->phase != EXTINCTION_ECHOED || !is_root);
	assert(!rank_better(&e->view->self, &e->best, e->view->prefer));
}

const struct algorithm algorithm_extinction = {
	.name = "extinction",
	.summary = "the best wave adopts all others' trees (Chang 1982)",
	.topology = TOPOLOGY_GRAPH,
	.kinds = {
		[EXTINCTION_EXPLORER] = "EXPLORER",
		[EXTINCTION_ECHO] = "ECHO",
		[EXTINCTION_LEADER] = "LEADER",
	},
	.size = extinction_size,
	.init = extinction_init,
	.step = extinction_step,
	.phase = extinction_phase,
	.check = extinction_check,
};
