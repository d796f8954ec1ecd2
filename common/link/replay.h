/* SPDX-License-Identifier: ISC */
/*
 * Replay protection of one direction of a session: a window over the packet
 * numbers that were accepted (RFC 4303 3.4.3; a ring of bits that is never
 * shifted, as in RFC 6479). A zeroed window has seen nothing.
 */
#ifndef ELECTD_COMMON_LINK_REPLAY_H
#define ELECTD_COMMON_LINK_REPLAY_H

#include "common/util/types.h"

#define REPLAY_WINDOW 1024 /* numbers; far more than reordering spans */

struct replay {
	uint64_t next;                     /* above every number accepted */
	uint64_t seen[REPLAY_WINDOW / 64]; /* bit: number % REPLAY_WINDOW */
};

/*
 * True if this number is neither seen nor too old to tell. The caller asks
 * before it verifies the seal; nothing changes, because the number may be
 * forged. UINT64_MAX is never fresh: nobody counts that far.
 */
bool replay_fresh(const struct replay *r, uint64_t number);

/* Marks a number as seen. It is fresh, and the seal of its packet verified. */
void replay_accept(struct replay *r, uint64_t number);

/* True if no higher number was accepted than this one, which was. */
bool replay_is_latest(const struct replay *r, uint64_t number);

/* Asserts every invariant. */
void replay_check(const struct replay *r);

#endif
