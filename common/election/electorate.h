/* SPDX-License-Identifier: ISC */
/*
 * Who votes, and why terms never go back when that changes.
 *
 * Two majorities of the same voters have a voter in common, and that one keeps
 * terms apart under the guarantee "quorum". Majorities of different voters may
 * have none. So each set of voters has a generation: a number that the operator
 * raises in the configuration with every change of who votes. Each generation
 * has terms of its own, all of them above those of the generation before.
 *
 * A voter keeps the generation and a digest of the voters in its record. It
 * votes for the voters that it has recorded, or for those of a later
 * generation, which it records before it says a word. It does not vote for an
 * earlier generation, nor for other voters of the same one.
 *
 * No term is given twice. Two generations have no term in common. In one
 * generation a voter votes for one set of voters only, so two majorities meet.
 *
 * No term goes back. Say L leads in generation g and M in a later one, h. Every
 * term of h is higher, so it remains to show that L does not begin to lead
 * after M did.
 * - If the operator stops all daemons of g before any of h starts, that is so.
 * - If the voters differ by one, a majority of g and one of h have a voter in
 *   common. It granted M in a life that had recorded h, so it granted L in an
 *   earlier one, for it grants nobody in g any more. In its new life it grants
 *   nobody until every lease that rests on an earlier grant is over
 *   (PROTOCOL.md, Proof, lemmas 1 and 2). L began while its lease ran: before
 *   M.
 * If the operator does neither, two nodes may lead at a time. But the one in g
 * has the lower term, which whatever checks terms refuses.
 *
 * The operator may forget to raise the generation. Then no voter that voted
 * before votes. A majority of the new voters that never voted cannot know, and
 * would use terms again: the proof needs the operator there.
 *
 * A node that lost its record joins the generation that it is configured with.
 * If a majority lost theirs, a higher generation makes their promises void.
 */
#ifndef ELECTD_COMMON_ELECTION_ELECTORATE_H
#define ELECTD_COMMON_ELECTION_ELECTORATE_H

#include "common/util/types.h"

/* More elections than there can be, and yet its multiples are easy to read. */
#define GENERATION_TERMS ((uint64_t)1000000000)
#define GENERATION_JUMP  ((uint64_t)1000000) /* one is never so far ahead */
#define GENERATION_MAX   1000000 /* the last term is below 2^53 (JSON) */

/* Those who vote; all zero: nobody knows. */
struct electorate {
	uint32_t generation;
	uint8_t voters[SALT_BYTES]; /* a digest of their ids */
};

/* May a voter that recorded `was` vote when it is configured with `is`? */
bool electorate_admits(
    const struct electorate *was, const struct electorate *is);

/* The terms of a generation lie above the first and not above the second. */
uint64_t generation_floor(uint32_t generation);
uint64_t generation_ceiling(uint32_t generation);

#endif
