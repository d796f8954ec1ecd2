/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/run/timers.h"

#include <stdlib.h>

void
timers_init(struct timers *t, uint32_t nodes)
{
	*t = (struct timers){ .nodes = nodes };
}

void
timers_free(struct timers *t)
{
	free(t->timers);
	*t = (struct timers){ 0 };
}

static bool
timers_allocate(struct timers *t)
{
	t->timers = calloc((size_t)t->nodes + 1, sizeof(*t->timers));
	if (t->timers == NULL)
		return false;
	t->timers[t->nodes].before = t->nodes;
	t->timers[t->nodes].after = t->nodes;
	return true;
}

static void
timers_disarm(struct timers *t, uint32_t node)
{
	struct timer *timer = &t->timers[node];

	assert(timer->is_armed);
	t->timers[timer->before].after = timer->after;
	t->timers[timer->after].before = timer->before;
	timer->is_armed = false;
	t->armed--;
}

bool
timers_arm(struct timers *t, uint32_t node, uint32_t depth)
{
	struct timer *end, *timer;

	assert(node < t->nodes);
	if (t->timers == NULL && !timers_allocate(t))
		return false;
	end = &t->timers[t->nodes];
	timer = &t->timers[node];
	if (timer->is_armed)
		timers_disarm(t, node);
	*timer = (struct timer){
		.before = end->before,
		.after = t->nodes,
		.depth = depth,
		.is_armed = true,
	};
	t->timers[end->before].after = node;
	end->before = node;
	t->armed++;
	return true;
}

uint32_t
timers_depth(const struct timers *t)
{
	assert(t->armed > 0);
	return t->timers[t->timers[t->nodes].after].depth;
}

uint32_t
timers_take(struct timers *t, uint32_t *depth)
{
	uint32_t node;

	assert(t->armed > 0);
	node = t->timers[t->nodes].after;
	*depth = t->timers[node].depth;
	timers_disarm(t, node);
	return node;
}
