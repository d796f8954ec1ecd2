/* SPDX-License-Identifier: ISC */
/* Time in a world: which event is next, and how long to go on. */
#include "tests/world.h"
#include "tests/world_process.h"
#include "tests/world_shape.h"

#include "algorithms/registry.h"

#include <stdlib.h>

#define IN_PLACE_MAX 1000 /* deadlines of a node at one moment: a loop */
#define CLOCK_SPREAD (UINT64_C(1000000) * SEC) /* what clocks show at first */

static const struct wire lan = {
	.delay_min = MSEC,
	.delay_max = MSEC,
};

static void
fill_defaults(struct world_setup *setup)
{
	if (setup->algorithm == NULL)
		setup->algorithm = algorithm_find("bully");
	if (setup->heartbeat == 0)
		setup->heartbeat = 100 * MSEC;
	if (setup->misses == 0)
		setup->misses = 3;
	if (setup->startup == 0)
		setup->startup = SEC;
	if ((setup->algorithm->choices & CHOICE_DIAMETER) &&
	    setup->choices.diameter == 0)
		setup->choices.diameter = setup->nodes - 1;
}

struct world *
world_new(const struct world_setup *setup)
{
	struct world *w = calloc(1, sizeof(*w));

	assert(w != NULL);
	assert(setup->nodes >= 1);
	assert(setup->nodes <= WORLD_NODES_MAX);
	w->setup = *setup;
	fill_defaults(&w->setup);
	world_shape(w);
	random_init(&w->random, setup->seed);
	world_trace_clear(w);
	for (unsigned id = 1; id <= WORLD_NODES_MAX; id++) {
		w->processes[id].id = id;
		w->processes[id].clock_base =
		    random_below(&w->random, CLOCK_SPREAD);
		for (unsigned to = 1; to <= WORLD_NODES_MAX; to++)
			w->wires[id][to] = lan;
	}
	return w;
}

void
world_free(struct world *w)
{
	if (w == NULL)
		return;
	for (process_name name = 1; name <= WORLD_COPY; name++)
		world_crash(w, name);
	world_queue_done(&w->queue);
	free(w->trace);
	free(w->tape);
	free(w);
}

void
world_start_all(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++)
		world_start(w, name);
}

/* The running process whose deadline is next; 0 if none runs. */
static process_name
first_to_wake(const struct world *w)
{
	process_name first = 0;

	for (process_name name = 1; name <= WORLD_COPY; name++) {
		const struct process *p = &w->processes[name];

		if (p->node == NULL || p->paused)
			continue;
		if (first == 0 || p->wake < w->processes[first].wake)
			first = name;
	}
	return first;
}

/* When the next event is; NSEC_NEVER if there is none. */
static nsec_t
next_at(const struct world *w)
{
	process_name name = first_to_wake(w);
	const struct pending *p = world_queue_first(&w->queue);
	nsec_t at = name == 0 ? NSEC_NEVER : w->processes[name].wake;

	if (p != NULL)
		at = nsec_earlier(at, p->at);
	return at > w->now ? at : w->now;
}

/* A deadline that stays where it is would stop time. */
static void
wake(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	process_tick(w, name);
	p->ticks_in_place = p->wake > w->now ? 0 : p->ticks_in_place + 1;
	if (p->ticks_in_place > IN_PLACE_MAX)
		world_fail(w, "the deadline of %u does not move", name);
}

bool
world_step(struct world *w)
{
	const struct pending *first = world_queue_first(&w->queue);
	nsec_t at = next_at(w);
	struct pending *p;

	if (w->halted || at == NSEC_NEVER)
		return false;
	w->now = at;
	if (first == NULL || first->at > at) {
		wake(w, first_to_wake(w));
		return true;
	}
	p = world_queue_pop(&w->queue);
	if (p->kind == PENDING_FAULT) {
		world_fault(w, &p->fault);
		free(p);
	} else if (process_arrive(w, p)) {
		free(p);
	}
	return true;
}

static bool
never(struct world *w)
{
	(void)w;
	return false;
}

void
world_run(struct world *w, nsec_t duration)
{
	world_run_until(w, never, duration);
}

bool
world_run_until(struct world *w, bool (*done)(struct world *w), nsec_t limit)
{
	nsec_t until = nsec_after(w->now, limit);

	for (;;) {
		if (w->halted)
			return false;
		if (done(w))
			return true;
		if (next_at(w) > until)
			break;
		world_step(w);
	}
	w->now = until;
	return false;
}

void
world_at(struct world *w, nsec_t at, const struct fault *fault)
{
	struct pending *p = pending_new(PENDING_FAULT, at, NULL, 0);

	p->target = fault->target;
	p->fault = *fault;
	world_queue_push(&w->queue, p);
}

static void
fault_network(struct world *w, const struct fault *f)
{
	if (f->kind == FAULT_CUT_BOTH)
		world_cut(w, f->target, f->other);
	else if (f->kind == FAULT_CUT)
		world_cut_way(w, f->target, f->other);
	else if (f->kind == FAULT_MEND)
		world_mend(w, f->target, f->other);
	else if (f->kind == FAULT_SPLIT)
		world_split(w, (unsigned)f->amount);
	else if (f->kind == FAULT_HEAL)
		world_heal(w);
	else
		world_weather(w, &f->weather);
}

void
world_fault(struct world *w, const struct fault *f)
{
	switch ((enum fault_kind)f->kind) {
	case FAULT_START:
		world_start(w, f->target);
		break;
	case FAULT_FORGET:
		world_forget(w, f->target);
		break;
	case FAULT_STOP:
		world_stop(w, f->target);
		break;
	case FAULT_CRASH:
		world_crash(w, f->target);
		break;
	case FAULT_CRASH_AFTER:
		world_crash_after(w, f->target, (unsigned)f->amount);
		break;
	case FAULT_PAUSE:
		world_pause(w, f->target);
		break;
	case FAULT_FREEZE:
		world_freeze(w, f->target);
		break;
	case FAULT_RESUME:
		world_resume(w, f->target);
		break;
	case FAULT_CLOCK:
		world_set_clock(w, f->target, (int)(int64_t)f->amount);
		break;
	case FAULT_ELECT:
		world_elect(w, f->target);
		break;
	case FAULT_COPY:
		world_copy(w, f->target, f->amount);
		break;
	case FAULT_NOISE:
		world_inject_noise(w, f->target);
		break;
	case FAULT_CUT_BOTH:
	case FAULT_CUT:
	case FAULT_MEND:
	case FAULT_SPLIT:
	case FAULT_HEAL:
	case FAULT_WEATHER:
		fault_network(w, f);
		break;
	}
}
