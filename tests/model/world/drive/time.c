/* SPDX-License-Identifier: ISC */
/* Time in a world: which event is next, and how long to go on. */
#include "tests/model/world/drive/drive.h"

#include "algorithms/registry.h"

#include <stdlib.h>

#define IN_PLACE_MAX 1000 /* deadlines of a node at one moment */
#define CLOCK_SPREAD (UINT64_C(1000000) * SEC) /* of clocks at the start */

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
	else if (setup->startup == WORLD_NO_STARTUP)
		setup->startup = 0;
	if (setup->lease == 0)
		setup->lease = 2 * SEC;
	if (setup->calm == 0)
		setup->calm = WORLD_CALM;
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
	w->changes.settled = UINT64_MAX;
	tap_init(w);
	random_init(&w->random, setup->seed);
	random_init(&w->hosts, ~setup->seed);
	random_init(&w->clients.random, setup->seed + 1);
	random_init(&w->runs.random, setup->seed + 2);
	world_trace_clear(w);
	address_init(w);
	w->files.newest = (struct world_file){
		.members = ((1u << w->setup.nodes) - 1) << 1,
		.misses = w->setup.misses,
		.heartbeat = w->setup.heartbeat,
		.lease = w->setup.lease,
		.variant = w->setup.choices.variant,
		.topology = (uint8_t)w->setup.topology,
	};
	for (unsigned id = 1; id <= WORLD_NODES_MAX; id++) {
		w->processes[id].id = w->processes[id].host = id;
		w->processes[id].versions = (struct versions)PACKET_VERSIONS;
		w->processes[id].configs.file = w->processes[id].configs.kept =
		    w->files.newest;
		w->processes[id].configs.host_file = w->files.newest;
		w->processes[id].clock.base =
		    random_below(&w->random, CLOCK_SPREAD);
		for (unsigned to = 1; to <= WORLD_NODES_MAX; to++)
			w->network.wires[id][to] = lan;
	}
	return w;
}

void
world_free(struct world *w)
{
	if (w == NULL)
		return;
	for (process_name name = 1; name <= WORLD_COPY; name++) {
		world_crash(w, name);
		free(w->processes[name].told);
	}
	documents_free(w);
	world_queue_done(&w->queue);
	tap_done(w);
	free(w->leaders.reigns);
	free(w->trace.text);
	free(w->network.tape);
	free(w);
}

/* Gives the running process whose deadline is next; 0 if none runs. */
static process_name
first_to_wake(const struct world *w)
{
	const struct process *first = NULL;

	for (process_name name = 1; name <= WORLD_COPY; name++) {
		const struct process *p = &w->processes[name];

		if (p->node == NULL || p->paused)
			continue;
		if (first == NULL || p->wake < first->wake)
			first = p;
		if (name == w->setup.nodes)
			name = WORLD_COPY - 1;
	}
	return first != NULL ? (process_name)(first - w->processes) : 0;
}

/* The next event: the first of the queue, or a process whose deadline is due.
 */
struct next {
	nsec_t at; /* NSEC_NEVER: there is no event */
	process_name name;
	bool is_queued;
	bool is_run; /* of `electctl run` */
};

static struct next
next_of(const struct world *w)
{
	const struct pending *p = world_queue_first(&w->queue);
	struct next next = { .at = NSEC_NEVER, .name = first_to_wake(w) };
	process_name name = 0;
	nsec_t run_at = runs_next(w, &name);

	if (next.name != 0)
		next.at = w->processes[next.name].wake;
	if (next.at < w->now) /* the process was paused */
		next.at = w->now;
	if (p != NULL && p->at <= next.at) {
		next.is_queued = true;
		next.at = p->at;
	}
	if (run_at < next.at)
		next =
		    (struct next){ .at = run_at, .name = name, .is_run = true };
	return next;
}

/* A node that sets its deadline to the present again and again would stop time.
 */
static void
wake(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	process_tick(w, name);
	p->observed.ticks_in_place =
	    p->wake > w->now ? 0 : p->observed.ticks_in_place + 1;
	if (p->observed.ticks_in_place > IN_PLACE_MAX)
		world_fail(w, "the deadline of %u does not move", name);
}

/* What happens to `electctl run` may be an input of the host's process. */
static void
run(struct world *w, process_name name)
{
	if (runs_happen(w, name))
		process_act(w, name);
}

/* Handles what is due; of two at once, first what is in the queue. */
static void
happen(struct world *w, const struct next *next)
{
	struct pending *p;

	w->now = next->at;
	p = next->is_queued ? world_queue_pop(&w->queue) : NULL;
	if (next->is_run)
		run(w, next->name);
	else if (p == NULL)
		wake(w, next->name);
	else if (p->kind == PENDING_FAULT)
		world_fault(w, &p->fault);
	else if (p->kind == PENDING_SYNC)
		process_synced(w, p);
	else if (p->kind == PENDING_KEEP)
		configs_kept(w, p);
	else if (p->kind == PENDING_QUESTION)
		clients_ask(w);
	else if (p->kind == PENDING_WILL)
		will_due(w, p);
	else if (p->kind == PENDING_REFUSAL ? !process_refused(w, p)
					    : !process_arrive(w, p))
		p = NULL;
	free(p);
	if (w->leaders.uncounted != 0 && w->changes.count != w->changes.counted)
		lead_count(w);
}

bool
world_step(struct world *w)
{
	struct next next = next_of(w);

	if (w->halted || next.at == NSEC_NEVER)
		return false;
	happen(w, &next);
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
		struct next next;

		if (w->halted)
			return false;
		if (done(w))
			return true;
		next = next_of(w);
		if (next.at > until)
			break;
		happen(w, &next);
	}
	w->now = until;
	return false;
}
