/* SPDX-License-Identifier: ISC */
/* The inputs that a host gives to its node. step.c performs what follows. */
#include "tests/model/world/process/process.h"

#include <inttypes.h>

/* The processes that answer an operator. */
static bool
takes_orders(struct world *w, process_name name)
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

	if (!takes_orders(w, name))
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

	if (!takes_orders(w, name))
		return RESIGN_NO_LEADER;
	world_note(w, "resign %u to %u", name, to);
	begun = node_resign(p->node, clock_local(&p->clock, w->now), to, "");
	process_act(w, name);
	return begun;
}

void
world_stand(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!takes_orders(w, name))
		return;
	world_note(w, "%u may lead again", name);
	p->order.standby.is_on = false;
	for (unsigned cause = 0; cause < STANDBY_CAUSES; cause++)
		node_set_standby(p->node, clock_local(&p->clock, w->now),
		    &(struct standby){ .cause = (enum standby_cause)cause });
	process_act(w, name);
}

void
world_standby(struct world *w, process_name name, nsec_t lasts)
{
	struct process *p = &w->processes[name];

	if (!takes_orders(w, name))
		return;
	world_note(w, "%u goes on standby for %" PRIu64 " us", name,
	    lasts == NSEC_NEVER ? 0 : lasts / USEC);
	p->order.standby = (struct standby){
		.is_on = true, .left = lasts, .reason = "by the plan"
	};
	p->order.at = w->now;
	node_set_standby(
	    p->node, clock_local(&p->clock, w->now), &p->order.standby);
	process_act(w, name);
}

void
world_sicken(struct world *w, process_name name, nsec_t lasts)
{
	struct process *p = &w->processes[name];
	const struct standby sick = { .is_on = true,
		.cause = STANDBY_CHECK,
		.left = lasts,
		.reason = "sick" };

	if (!takes_orders(w, name))
		return;
	world_note(
	    w, "a check fails at %u for %" PRIu64 " us", name, lasts / USEC);
	node_set_standby(p->node, clock_local(&p->clock, w->now), &sick);
	process_act(w, name);
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
	d->waited = w->network.timestamps;
	p->socket.waiting[p->socket.count++] = d;
	return false;
}

bool
process_refused(struct world *w, struct pending *refusal)
{
	struct process *p = &w->processes[refusal->target];

	/* The process may have ended, or know the other no more. */
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

	if (d->to_address != w->network.addresses[p->host]) {
		w->counters.unheard++;
		return true;
	}
	if (p->node == NULL) {
		w->counters.unheard++;
		if (!d->by_group)
			wires_refuse(w, d->from, p->host);
		return true;
	}
	if (p->paused)
		return wait_in_socket(w, p, d);
	w->counters.delivered++;
	p->observed.heard =
	    d->sent > p->observed.heard ? d->sent : p->observed.heard;
	w->source.may_reply = !d->by_group || w->discovery.is_on;
	w->source.place = (struct place){ d->from, d->from_address };
	w->source.room = d->size;
	tap_listen(w, d->target);
	taken = node_counters(p->node)->received;
	node_receive(p->node, now, d->waited ? nsec_since(now, d->arrived) : 0,
	    d->by_group ? PEER_GROUP
			: address_peer(w, d->target, &w->source.place),
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
