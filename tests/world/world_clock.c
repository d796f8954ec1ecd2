/* SPDX-License-Identifier: ISC */
/*
 * Hosts' clocks. Each shows a time of its own and runs a little fast or slow;
 * none runs backwards.
 */
#include "tests/world/world.h"

#define PERMILLE  1000
#define FAR_AHEAD (1000 * 86400 * SEC) /* a deadline beyond it counts as none */

nsec_t
clock_local(const struct process *p, nsec_t world_time)
{
	nsec_t until = p->frozen ? p->paused_at : world_time;
	nsec_t elapsed = nsec_since(until, p->clock_zero);

	return p->clock_base +
	       elapsed * (nsec_t)(PERMILLE + p->rate) / PERMILLE;
}

/* Gives the first moment at which the process's clock shows at least `local`.
 */
nsec_t
clock_world(const struct process *p, nsec_t local)
{
	nsec_t elapsed = nsec_since(local, p->clock_base);
	nsec_t speed = (nsec_t)(PERMILLE + p->rate);

	if (elapsed > FAR_AHEAD)
		return NSEC_NEVER;
	return p->clock_zero + (elapsed * PERMILLE + speed - 1) / speed;
}

void
clock_set_rate(struct process *p, nsec_t world_time, int rate)
{
	assert(rate > -PERMILLE);
	assert(rate < PERMILLE);
	p->clock_base = clock_local(p, world_time);
	p->clock_zero = world_time;
	p->rate = rate;
}
