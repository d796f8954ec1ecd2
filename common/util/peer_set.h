/* SPDX-License-Identifier: ISC */
/*
 * A set of a node's peers, by their numbers: where a thousand would have to be
 * looked at for the few that want something, it tells which.
 */
#ifndef ELECTD_COMMON_UTIL_PEER_SET_H
#define ELECTD_COMMON_UTIL_PEER_SET_H

#include "common/util/types.h"

#define PEER_SET_WORD 64

struct peer_set {
	uint64_t words[NODES_MAX / PEER_SET_WORD];
};

static inline void
peer_set_add(struct peer_set *m, unsigned i)
{
	assert(i < NODES_MAX);
	m->words[i / PEER_SET_WORD] |= (uint64_t)1 << i % PEER_SET_WORD;
}

static inline void
peer_set_remove(struct peer_set *m, unsigned i)
{
	assert(i < NODES_MAX);
	m->words[i / PEER_SET_WORD] &= ~((uint64_t)1 << i % PEER_SET_WORD);
}

static inline bool
peer_set_has(const struct peer_set *m, unsigned i)
{
	assert(i < NODES_MAX);
	return m->words[i / PEER_SET_WORD] >> i % PEER_SET_WORD & 1;
}

/* Those that are in one of two sets alone. */
static inline struct peer_set
peer_set_changed(const struct peer_set *a, const struct peer_set *b)
{
	struct peer_set changed;

	for (unsigned i = 0; i < NODES_MAX / PEER_SET_WORD; i++)
		changed.words[i] = a->words[i] ^ b->words[i];
	return changed;
}

/* The first from `from` on; NODES_MAX if there is none. */
static inline unsigned
peer_set_next(const struct peer_set *m, unsigned from)
{
	for (unsigned i = from; i < NODES_MAX;) {
		uint64_t word =
		    m->words[i / PEER_SET_WORD] >> i % PEER_SET_WORD;

		if (word & 1)
			return i;
		if (word == 0)
			i = (i / PEER_SET_WORD + 1) * PEER_SET_WORD;
		else
			i++;
	}
	return NODES_MAX;
}

#endif
