/* SPDX-License-Identifier: ISC */
#include "common/link/flaps.h"

#include "common/wire/packet.h"

_Static_assert(FLAPS_MAX <= RESTARTS_MAX, "a body carries a count of flaps");

unsigned
flaps_count(const struct flaps *f, nsec_t now)
{
	nsec_t forgiven = nsec_since(now, f->at) / FLAPS_FORGIVE;

	return forgiven < f->count ? f->count - (unsigned)forgiven : 0;
}

void
flaps_add(struct flaps *f, nsec_t now)
{
	unsigned count = flaps_count(f, now);

	f->count = count < FLAPS_MAX ? count + 1 : FLAPS_MAX;
	f->at = now;
	assert(flaps_count(f, now) == f->count);
	flaps_check(f);
}

void
flaps_raise(struct flaps *f, nsec_t now, unsigned count)
{
	assert(count <= FLAPS_MAX);
	if (count <= flaps_count(f, now))
		return;
	f->count = count;
	f->at = now;
	flaps_check(f);
}

nsec_t
flaps_pause(unsigned count, nsec_t detection)
{
	nsec_t least = detection > FLAPS_PAUSE ? detection : FLAPS_PAUSE;

	assert(count <= FLAPS_MAX);
	return count < 2 ? 0 : least << (count - 2);
}

void
flaps_check(const struct flaps *f)
{
	assert(f->count <= FLAPS_MAX);
}
