/* SPDX-License-Identifier: ISC */
/*
 * A set of a node's peers, by their numbers: where a thousand would have to be
 * looked at for the few that want something, it tells which.
 */
#ifndef ELECTD_COMMON_UTIL_MARKS_H
#define ELECTD_COMMON_UTIL_MARKS_H

#include "common/util/types.h"

#define MARKS_WORD 64

struct marks {
	uint64_t words[NODES_MAX / MARKS_WORD];
};

static inline void
marks_add(struct marks *m, unsigned i)
{
	assert(i < NODES_MAX);
	m->words[i / MARKS_WORD] |= (uint64_t)1 << i % MARKS_WORD;
}

static inline void
marks_remove(struct marks *m, unsigned i)
{
	assert(i < NODES_MAX);
	m->words[i / MARKS_WORD] &= ~((uint64_t)1 << i % MARKS_WORD);
}

static inline bool
marks_has(const struct marks *m, unsigned i)
{
	assert(i < NODES_MAX);
	return m->words[i / MARKS_WORD] >> i % MARKS_WORD & 1;
}

/* Those that are in one of two sets alone. */
static inline struct marks
marks_changed(const struct marks *a, const struct marks *b)
{
	struct marks changed;

	for (unsigned i = 0; i < NODES_MAX / MARKS_WORD; i++)
		changed.words[i] = a->words[i] ^ b->words[i];
	return changed;
}

/* The first from `from` on; NODES_MAX if there is none. */
static inline unsigned
marks_next(const struct marks *m, unsigned from)
{
	for (unsigned i = from; i < NODES_MAX;) {
		uint64_t word = m->words[i / MARKS_WORD] >> i % MARKS_WORD;

		if (word & 1)
			return i;
		if (word == 0)
			i = (i / MARKS_WORD + 1) * MARKS_WORD;
		else
			i++;
	}
	return NODES_MAX;
}

#endif
