/* SPDX-License-Identifier: ISC */
/*
 * Hosts' clocks. Each shows a time of its own and runs a little fast or slow;
 * none runs backwards.
 */
#include "tests/model/world/clock.h"

#define PERMILLE  1000
#define FAR_AHEAD (1000 * 86400 * SEC) /* a deadline beyond it counts as none */

nsec_t
clock_local(const struct host_clock *c, nsec_t world_time)
{
	nsec_t until = c->is_frozen ? c->frozen_at : world_time;
	nsec_t elapsed = nsec_since(until, c->zero);

	return c->base + elapsed * (nsec_t)(PERMILLE + c->rate) / PERMILLE;
}

/* Gives the first moment at which the clock shows at least `local`.
 */
nsec_t
clock_world(const struct host_clock *c, nsec_t local)
{
	nsec_t elapsed = nsec_since(local, c->base);
	nsec_t speed = (nsec_t)(PERMILLE + c->rate);

	if (elapsed > FAR_AHEAD)
		return NSEC_NEVER;
	return c->zero + (elapsed * PERMILLE + speed - 1) / speed;
}

void
clock_set_rate(struct host_clock *c, nsec_t world_time, int rate)
{
	assert(rate > -PERMILLE);
	assert(rate < PERMILLE);
	c->base = clock_local(c, world_time);
	c->zero = world_time;
	c->rate = rate;
}

void
clock_freeze(struct host_clock *c, nsec_t world_time)
{
	c->is_frozen = true;
	c->frozen_at = world_time;
}

void
clock_thaw(struct host_clock *c, nsec_t world_time)
{
	clock_set_rate(c, world_time, c->rate);
	c->is_frozen = false;
}
