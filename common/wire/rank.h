/* SPDX-License-Identifier: ISC */
/*
 * Rank: what an election compares. (stands, sits, priority, id), in that
 * order; ids are unique, so two ranks of a cluster never tie.
 */
#ifndef ELECTD_COMMON_WIRE_RANK_H
#define ELECTD_COMMON_WIRE_RANK_H

#include "common/util/bytes.h"

/* Which id is better, all else equal. Priority: larger is always better. */
enum prefer {
	PREFER_HIGHEST,
	PREFER_LOWEST,
};

/*
 * stands: may be elected. sits: is steady (node_steady.c), and a leader, or a
 * candidate that may take over from one (node.h, enum preempt).
 */
struct rank {
	bool is_eligible;
	bool is_contender;
	int32_t priority;
	node_id id;
};

/* Is `a` better than `b`? Never true of equal ranks. */
bool rank_better(
    const struct rank *a, const struct rank *b, enum prefer prefer);

/*
 * Copies it field by field, so that what lies between the fields is not
 * copied: states of algorithms are compared as bytes.
 */
void rank_copy(struct rank *to, const struct rank *from);

/* The same rank in every part? */
bool rank_equal(const struct rank *a, const struct rank *b);

#define RANK_BYTES 9 /* on the wire */

/* Writes a rank, RANK_BYTES bytes. */
void rank_encode(struct writer *w, const struct rank *rank);

/* Reads a rank; false if it is out of range: *rank is then unspecified. */
bool rank_decode(struct reader *r, struct rank *rank);

#endif
