/* SPDX-License-Identifier: ISC */
/*
 * The processes of a world: their lives, and the inputs that a host gives to
 * its node. world_step.c performs what follows.
 */
#include "tests/world/world_process.h"
#include "tests/world/world_shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

void
process_end(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	disk_end(w, name);
	editions_end(w, name);
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
	editions_start(w, name);
	world_configure(w, p, &setup, &peers);
	p->speaks = setup.versions;
	memory = calloc(1, node_size(&setup));
	assert(memory != NULL);
	p->node = node_init(memory, &setup, clock_local(&p->clock, w->now));
	tapes_start(w, name);
	editions_started(w, name);
	p->lives++;
	will_start(w, name, &setup);
	p->observed.term = 0;
	p->observed.heard = 0;
	p->observed.has_followed = false;
	p->observed.events = 0;
	p->observed.leader = (struct notice){ .kind = NOTICE_NO_LEADER };
	p->observed.seen = (struct seen){ .state = STATE_STARTING,
		.state_health = p->state_health };
	p->lacks_carrier = p->editions.has_older_file = false;
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
	p->editions.edition = original->editions.edition;
	p->editions.file = p->editions.kept = original->editions.file;
	p->editions.host_file = original->editions.host_file;
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
world_crash_after(struct world *w, process_name name, unsigned actions)
{
	w->processes[name].fate.dies = world_runs(w, name);
	w->processes[name].fate.actions_left = actions;
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

/* The processes that answer an operator. */
static bool
may_wish(struct world *w, process_name name)
{
	if (!world_runs(w, name) || w->processes[name].paused)
		return false;
	world_disturb(w);
	tap_listen(w, name);
	return true;
}

void
world_elect(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!may_wish(w, name))
		return;
	world_note(w, "elect at %u", name);
	node_elect(p->node, clock_local(&p->clock, w->now));
	process_act(w, name);
}

enum resignation
world_resign(struct world *w, process_name name, node_id to)
{
	struct process *p = &w->processes[name];
	enum resignation begun;

	if (!may_wish(w, name))
		return RESIGN_NO_LEADER;
	world_note(w, "resign %u to %u", name, to);
	begun = node_resign(p->node, clock_local(&p->clock, w->now), to);
	process_act(w, name);
	return begun;
}

void
world_stand(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!may_wish(w, name))
		return;
	world_note(w, "%u may lead again", name);
	p->aside.standby.is_on = false;
	node_set_standby(
	    p->node, clock_local(&p->clock, w->now), &p->aside.standby);
	node_stand(p->node, clock_local(&p->clock, w->now));
	process_act(w, name);
}

void
world_standby(struct world *w, process_name name, nsec_t lasts)
{
	struct process *p = &w->processes[name];

	if (!may_wish(w, name))
		return;
	world_note(w, "%u is set aside for %" PRIu64 " us", name,
	    lasts == NSEC_NEVER ? 0 : lasts / USEC);
	p->aside.standby = (struct standby){
		.is_on = true, .left = lasts, .reason = "by the plan"
	};
	p->aside.at = w->now;
	node_set_standby(
	    p->node, clock_local(&p->clock, w->now), &p->aside.standby);
	process_act(w, name);
}

bool
world_is_aside(const struct world *w, node_id id)
{
	const struct process *p = &w->processes[world_voice(w, id)];

	return p->aside.standby.is_on && p->aside.standby.left == NSEC_NEVER;
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
	    nsec_after(clock_local(&p->clock, w->now), p->editions.file.lease);
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
	editions_resume(w, name);
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
process_heed(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!will_beat(&p->helper.will, clock_local(&p->clock, w->now)))
		return;
	tap_listen(w, name);
	node_declare_dead(p->node, clock_local(&p->clock, w->now));
	process_act(w, name);
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
process_refuse(struct world *w, node_id from, node_id id)
{
	const struct wire *back = &w->network.wires[id][from];
	struct pending *refusal;

	if (w->network.refuses == 0 || from == NODE_NONE || from == id ||
	    back->cut || random_below(&w->hosts, 1000) >= w->network.refuses)
		return;
	refusal = pending_new(PENDING_REFUSAL,
	    nsec_after(w->now,
		random_between(&w->hosts, back->delay_min, back->delay_max)),
	    NULL, 0);
	refusal->target = from;
	refusal->from = id;
	world_queue_push(&w->queue, refusal);
}

/* A paused process's datagrams wait in its socket. True if the socket is full.
 */
static bool
wait_in_socket(struct world *w, struct process *p, struct pending *d)
{
	if (p->socket.count == WORLD_SOCKET_MAX) {
		w->counters.overflow++;
		return true;
	}
	if (!d->waited)
		d->arrived = clock_local(&p->clock, w->now);
	d->waited = w->network.stamps;
	p->socket.waiting[p->socket.count++] = d;
	return false;
}

bool
process_refused(struct world *w, struct pending *refusal)
{
	struct process *p = &w->processes[refusal->target];

	/* It may not run any more, or know the other no more. */
	if (p->node == NULL || world_peer_of(p, refusal->from) == PEER_NONE)
		return true;
	if (p->paused)
		return wait_in_socket(w, p, refusal);
	tap_listen(w, refusal->target);
	node_refused(p->node, clock_local(&p->clock, w->now),
	    world_peer_of(p, refusal->from));
	process_act(w, refusal->target);
	return true;
}

/* A datagram arrives at a process. True if the world is done with it. */
bool
process_arrive(struct world *w, struct pending *d)
{
	struct process *p = &w->processes[d->target];
	nsec_t now = clock_local(&p->clock, w->now);
	uint64_t taken;

	if (d->to_address != w->network.addresses[p->id]) {
		w->counters.unheard++;
		return true;
	}
	if (p->node == NULL) {
		w->counters.unheard++;
		if (!d->by_group)
			process_refuse(w, d->from, p->id);
		return true;
	}
	if (p->paused)
		return wait_in_socket(w, p, d);
	w->counters.delivered++;
	p->observed.heard =
	    d->sent > p->observed.heard ? d->sent : p->observed.heard;
	w->source.may_reply = !d->by_group;
	w->source.id = d->from;
	w->source.address = d->from_address;
	w->source.room = d->size;
	tap_listen(w, d->target);
	taken = node_counters(p->node)->received;
	node_receive(p->node, now, d->waited ? nsec_since(now, d->arrived) : 0,
	    d->by_group ? PEER_GROUP
			: address_peer(w, d->target, d->from, d->from_address),
	    d->bytes, d->size);
	snapshots_heard(w, d->target, taken, &d->origin);
	process_act(w, d->target);
	w->source.may_reply = false;
	return true;
}

void
process_tick(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	p->observed.ticks++;
	tap_listen(w, name);
	node_tick(p->node, clock_local(&p->clock, w->now));
	process_act(w, name);
}

void
process_synced(struct world *w, const struct pending *sync)
{
	struct process *p = &w->processes[sync->target];
	bool ok;

	if (!disk_sync(w, sync, &ok))
		return;
	if (!ok)
		world_note(w, "the disk of %u fails", sync->target);
	tap_listen(w, sync->target);
	node_persisted(p->node, clock_local(&p->clock, w->now), ok);
	process_act(w, sync->target);
}
