/* SPDX-License-Identifier: ISC */
/*
 * Replay protection of one direction of a session: a window over the packet
 * numbers that were accepted (RFC 4303 3.4.3; a ring of bits that is never
 * shifted, as in RFC 6479). A zeroed window has seen nothing.
 */
#ifndef ELECTD_COMMON_WIRE_REPLAY_H
#define ELECTD_COMMON_WIRE_REPLAY_H

#include "common/util/types.h"

#define REPLAY_WINDOW 1024 /* numbers; far more than reordering spans */

struct replay {
	uint64_t next;                     /* above every number accepted */
	uint64_t seen[REPLAY_WINDOW / 64]; /* bit: number % REPLAY_WINDOW */
};

/*
 * Is this number new, and not too old to tell? Asked before the seal is
 * verified; changes nothing, as the number may be forged. UINT64_MAX is never
 * fresh: nobody counts that far.
 */
bool replay_fresh(const struct replay *r, uint64_t number);

/* Takes a number that is fresh and whose packet has been verified. */
void replay_accept(struct replay *r, uint64_t number);

#endif
