/* SPDX-License-Identifier: ISC */
/*
 * How often something has come and gone lately. Each time counts until as much
 * calm has followed as forgives it.
 */
#ifndef ELECTD_COMMON_LINK_FLAPS_H
#define ELECTD_COMMON_LINK_FLAPS_H

#include "common/util/types.h"

#define FLAPS_MAX     7          /* three bits of a datagram tell of them */
#define FLAPS_FORGIVE (30 * SEC) /* of calm forgive one */
#define FLAPS_PAUSE   (1 * SEC)  /* after the second, or a detection: it */
				 /* doubles with each that follows */

struct flaps {
	unsigned count; /* as it was at ... */
	nsec_t at;      /* ... the last of them */
};

/* How many are not forgiven yet. */
unsigned flaps_count(const struct flaps *f, nsec_t now);

/* One more, now. */
void flaps_add(struct flaps *f, nsec_t now);

/* There were so many, the last of them now, as others have counted. */
void flaps_raise(struct flaps *f, nsec_t now, unsigned count);

/*
 * The pause after `count` flaps: the first is an accident and costs nothing.
 * `detection`: how long it takes to notice one.
 */
nsec_t flaps_pause(unsigned count, nsec_t detection);

#endif
