/* SPDX-License-Identifier: ISC */
/*
 * Election on a tree by saturation, after a wake-up. N. Santoro, "Design and
 * Analysis of Distributed Algorithms", 2006, section 2.6; in the form that
 * lectures give it (wake up / tok), where the last token of a node comes from
 * its neighbour P0. The exact rules are in algorithms/README.md, "tree".
 *
 * Model: tree; reliable FIFO links.
 *
 * Messages
 *   WAKEUP       once each way on each link: an election has begun
 *   TOKEN(best)  once each way on each link: the best on the sender's side of
 *                it, or, from a node that has decided, the best of all
 *
 *   ASLEEP --start, or WAKEUP: WAKEUP on all links--> WAKING
 *   WAKING --WAKEUP has come on all links--> COLLECTING
 *   COLLECTING --TOKENs on all links but P0: TOKEN to P0--> WAITING
 *   WAITING --TOKEN from P0: TOKEN to all others--> DECIDED
 *
 * With wakeup = false there is no WAKING, and the leaves must start:
 *   ASLEEP --start of a leaf, or TOKEN--> COLLECTING
 * A leaf that a TOKEN reaches before it has started sends its own TOKEN then.
 * So all leaves but one must start. The start of an inner node does nothing.
 *
 * TOKENs cross on one link. The TOKEN from P0 comes either from a node that has
 * decided, or from one that was waiting for this node's TOKEN. This node
 * decides in the same way in both cases.
 *
 * n nodes send 2(n-1) WAKEUP, or none, and 2(n-1) TOKEN, for any starters and
 * in every order of delivery.
 *
 * Departures
 *   None in the rules. WAKEUP travels along the tree; one lecture wakes the
 *   leaves directly.
 */
#include "algorithms/registry.h"

enum tree_kind {
	TREE_WAKEUP,
	TREE_TOKEN,
};

enum tree_phase {
	TREE_ASLEEP,
	TREE_WAKING,
	TREE_COLLECTING,
	TREE_WAITING,
	TREE_DECIDED,
};

/* The messages that have come by a link: a bit for each kind. */
enum tree_mark {
	TREE_HAS_WAKEUP = 1 << 0,
	TREE_HAS_TOKEN = 1 << 1,
};

struct tree {
	const struct view *view;
	enum tree_phase phase;
	uint32_t wakeups; /* how many links are marked TREE_HAS_WAKEUP */
	uint32_t tokens;  /* how many links are marked TREE_HAS_TOKEN */
	uint32_t p0;      /* WAITING, DECIDED: the link of our first TOKEN */
	struct rank best; /* best of this node and of all TOKENs */
	uint8_t marks[];  /* enum tree_mark, by link */
};

static size_t
tree_size(const struct view *view)
{
	return sizeof(struct tree) + view->links_count;
}

static void
tree_init(void *state, const struct view *view)
{
	struct tree *t = state;

	assert(view->self.id != NODE_NONE);
	t->view = view;
	t->phase = TREE_ASLEEP;
	t->wakeups = 0;
	t->tokens = 0;
	t->p0 = 0;
	t->best = view->self;
	for (size_t i = 0; i < view->links_count; i++)
		t->marks[i] = 0;
}

static void
tree_become(struct tree *t, enum tree_phase phase)
{
	assert(phase > t->phase);
	t->phase = phase;
}

static bool
tree_wants_wakeup(const struct tree *t)
{
	return !t->view->choices->no_wakeup;
}

static void
tree_send(const struct tree *t, unsigned link, enum tree_kind kind,
    struct outbox *out)
{
	struct message m = { .kind = (uint8_t)kind };

	if (kind == TREE_TOKEN)
		m.rank = t->best;
	outbox_send(out, link, &m);
}

/* The first link without a TOKEN, or the last link; a leaf has but one. */
static unsigned
tree_last_link(const struct tree *t)
{
	unsigned link = 0;

	while (link + 1 < t->view->links_count &&
	       (t->marks[link] & TREE_HAS_TOKEN) != 0)
		link++;
	return link;
}

/* Rule 4. */
static void
tree_decide(struct tree *t, struct outbox *out)
{
	tree_become(t, TREE_DECIDED);
	outbox_decide(out, &t->best);
	for (unsigned i = 0; i < t->view->links_count; i++) {
		if (i != t->p0)
			tree_send(t, i, TREE_TOKEN, out);
	}
}

/* Goes on to the next phase, and the one after, if enough has come for it. */
static void
tree_proceed(struct tree *t, struct outbox *out)
{
	size_t count = t->view->links_count;

	if (t->phase == TREE_WAKING && t->wakeups == count)
		tree_become(t, TREE_COLLECTING); /* rule 2 */
	/* Rule 3. */
	if (t->phase == TREE_COLLECTING && t->tokens + 1 >= count) {
		t->p0 = tree_last_link(t);
		tree_become(t, TREE_WAITING);
		tree_send(t, t->p0, TREE_TOKEN, out);
	}
	if (t->phase == TREE_WAITING && t->tokens == count)
		tree_decide(t, out);
}

/* Rule 1. */
static void
tree_wake(struct tree *t, struct outbox *out)
{
	if (t->phase != TREE_ASLEEP)
		return;
	tree_become(t, TREE_WAKING);
	for (unsigned i = 0; i < t->view->links_count; i++)
		tree_send(t, i, TREE_WAKEUP, out);
}

static void
tree_start(struct tree *t, struct outbox *out)
{
	size_t count = t->view->links_count;

	if (t->phase != TREE_ASLEEP)
		return;
	if (count == 0) {
		tree_decide(t, out);
	} else if (tree_wants_wakeup(t)) {
		tree_wake(t, out);
	} else if (count == 1) {
		tree_become(t, TREE_COLLECTING);
		tree_proceed(t, out);
	}
}

static void
tree_on_wakeup(struct tree *t, unsigned link, struct outbox *out)
{
	if (!tree_wants_wakeup(t) || (t->marks[link] & TREE_HAS_WAKEUP) != 0)
		return;
	t->marks[link] |= TREE_HAS_WAKEUP;
	t->wakeups++;
	tree_wake(t, out);
	tree_proceed(t, out);
}

/* A node sends WAKEUP on a link before its TOKEN, and each of them once. */
static bool
tree_token_makes_sense(
    const struct tree *t, unsigned link, const struct message *m)
{
	const struct rank *self = &t->view->self;

	if (m->rank.id == NODE_NONE)
		return false;
	if (m->rank.id == self->id && !rank_equal(&m->rank, self))
		return false;
	if ((t->marks[link] & TREE_HAS_TOKEN) != 0)
		return false;
	return !tree_wants_wakeup(t) || (t->marks[link] & TREE_HAS_WAKEUP) != 0;
}

static void
tree_on_token(
    struct tree *t, unsigned link, const struct message *m, struct outbox *out)
{
	if (!tree_token_makes_sense(t, link, m))
		return;
	t->marks[link] |= TREE_HAS_TOKEN;
	t->tokens++;
	if (rank_better(&m->rank, &t->best, t->view->prefer))
		t->best = m->rank;
	if (t->phase == TREE_ASLEEP)
		tree_become(t, TREE_COLLECTING);
	tree_proceed(t, out);
}

static void
tree_on_message(
    struct tree *t, unsigned link, const struct message *m, struct outbox *out)
{
	switch (m->kind) {
	case TREE_WAKEUP:
		tree_on_wakeup(t, link, out);
		break;
	case TREE_TOKEN:
		tree_on_token(t, link, m, out);
		break;
	}
}

static void
tree_step(void *state, const struct input *in, struct outbox *out)
{
	struct tree *t = state;

	switch (in->kind) {
	case INPUT_START:
		tree_start(t, out);
		break;
	case INPUT_MESSAGE:
		assert(in->link < t->view->links_count);
		tree_on_message(t, in->link, in->message, out);
		break;
	case INPUT_TIMER:
		break; /* never armed */
	}
}

static const char *
tree_phase(const void *state)
{
	static const char *const names[] = {
		[TREE_ASLEEP] = "asleep",
		[TREE_WAKING] = "waking",
		[TREE_COLLECTING] = "collecting",
		[TREE_WAITING] = "waiting",
		[TREE_DECIDED] = "decided",
	};
	const struct tree *t = state;

	return names[t->phase];
}

static void
tree_check_marks(const struct tree *t)
{
	uint32_t wakeups = 0;
	uint32_t tokens = 0;

	for (size_t i = 0; i < t->view->links_count; i++) {
		wakeups += (t->marks[i] & TREE_HAS_WAKEUP) != 0;
		tokens += (t->marks[i] & TREE_HAS_TOKEN) != 0;
		if (tree_wants_wakeup(t))
			assert(t->marks[i] != TREE_HAS_TOKEN);
	}
	assert(t->wakeups == wakeups);
	assert(t->tokens == tokens);
}

static void
tree_check(const void *state)
{
	const struct tree *t = state;
	size_t count = t->view->links_count;

	assert(t->phase <= TREE_DECIDED);
	tree_check_marks(t);
	assert(!rank_better(&t->view->self, &t->best, t->view->prefer));
	assert(t->phase != TREE_WAKING || tree_wants_wakeup(t));
	if (t->phase == TREE_ASLEEP) {
		assert(t->wakeups == 0);
		assert(t->tokens == 0);
	}
	if (t->phase == TREE_WAKING)
		assert(t->wakeups < count);
	if (t->phase >= TREE_COLLECTING && tree_wants_wakeup(t))
		assert(t->wakeups == count);
	if (t->phase == TREE_COLLECTING)
		assert(t->tokens + 1 < count);
	if (t->phase == TREE_WAITING) {
		assert(t->tokens + 1 == count);
		assert((t->marks[t->p0] & TREE_HAS_TOKEN) == 0);
	}
	if (t->phase == TREE_DECIDED)
		assert(t->tokens == count);
}

const struct algorithm algorithm_tree = {
	.name = "tree",
	.summary = "saturation of a tree after a wake-up: 4n - 4 (Santoro 2006)",
	.topology = TOPOLOGY_TREE,
	.kinds = {
		[TREE_WAKEUP] = "WAKEUP",
		[TREE_TOKEN] = "TOKEN",
	},
	.choices = CHOICE_WAKEUP,
	.size = tree_size,
	.init = tree_init,
	.step = tree_step,
	.phase = tree_phase,
	.check = tree_check,
};
