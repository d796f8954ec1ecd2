/* SPDX-License-Identifier: ISC */
#include "common/link/vtree.h"

/* True if this neighbour may be our parent, by its latest word. A neighbour
 * with a better label than ours is not below us (PROTOCOL.md, Virtual tree). */
static bool
vtree_suits(const struct vtree *v, const struct vtree_end *e)
{
	return e->is_link && e->is_heard && e->word.label.level < LEVEL_MAX &&
	       label_better(&e->word.label, &v->label);
}

/* The neighbour with the best label of those that suit. */
static unsigned
vtree_best(const struct vtree *v)
{
	unsigned best = VTREE_NONE;

	for (unsigned i = 0; i < v->ends_count; i++) {
		if (!vtree_suits(v, &v->ends[i]))
			continue;
		if (best == VTREE_NONE || label_better(&v->ends[i].word.label,
					      &v->ends[best].word.label))
			best = i;
	}
	return best;
}

/* True if the epoch of this label is too far above ours to be credible. */
static bool
vtree_doubts(const struct vtree *v, const struct label *label)
{
	return label->epoch > v->label.epoch + EPOCH_JUMP;
}

/* The epoch that is `epochs` above ours, or the last one. */
static uint64_t
epoch_above(const struct vtree *v, uint64_t epochs)
{
	uint64_t left = EPOCH_MAX - v->label.epoch;

	return v->label.epoch + (epochs < left ? epochs : left);
}

/* Becomes the root of a tree of our own, `epochs` later: all nodes that are
 * below us now follow. */
static void
vtree_lead(struct vtree *v, uint64_t epochs)
{
	v->parent = VTREE_NONE;
	v->label = (struct label){
		.epoch = epoch_above(v, epochs),
		.root = v->self,
	};
}

/* Takes the label that our place below our parent gives us, if it is better
 * than the one that we have. */
static void
vtree_descend(struct vtree *v)
{
	struct label below = v->ends[v->parent].word.label;

	assert(below.level < LEVEL_MAX);
	below.level++;
	if (label_better(&below, &v->label))
		v->label = below;
}

/* Chooses our parent. We keep the one that we have unless a neighbour is in a
 * better tree. */
static void
vtree_choose(struct vtree *v)
{
	unsigned best = vtree_best(v);
	bool was_root = v->parent == VTREE_NONE;

	if (!was_root && !vtree_suits(v, &v->ends[v->parent]))
		v->parent = VTREE_NONE;
	if (best == VTREE_NONE) {
		if (!was_root)
			vtree_lead(v, 1);
		return;
	}
	if (vtree_doubts(v, &v->ends[best].word.label)) {
		vtree_lead(v, EPOCH_JUMP);
		return;
	}
	if (v->parent == VTREE_NONE ||
	    label_tree_better(&v->ends[best].word.label, &v->label))
		v->parent = best;
	vtree_descend(v);
}

/* True if, by the word of this neighbour, nothing is about to change between
 * us. */
static bool
end_is_settled(const struct vtree *v, unsigned end)
{
	const struct vtree_end *e = &v->ends[end];

	if (!e->is_link)
		return true;
	if (!e->is_heard || e->word.label.epoch != v->label.epoch ||
	    e->word.label.root != v->label.root)
		return false;
	return end != v->parent || vtree_has_edge(v, end);
}

/* A root may have lost all its children while a neighbour that is further down
 * does not know that yet. */
static void
vtree_update(struct vtree *v)
{
	bool has_link = false, has_edge = false, is_settled = true;

	vtree_choose(v);
	for (unsigned i = 0; is_settled && i < v->ends_count; i++) {
		is_settled = end_is_settled(v, i);
		has_link |= v->ends[i].is_link;
		has_edge |= vtree_has_edge(v, i);
	}
	v->is_settled = is_settled && (has_edge || !has_link);
}

void
vtree_init(struct vtree *v, node_id self, uint64_t epoch,
    struct vtree_end *ends, unsigned ends_count)
{
	assert(self != NODE_NONE);
	assert(epoch <= EPOCH_MAX);
	*v = (struct vtree){
		.self = self,
		.label = { .epoch = epoch, .root = self },
		.parent = VTREE_NONE,
		.is_settled = true,
		.ends_count = ends_count,
		.ends = ends,
	};
}

uint64_t
vtree_next_epoch(const struct vtree *v)
{
	return epoch_above(v, 1);
}

void
vtree_set_link(struct vtree *v, unsigned end, bool is_link)
{
	struct vtree_end *e = &v->ends[end];

	assert(end < v->ends_count);
	if (e->is_link == is_link)
		return;
	e->is_link = is_link;
	vtree_update(v);
}

void
vtree_forget(struct vtree *v, unsigned end)
{
	assert(end < v->ends_count);
	assert(!v->ends[end].is_link);
	v->ends[end] = (struct vtree_end){ .is_link = false };
}

static bool
word_equal(const struct tree_word *a, const struct tree_word *b)
{
	return a->label.epoch == b->label.epoch &&
	       a->label.root == b->label.root &&
	       a->label.level == b->label.level &&
	       a->is_parent == b->is_parent && a->is_child == b->is_child;
}

bool
vtree_hear(struct vtree *v, unsigned end, uint64_t number,
    const struct tree_word *word)
{
	struct vtree_end *e = &v->ends[end];

	assert(end < v->ends_count);
	if (e->is_heard && number < e->number)
		return false;
	e->number = number;
	/* A word that is not credible raises our epoch each time that it comes,
	 * by one step. */
	if (e->is_heard && word_equal(&e->word, word) &&
	    !vtree_doubts(v, &word->label))
		return false;
	e->is_heard = true;
	e->word = *word;
	vtree_update(v);
	return true;
}

struct tree_word
vtree_word(const struct vtree *v, unsigned end)
{
	assert(end < v->ends_count);
	return (struct tree_word){
		.label = v->label,
		.is_parent = end == v->parent,
		.is_child = vtree_has_child(v, end),
	};
}

bool
vtree_has_news(struct vtree *v, unsigned end)
{
	struct vtree_end *e = &v->ends[end];
	struct tree_word word = vtree_word(v, end);

	if (e->is_told && word_equal(&word, &e->told))
		return false;
	e->is_told = true;
	e->told = word;
	return true;
}

bool
vtree_has_child(const struct vtree *v, unsigned end)
{
	const struct vtree_end *e = &v->ends[end];

	assert(end < v->ends_count);
	return e->is_link && e->is_heard && e->word.is_parent &&
	       end != v->parent;
}

bool
vtree_has_edge(const struct vtree *v, unsigned end)
{
	const struct vtree_end *e = &v->ends[end];

	assert(end < v->ends_count);
	if (end == v->parent)
		return e->word.is_child;
	return vtree_has_child(v, end);
}

bool
vtree_is_settled(const struct vtree *v)
{
	return v->is_settled;
}

void
vtree_check(const struct vtree *v)
{
	assert(v->parent == VTREE_NONE || v->parent < v->ends_count);
	if (v->parent == VTREE_NONE) {
		assert(v->label.root == v->self);
		assert(v->label.level == 0);
	} else {
		assert(vtree_suits(v, &v->ends[v->parent]));
	}
}
