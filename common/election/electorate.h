/* SPDX-License-Identifier: ISC */
/*
 * The voters, and why terms never go back when that changes (PROTOCOL.md,
 * Generations, and PROTOCOL.md, Proof).
 *
 * Two majorities of one set of voters share a voter, which keeps terms apart
 * under the guarantee "quorum". Majorities of different sets need not share
 * one. So each set has a generation, which the operator raises with every
 * change of the voters. Each generation has terms of its own, above those of
 * all earlier ones. A voter records the generation and a digest of the voters'
 * ids, and votes for these or for a later generation only.
 */
#ifndef ELECTD_COMMON_ELECTION_ELECTORATE_H
#define ELECTD_COMMON_ELECTION_ELECTORATE_H

#include "common/util/types.h"

#define GENERATION_TERMS ((uint64_t)1000000000) /* no cluster uses so many */
#define GENERATION_JUMP  ((uint64_t)1000000)    /* honest terms are nearer */

/* The voters of a cluster. All zero: not known. */
struct electorate {
	uint32_t generation;        /* at most GENERATION_MAX */
	uint8_t voters[SALT_BYTES]; /* a digest of their ids */
};

/* True if a voter that recorded `was` may vote when configured with `is`. */
bool electorate_admits(
    const struct electorate *was, const struct electorate *is);

/* The terms of a generation are above this one. */
uint64_t generation_floor(uint32_t generation);

/* The terms of a generation are not above this one. */
uint64_t generation_ceiling(uint32_t generation);

/* Asserts every invariant. */
void electorate_check(const struct electorate *electorate);

#endif
