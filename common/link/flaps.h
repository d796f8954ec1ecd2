/* SPDX-License-Identifier: ISC */
/*
 * Counts flaps: how often a node or a link has come and gone lately
 * (PROTOCOL.md, Flap damping). Calm forgives them, one after the other.
 * Zeroed, there were none.
 */
#ifndef ELECTD_COMMON_LINK_FLAPS_H
#define ELECTD_COMMON_LINK_FLAPS_H

#include "common/util/types.h"

#define FLAPS_MAX     7          /* a body has three bits for them */
#define FLAPS_FORGIVE (30 * SEC) /* the calm that forgives one flap */
#define FLAPS_PAUSE   (1 * SEC)  /* the shortest pause after the second */

struct flaps {
	unsigned count; /* at the time of the last one; at most FLAPS_MAX */
	nsec_t at;      /* the time of the last one */
};

/* How many flaps are not forgiven yet. */
unsigned flaps_count(const struct flaps *f, nsec_t now);

/* Counts one flap, now. */
void flaps_add(struct flaps *f, nsec_t now);

/*
 * Takes the count of a peer, at most FLAPS_MAX: if that is higher than ours,
 * ours becomes the same, with the last flap now.
 */
void flaps_raise(struct flaps *f, nsec_t now, unsigned count);

/*
 * For how long `count` flaps make a node damped: not at all for the first, an
 * accident; for the second FLAPS_PAUSE or the detection time `detection`, the
 * longer; twice as long with each further one.
 */
nsec_t flaps_pause(unsigned count, nsec_t detection);

/* Asserts every invariant. */
void flaps_check(const struct flaps *f);

#endif
