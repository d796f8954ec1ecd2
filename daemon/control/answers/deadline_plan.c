/* SPDX-License-Identifier: ISC */
#include "daemon/control/answers/deadline_plan.h"

/* A deadline lies about 8/11 of a lease ahead. The next one is sent once 7 of
 * 12 parts of a lease are left; we look once in each part. A first one has at
 * least 6 parts left: only a leader that is not heard any more can give no
 * more. */
#define LOOK_PARTS  12
#define PARTS_LEFT  7
#define PARTS_FIRST 6

bool
deadline_is_due(nsec_t lease, nsec_t now, nsec_t sent, nsec_t until)
{
	nsec_t part = lease / LOOK_PARTS;

	if (until <= sent || nsec_since(sent, now) > part * PARTS_LEFT)
		return false;
	return sent > now || nsec_since(until, now) >= part * PARTS_FIRST;
}

nsec_t
deadline_look_gap(nsec_t lease)
{
	return lease / LOOK_PARTS;
}
