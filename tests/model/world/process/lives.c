/* SPDX-License-Identifier: ISC */
/* The lives of processes: they start and end, are paused, and go on. */
#include "tests/model/world/process/process.h"

#include <stdlib.h>

void
process_end(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	disk_end(w, name);
	configs_end(w, name);
	snapshots_end(w, name);
	lead_end(w, name);
	runs_lost(w, name);
	world_disturb(w);
	p->fallen_at = w->now;
	p->stops = false;
	node_done(p->node);
	free(p->node);
	p->node = NULL;
	will_forget(w, name);
	tapes_end(w, name);
	p->paused = false;
	p->clock.is_frozen = false;
	p->fate.dies = false;
	p->step.is_open = false;
	p->fate.stalls_for = 0;
	p->questions.is_serving = false;
	p->questions.count = 0;
	for (size_t i = 0; i < p->socket.count; i++)
		free(p->socket.waiting[i]);
	p->socket.count = 0;
}

static void
start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct node_setup setup;
	struct world_peers peers;
	void *memory;

	tap_start(w, name);
	address_start(w, name);
	configs_start(w, name);
	world_configure(w, p, &setup, &peers);
	p->speaks = setup.versions;
	memory = calloc(1, node_size(&setup));
	assert(memory != NULL);
	p->node = node_init(memory, &setup, clock_local(&p->clock, w->now));
	tapes_start(w, name);
	p->lives++;
	will_start(w, name, &setup);
	p->observed.term = 0;
	p->observed.heard = 0;
	p->observed.has_followed = false;
	p->observed.events = 0;
	p->observed.leader = (struct notice){ .kind = NOTICE_NO_LEADER };
	p->observed.seen = (struct seen){ .state = STATE_STARTING,
		.state_health = p->state_health };
	p->lacks_carrier = p->configs.has_older_file = false;
	world_disturb(w);
	process_act(w, name);
	cable_tell(w, name);
}

void
world_start(struct world *w, process_name name)
{
	assert(name <= w->setup.nodes);
	if (world_runs(w, name))
		return;
	disk_start(w, name);
	world_note(w, "start %u", name);
	start(w, name);
}

static void
start_copy(struct world *w, node_id id, const struct durable_state *record,
    bool is_lost)
{
	struct process *p = &w->processes[WORLD_COPY];
	const struct process *original = &w->processes[id];

	*p = (struct process){
		.id = id,
		.host = id,
		.priority = original->priority,
		.role = original->role,
		.versions = original->versions,
		.lives = p->lives,
		.disk.durable = *record,
		.disk.is_lost = is_lost,
		.state_health =
		    is_lost ? STATE_HEALTH_LOST : STATE_HEALTH_SOUND,
		.clock.zero = original->clock.zero,
		.clock.base = original->clock.base,
		.clock.rate = original->clock.rate,
	};
	p->configs.config_id = original->configs.config_id;
	p->configs.file = p->configs.kept = original->configs.file;
	p->configs.host_file = original->configs.host_file;
	world_note(w, "start a copy of %u", id);
	start(w, WORLD_COPY);
}

void
world_copy(struct world *w, node_id id, uint64_t incarnation)
{
	const struct durable_state record = { .incarnation = incarnation };

	if (!world_runs(w, WORLD_COPY))
		start_copy(
		    w, id, &record, w->setup.guarantee == GUARANTEE_QUORUM);
}

void
world_clone(struct world *w, node_id id)
{
	struct durable_state record = w->processes[id].disk.durable;

	record.incarnation = incarnation_after(
	    record.incarnation, w->setup.guarantee == GUARANTEE_QUORUM);
	if (!world_runs(w, WORLD_COPY))
		start_copy(w, id, &record, false);
}

void
world_crash(struct world *w, process_name name)
{
	if (!world_runs(w, name))
		return;
	world_note(w, "crash %u", name);
	will_die(w, name);
	process_end(w, name);
}

void
world_stop(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!world_runs(w, name) || p->paused || p->stops)
		return;
	world_note(w, "stop %u", name);
	world_disturb(w);
	p->stops = true;
	tap_listen(w, name);
	will_part(w, name);
	node_stop(p->node, clock_local(&p->clock, w->now));
	process_act(w, name);
}

void
world_pause(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!world_runs(w, name) || p->paused)
		return;
	world_note(w, "pause %u", name);
	world_disturb(w);
	p->paused = true;
	p->paused_at = w->now;
	will_pause(w, name);
}

void
world_freeze(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (p->paused)
		return;
	world_pause(w, name);
	if (!p->paused)
		return;
	clock_freeze(&p->clock, w->now);
	p->lead.excused_until =
	    nsec_after(clock_local(&p->clock, w->now), p->configs.file.lease);
	runs_suspend(w, name);
}

/* Datagrams that wait in the socket arrive now, before the deadline if that is
 * due. */
void
world_resume(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!world_runs(w, name) || !p->paused)
		return;
	world_note(w, "resume %u", name);
	world_disturb(w);
	if (p->clock.is_frozen) {
		clock_thaw(&p->clock, w->now);
		p->wake = clock_world(&p->clock, node_deadline(p->node));
	}
	runs_wake(w, name);
	p->paused = false;
	p->resumed_at = w->now;
	process_go_on(w, name);
	if (!world_runs(w, name) || p->paused)
		return;
	disk_resume(w, name);
	configs_resume(w, name);
	for (size_t i = 0; i < p->socket.count; i++) {
		p->socket.waiting[i]->at = w->now;
		world_queue_push(&w->queue, p->socket.waiting[i]);
	}
	p->socket.count = 0;
	if (p->questions.count > 0 || p->questions.is_serving)
		clients_serve(w, name);
	if (world_runs(w, name) && !p->paused)
		process_heed(w, name);
	cable_tell(w, name);
}

void
world_set_clock(struct world *w, process_name name, int rate)
{
	struct process *p = &w->processes[name];

	clock_set_rate(&p->clock, w->now, rate);
	world_disturb(w);
	if (p->node != NULL)
		p->wake = clock_world(&p->clock, node_deadline(p->node));
}

void
world_suspend(struct world *w, process_name name, nsec_t duration)
{
	const struct fault end = { .kind = FAULT_WAKE, .target = name };

	world_note(w, "suspend the host of %u", name);
	world_pause(w, name);
	runs_suspend(w, name);
	world_at(w, nsec_after(w->now, duration), &end);
}

void
world_wake(struct world *w, process_name name)
{
	world_resume(w, name);
	runs_wake(w, name);
}

void
world_start_all(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++)
		world_start(w, name);
}
