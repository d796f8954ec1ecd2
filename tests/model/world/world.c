/* SPDX-License-Identifier: ISC */
/* What all parts of a world use: what is true of it now, and how a broken
 * promise ends it. */
#include "tests/model/world/world.h"

#include <stdarg.h>
#include <stdlib.h>

void
world_fail(struct world *w, const char *format, ...)
{
	char why[240];
	va_list args;

	if (w->halted)
		return;
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	world_note(w, "BROKEN: %.140s", why);
	w->halted = true;
	if (w->setup.failed != NULL) {
		w->setup.failed(w, why);
		return;
	}
	fprintf(stderr, "%s\n%s\n", w->trace.text, why);
	abort();
}

void
world_disturb(struct world *w)
{
	w->changes.fault_at = w->now;
	w->changes.count++;
}

void
world_at(struct world *w, nsec_t at, const struct fault *fault)
{
	struct pending *p = pending_new(PENDING_FAULT, at, NULL, 0);

	p->target = fault->target;
	p->fault = *fault;
	world_queue_push(&w->queue, p);
}

bool
world_runs(const struct world *w, process_name name)
{
	assert(name >= 1);
	assert(name <= WORLD_COPY);
	return w->processes[name].node != NULL;
}

struct node_status
world_status(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	assert(p->node != NULL);
	return node_status(p->node, clock_local(&p->clock, w->now));
}

const struct node_counters *
world_counters(struct world *w, process_name name)
{
	assert(w->processes[name].node != NULL);
	return node_counters(w->processes[name].node);
}

bool
world_is_on_standby(const struct world *w, node_id id)
{
	const struct process *p = &w->processes[world_voice(w, id)];

	return p->order.standby.is_on && p->order.standby.left == NSEC_NEVER;
}

process_name
world_voice(const struct world *w, node_id id)
{
	const struct process *copy = &w->processes[WORLD_COPY];
	bool original = world_runs(w, id) && !w->processes[id].paused;
	bool second = copy->id == id && copy->node != NULL && !copy->paused;

	if (original == second)
		return 0;
	return original ? id : WORLD_COPY;
}

bool
world_is_pulled(const struct world *w, node_id id)
{
	return w->network.pulled >> id & 1;
}

bool
lead_is_excused(const struct world *w, const struct process *p)
{
	return clock_local(&p->clock, w->now) < p->lead.excused_until;
}

process_name
lead_first(const struct world *w)
{
	for (process_name name = 1; name <= WORLD_COPY; name++) {
		if (w->leaders.leading >> name & 1)
			return name;
	}
	return 0;
}
