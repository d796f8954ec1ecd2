/* SPDX-License-Identifier: ISC */
/*
 * A set of peers, by their index in the node, 0 to NODES_MAX - 1. With it a
 * node need not look at a thousand peers to find the few that it must serve. A
 * zeroed set is empty.
 */
#ifndef ELECTD_COMMON_UTIL_PEER_SET_H
#define ELECTD_COMMON_UTIL_PEER_SET_H

#include "common/util/types.h"

#define PEER_SET_WORD  64 /* bits of a word of the set */
#define PEER_SET_WORDS (NODES_MAX / PEER_SET_WORD)

_Static_assert(NODES_MAX % PEER_SET_WORD == 0, "a set has whole words");
_Static_assert(PEER_SET_WORDS < 32, "`used` has a bit for each of them");

struct peer_set {
	uint64_t words[PEER_SET_WORDS]; /* a bit a peer */
	uint32_t used; /* a bit a word: that is not 0. A search steps over the
			* others. */
};

/* Adds a peer; without effect if the set has it. */
static inline void
peer_set_add(struct peer_set *s, unsigned i)
{
	assert(i < NODES_MAX);
	s->words[i / PEER_SET_WORD] |= (uint64_t)1 << i % PEER_SET_WORD;
	s->used |= (uint32_t)1 << i / PEER_SET_WORD;
}

/* Removes a peer; without effect if the set does not have it. */
static inline void
peer_set_remove(struct peer_set *s, unsigned i)
{
	assert(i < NODES_MAX);
	s->words[i / PEER_SET_WORD] &= ~((uint64_t)1 << i % PEER_SET_WORD);
	if (s->words[i / PEER_SET_WORD] == 0)
		s->used &= ~((uint32_t)1 << i / PEER_SET_WORD);
}

/* True if the set has this peer. */
static inline bool
peer_set_has(const struct peer_set *s, unsigned i)
{
	assert(i < NODES_MAX);
	return s->words[i / PEER_SET_WORD] >> i % PEER_SET_WORD & 1;
}

/* Adds the peers of another set. */
static inline void
peer_set_join(struct peer_set *s, const struct peer_set *other)
{
	for (unsigned i = 0; i < PEER_SET_WORDS; i++)
		s->words[i] |= other->words[i];
	s->used |= other->used;
}

/* Removes the peers of another set. */
static inline void
peer_set_leave(struct peer_set *s, const struct peer_set *other)
{
	s->used = 0;
	for (unsigned i = 0; i < PEER_SET_WORDS; i++) {
		s->words[i] &= ~other->words[i];
		s->used |= (uint32_t)(s->words[i] != 0) << i;
	}
}

/* The peers that are in one of the two sets only. */
static inline struct peer_set
peer_set_changed(const struct peer_set *a, const struct peer_set *b)
{
	struct peer_set changed = { .used = 0 };

	for (unsigned i = 0; i < PEER_SET_WORDS; i++) {
		changed.words[i] = a->words[i] ^ b->words[i];
		changed.used |= (uint32_t)(changed.words[i] != 0) << i;
	}
	return changed;
}

/* The first peer of the set from `from` on; NODES_MAX if there is none. */
static inline unsigned
peer_set_next(const struct peer_set *s, unsigned from)
{
	unsigned at = from / PEER_SET_WORD;
	uint64_t word;
	uint32_t later;

	if (from >= NODES_MAX)
		return NODES_MAX;
	word = s->words[at] & UINT64_MAX << from % PEER_SET_WORD;
	later = s->used & UINT32_MAX << 1 << at;
	if (word == 0 && later == 0)
		return NODES_MAX;
	if (word == 0) {
		at = (unsigned)__builtin_ctz(later);
		word = s->words[at];
	}
	assert(word != 0);
	return at * PEER_SET_WORD + (unsigned)__builtin_ctzll(word);
}

/* Asserts that the set has peers below `count` only. */
static inline void
peer_set_check(const struct peer_set *s, unsigned count)
{
	assert(count <= NODES_MAX);
	assert(peer_set_next(s, count) == NODES_MAX);
}

#endif
