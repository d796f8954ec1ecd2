/* SPDX-License-Identifier: ISC */
/*
 * Election on a tree in three waves: explosion, echo, information. F. Mattern,
 * "Verteilte Basisalgorithmen", 1989; in the form that lectures give it
 * ("Wahl auf Baeumen"). The exact rules are in algorithms/README.md,
 * "tree-echo".
 *
 * Model: tree; reliable FIFO links.
 *
 * Messages
 *   EXPLORER      outwards: an election has begun
 *   ECHO(best)    inwards, one from each node: the best on the sender's side
 *   LEADER(rank)  outwards again: the winner
 *
 *   ASLEEP --start: EXPLORER on all links--> EXPLORING
 *   ASLEEP --EXPLORER: EXPLORER on all other links--> EXPLORING
 *   EXPLORING --ECHO on all links but one: ECHO on that one--> WAITING
 *   WAITING --ECHO on that one: LEADER on all others--> DECIDED
 *   WAITING --LEADER on that one: LEADER on all others--> DECIDED
 *
 * A leaf passes through EXPLORING at once, also when it starts. The ECHOs of
 * exactly two nodes cross, on the link between them. Both nodes then know the
 * best, and each tells its own side. m starters among n > 1 nodes cost n-2+m
 * EXPLORER, n ECHO and n-2 LEADER, in every order of delivery: EXPLORERs that
 * cross both count, and neither is answered.
 *
 * announce = "any": those two nodes are the candidates, and the better of them
 * leads. An ECHO carries its sender's own rank, so that each knows the other's.
 * A node that is not eligible sends the best rank it has heard of instead: so
 * some node leads as long as any node is eligible.
 *
 * Departures
 *   A leaf that starts sends EXPLORER and ECHO in one step. The lecture picks
 *   one of the two nodes freely; here it is the better one.
 */
#include "algorithms/registry.h"

enum echo_kind {
	ECHO_EXPLORER,
	ECHO_ECHO,
	ECHO_LEADER,
};

enum echo_phase {
	ECHO_ASLEEP,
	ECHO_EXPLORING,
	ECHO_WAITING,
	ECHO_DECIDED,
};

struct echo {
	const struct view *view;
	enum echo_phase phase;
	uint32_t echoes;  /* how many links have has_echo */
	uint32_t last;    /* WAITING, DECIDED: the link of our ECHO */
	struct rank best; /* best of our ECHO; DECIDED: the winner */
	bool has_echo[];  /* the ECHO has come, by link */
};

static size_t
echo_size(const struct view *view)
{
	return sizeof(struct echo) + view->links_count * sizeof(bool);
}

static void
echo_init(void *state, const struct view *view)
{
	struct echo *e = state;

	assert(view->self.id != NODE_NONE);
	e->view = view;
	e->phase = ECHO_ASLEEP;
	e->echoes = 0;
	e->last = 0;
	e->best = view->self;
	for (size_t i = 0; i < view->links_count; i++)
		e->has_echo[i] = false;
}

static void
echo_become(struct echo *e, enum echo_phase phase)
{
	assert(phase > e->phase);
	e->phase = phase;
}

static void
echo_send(const struct echo *e, unsigned link, enum echo_kind kind,
    struct outbox *out)
{
	struct message m = { .kind = (uint8_t)kind };

	if (kind != ECHO_EXPLORER)
		m.rank = e->best;
	outbox_send(out, link, &m);
}

static void
echo_decide(struct echo *e, const struct rank *winner, struct outbox *out)
{
	e->best = *winner;
	echo_become(e, ECHO_DECIDED);
	outbox_decide(out, winner);
	for (unsigned i = 0; i < e->view->links_count; i++) {
		if (i != e->last)
			echo_send(e, i, ECHO_LEADER, out);
	}
}

/* "An inner node with k edges that has received echoes on k - 1 of them sends
 * an echo with the maximum of all ids on the remaining one." For a leaf
 * k = 1. */
static void
echo_proceed(struct echo *e, struct outbox *out)
{
	unsigned link = 0;

	if (e->echoes + 1 < e->view->links_count)
		return;
	while (e->has_echo[link])
		link++;
	e->last = link;
	echo_become(e, ECHO_WAITING);
	echo_send(e, link, ECHO_ECHO, out);
}

/* Rule 1. */
static void
echo_start(struct echo *e, struct outbox *out)
{
	if (e->phase != ECHO_ASLEEP)
		return;
	if (e->view->links_count == 0) {
		echo_decide(e, &e->view->self, out);
		return;
	}
	echo_become(e, ECHO_EXPLORING);
	for (unsigned i = 0; i < e->view->links_count; i++)
		echo_send(e, i, ECHO_EXPLORER, out);
	echo_proceed(e, out);
}

/* "An inner node that receives an explorer for the first time sends explorers
 * in all other directions". A later one has crossed our own. */
static void
echo_on_explorer(struct echo *e, unsigned link, struct outbox *out)
{
	if (e->phase != ECHO_ASLEEP)
		return;
	echo_become(e, ECHO_EXPLORING);
	for (unsigned i = 0; i < e->view->links_count; i++) {
		if (i != link)
			echo_send(e, i, ECHO_EXPLORER, out);
	}
	echo_proceed(e, out);
}

/* True if this node's ECHO carries its own rank, even if it knows a better. */
static bool
echo_names_itself(const struct echo *e)
{
	return e->view->choices->any_leader && e->view->self.is_eligible &&
	       e->phase == ECHO_EXPLORING;
}

static void
echo_on_echo(
    struct echo *e, unsigned link, const struct message *m, struct outbox *out)
{
	if (e->phase != ECHO_EXPLORING && e->phase != ECHO_WAITING)
		return;
	if (e->has_echo[link])
		return;
	e->has_echo[link] = true;
	e->echoes++;
	if (!echo_names_itself(e) &&
	    rank_better(&m->rank, &e->best, e->view->prefer))
		e->best = m->rank;
	/* "If a node receives another echo after sending its own, the maximum
	 * of both is the highest id in the network." */
	if (e->phase == ECHO_EXPLORING)
		echo_proceed(e, out);
	else
		echo_decide(e, &e->best, out);
}

/* The sender knows the best of all, so its winner cannot be worse than ours. */
static void
echo_on_leader(
    struct echo *e, unsigned link, const struct message *m, struct outbox *out)
{
	if (e->phase != ECHO_WAITING || link != e->last)
		return;
	if (!e->view->choices->any_leader &&
	    rank_better(&e->best, &m->rank, e->view->prefer))
		return;
	echo_decide(e, &m->rank, out);
}

static bool
echo_makes_sense(const struct echo *e, const struct message *m)
{
	const struct rank *self = &e->view->self;

	if (m->kind == ECHO_EXPLORER)
		return true;
	return m->rank.id != NODE_NONE &&
	       (m->rank.id != self->id || rank_equal(&m->rank, self));
}

static void
echo_on_message(
    struct echo *e, unsigned link, const struct message *m, struct outbox *out)
{
	if (!echo_makes_sense(e, m))
		return;
	switch (m->kind) {
	case ECHO_EXPLORER:
		echo_on_explorer(e, link, out);
		break;
	case ECHO_ECHO:
		echo_on_echo(e, link, m, out);
		break;
	case ECHO_LEADER:
		echo_on_leader(e, link, m, out);
		break;
	}
}

static void
echo_step(void *state, const struct input *in, struct outbox *out)
{
	struct echo *e = state;

	switch (in->kind) {
	case INPUT_START:
		echo_start(e, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < e->view->links_count);
		echo_on_message(e, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
echo_phase(const void *state)
{
	static const char *const names[] = {
		[ECHO_ASLEEP] = "asleep",
		[ECHO_EXPLORING] = "exploring",
		[ECHO_WAITING] = "waiting",
		[ECHO_DECIDED] = "decided",
	};
	const struct echo *e = state;

	return names[e->phase];
}

static void
echo_check(const void *state)
{
	const struct echo *e = state;
	size_t count = e->view->links_count;
	uint32_t echoes = 0;

	assert(e->phase <= ECHO_DECIDED);
	for (size_t i = 0; i < count; i++)
		echoes += e->has_echo[i];
	assert(e->echoes == echoes);
	if (!e->view->choices->any_leader)
		assert(!rank_better(&e->view->self, &e->best, e->view->prefer));
	if (e->phase == ECHO_ASLEEP)
		assert(e->echoes == 0);
	if (e->phase == ECHO_EXPLORING)
		assert(e->echoes + 1 < count);
	if (e->phase == ECHO_WAITING)
		assert(e->echoes + 1 == count);
	if (e->phase == ECHO_WAITING)
		assert(!e->has_echo[e->last]);
	if (e->phase == ECHO_DECIDED)
		assert(e->echoes + 1 >= count);
}

const struct algorithm algorithm_tree_echo = {
	.name = "tree-echo",
	.summary = "explosion, echo and information on a tree: 3n + m - 4 (Mattern 1989)",
	.topology = TOPOLOGY_TREE,
	.kinds = {
		[ECHO_EXPLORER] = "EXPLORER",
		[ECHO_ECHO] = "ECHO",
		[ECHO_LEADER] = "LEADER",
	},
	.choices = CHOICE_ANNOUNCE,
	.size = echo_size,
	.init = echo_init,
	.step = echo_step,
	.phase = echo_phase,
	.check = echo_check,
};
