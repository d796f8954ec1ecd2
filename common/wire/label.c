/* SPDX-License-Identifier: ISC */
#include "common/wire/label.h"

enum tree_word_bits {
	WORD_PARENT = 1 << 0,
	WORD_CHILD = 1 << 1,
};

bool
label_tree_better(const struct label *a, const struct label *b)
{
	assert(a->epoch <= EPOCH_MAX);
	assert(b->epoch <= EPOCH_MAX);
	if (a->epoch != b->epoch)
		return a->epoch > b->epoch;
	return a->root < b->root;
}

bool
label_better(const struct label *a, const struct label *b)
{
	if (a->epoch != b->epoch || a->root != b->root)
		return label_tree_better(a, b);
	return a->level < b->level;
}

void
tree_word_encode(struct writer *w, const struct tree_word *word)
{
	size_t before = w->size;

	assert(word->label.epoch <= EPOCH_MAX);
	assert(word->label.level <= LEVEL_MAX);
	write_u64(w, word->label.epoch);
	write_u32(w, word->label.root);
	write_u16(w, word->label.level);
	write_u8(w, (uint8_t)((word->is_parent ? WORD_PARENT : 0) |
			      (word->is_child ? WORD_CHILD : 0)));
	assert(w->failed || w->size - before == TREE_WORD_BYTES);
}

bool
tree_word_decode(struct reader *r, struct tree_word *word)
{
	uint8_t bits;

	word->label = (struct label){ .epoch = read_u64(r) };
	word->label.root = read_u32(r);
	word->label.level = read_u16(r);
	bits = read_u8(r);
	word->is_parent = bits & WORD_PARENT;
	word->is_child = bits & WORD_CHILD;
	return !r->failed && word->label.epoch <= EPOCH_MAX &&
	       word->label.root != NODE_NONE &&
	       word->label.root <= NODE_ID_MAX &&
	       word->label.level <= LEVEL_MAX &&
	       bits < (WORD_PARENT | WORD_CHILD);
}
