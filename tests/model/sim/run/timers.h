/* SPDX-License-Identifier: ISC */
/*
 * The timers of a run, one for each node. They run out in the order in which
 * they were armed.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_RUN_TIMERS_H
#define ELECTD_TESTS_MODEL_SIM_RUN_TIMERS_H

#include "common/util/types.h"

/* A node's timer. Armed ones form a list, from and to timers[nodes]. */
struct timer {
	uint32_t before;
	uint32_t after;
	uint32_t depth; /* of the chain of messages when it runs out */
	bool is_armed;
};

struct timers {
	struct timer *timers; /* allocated when the first is armed */
	uint32_t nodes;
	uint32_t armed;
};

void timers_init(struct timers *t, uint32_t nodes);
void timers_free(struct timers *t);

/* Arms a node's timer, again if it is armed. False: there is no memory. */
bool timers_arm(struct timers *t, uint32_t node, uint32_t depth);

static inline bool
timers_are_empty(const struct timers *t)
{
	return t->armed == 0;
}

/* Gives the depth of the next to run out; there must be one. */
uint32_t timers_depth(const struct timers *t);

/* Gives the node whose timer runs out next, and disarms it. */
uint32_t timers_take(struct timers *t, uint32_t *depth);

#endif
