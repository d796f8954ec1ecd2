/* SPDX-License-Identifier: ISC */
/*
 * Rank: what an election compares, (eligible, contender, priority, id) in that
 * order (PROTOCOL.md, Rank). Ids are unique, so two ranks of a cluster never
 * tie.
 */
#ifndef ELECTD_COMMON_WIRE_RANK_H
#define ELECTD_COMMON_WIRE_RANK_H

#include "common/util/bytes.h"

/* Which id is better, all else equal. A larger priority is always better. */
enum prefer {
	PREFER_HIGHEST,
	PREFER_LOWEST,
};

struct rank {
	bool is_eligible;  /* may be elected */
	bool is_contender; /* eligible, and may take over from a leader, or is
	                    * a leader that may keep the lead */
	FILLER(2);
	int32_t priority;
	node_id id; /* NODE_NONE: the rank of nobody */
};

/* True if `a` is better than `b`; never true of equal ranks. */
bool rank_better(
    const struct rank *a, const struct rank *b, enum prefer prefer);

/* True if all fields are the same. */
bool rank_equal(const struct rank *a, const struct rank *b);

#define RANK_BYTES 9 /* bytes on the wire */

/* Writes a rank, RANK_BYTES bytes. */
void rank_encode(struct writer *w, const struct rank *rank);

/* Reads a rank; false if it is out of range: *rank is then unspecified. */
bool rank_decode(struct reader *r, struct rank *rank);

#endif
