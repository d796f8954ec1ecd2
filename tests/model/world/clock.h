/* SPDX-License-Identifier: ISC */
/*
 * Hosts' clocks. Each shows a time of its own and runs a little fast or slow;
 * none runs backwards.
 */
#ifndef ELECTD_TESTS_MODEL_WORLD_WORLD_CLOCK_H
#define ELECTD_TESTS_MODEL_WORLD_WORLD_CLOCK_H

#include "common/util/types.h"

/* At the world time `zero` it showed `base`. */
struct host_clock {
	nsec_t zero;
	nsec_t base;
	int rate;         /* it runs this many permille fast */
	bool is_frozen;   /* it stands still with its host, */
	nsec_t frozen_at; /* since this world time */
};

/* Gives what the clock shows at this world time. */
nsec_t clock_local(const struct host_clock *c, nsec_t world_time);

/* Gives the first moment at which the clock shows at least `local`. */
nsec_t clock_world(const struct host_clock *c, nsec_t local);

/* From this world time on it runs at another rate; it stands still; it goes on
 * from where it stood. */
void clock_set_rate(struct host_clock *c, nsec_t world_time, int rate);
void clock_freeze(struct host_clock *c, nsec_t world_time);
void clock_thaw(struct host_clock *c, nsec_t world_time);

#endif
