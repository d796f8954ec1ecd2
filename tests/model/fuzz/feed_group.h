/* SPDX-License-Identifier: ISC */
/* What a script lets a member say of groups, and to one: near what an honest
 * one would say, or far from it. */
#ifndef ELECTD_TESTS_MODEL_FUZZ_FEED_GROUP_H
#define ELECTD_TESTS_MODEL_FUZZ_FEED_GROUP_H

#include "tests/lib/member.h"
#include "tests/model/fuzz/feed_word.h"

#define FEED_GROUP_WORD_BYTES                                                  \
	(2 * FRAME_BYTES + GROUP_KEY_BYTES + GROUP_HEARD_BYTES)

/* Writes what the session tells: the member's key, what it has of the node's
 * group datagrams, or both. Returns the number of frames. */
unsigned feed_group_word(struct reader *r, struct member *m, struct writer *w);

/* Makes a group datagram; `place` is the node's, in the order of ids. */
size_t feed_group(struct reader *r, struct member *m, unsigned place,
    const struct feed_honest *h, uint8_t *datagram);

#endif
