/* SPDX-License-Identifier: ISC */
/* The faults of a world, and their names. */
#include "tests/model/world/drive/drive.h"

#include <inttypes.h>

#define HOLDERS 500 /* permille of the clients, when a fault sends them */

/* From now on a write of the process takes up to `longest`. */
static void
slow_disk(struct world *w, process_name name, nsec_t longest)
{
	w->processes[name].disk.sync_longest = longest;
	world_note(w, "the disk of %u takes up to %" PRIu64 " us", name,
	    longest / USEC);
}

/* From now on its host cannot keep a file, or can. */
static void
fill_disk(struct world *w, process_name name, bool is_full)
{
	w->processes[name].disk.is_full = is_full;
	world_disturb(w);
	world_note(
	    w, "the disk of %u is %s", name, is_full ? "full" : "full no more");
}

/* From now on its host sends its datagrams one by one. */
static void
slow_sending(struct world *w, process_name name, nsec_t each, unsigned room)
{
	w->processes[name].outlet.each = each;
	w->processes[name].outlet.room = room;
	world_disturb(w);
	world_note(w, "a datagram of %u takes %" PRIu64 " us, %u may wait",
	    name, each / USEC, room);
}

static void
make_change_fatal(
    struct world *w, process_name name, unsigned after, nsec_t duration)
{
	w->processes[name].configs.fatal_until =
	    nsec_after(w->now, w->setup.lease);
	w->processes[name].configs.fatal_after = after;
	w->processes[name].configs.fatal_for = duration;
}

/* Gives the process that a fault hits; 0: none at present. */
static process_name
target_of(const struct world *w, process_name target)
{
	process_name found = 0;

	if (target == WORLD_LEADER)
		return lead_first(w);
	if (target <= WORLD_COPY)
		return target;
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		const struct process *p = &w->processes[name];
		const struct process *best = &w->processes[found];

		if (target == WORLD_PAUSED && p->node != NULL && p->paused &&
		    (found == 0 || p->paused_at < best->paused_at))
			found = name;
		if (target == WORLD_FALLEN && p->node == NULL && p->lives > 0 &&
		    (found == 0 || p->fallen_at < best->fallen_at))
			found = name;
		if (target == WORLD_PULLED && found == 0 &&
		    world_is_pulled(w, name))
			found = name;
	}
	return found;
}

static void
fault_network(struct world *w, const struct fault *f, process_name target)
{
	if (f->kind == FAULT_NOISE)
		world_inject_noise(w, target);
	else if (f->kind == FAULT_CUT_BOTH)
		world_cut(w, target, f->other);
	else if (f->kind == FAULT_CUT)
		world_cut_way(w, target, f->other);
	else if (f->kind == FAULT_MEND)
		world_mend(w, target, f->other);
	else if (f->kind == FAULT_SPLIT)
		world_split(w, f->amount != 0 ? (unsigned)f->amount
					      : 1u << w->processes[target].id);
	else if (f->kind == FAULT_HEAL)
		world_heal(w);
	else if (f->kind == FAULT_PULL)
		world_pull(w, target);
	else if (f->kind == FAULT_PLUG_IN)
		world_plug_in(w, target);
	else if (f->kind == FAULT_MOVE)
		world_move(w, target);
	else if (f->kind == FAULT_NAME)
		world_name(w);
	else if (f->target != 0)
		world_weather_to(w, w->processes[target].id, &f->weather);
	else
		world_weather(w, &f->weather);
}

/* Faults of a host and its process. */
static void
fault_host(struct world *w, const struct fault *f, process_name target)
{
	if (f->kind == FAULT_START)
		world_start(w, target);
	else if (f->kind == FAULT_CRASH)
		world_crash(w, target);
	else if (f->kind == FAULT_CRASH_AFTER)
		world_crash_after(w, target, (unsigned)f->amount);
	else if (f->kind == FAULT_STOP)
		world_stop(w, target);
	else if (f->kind == FAULT_PAUSE)
		world_pause(w, target);
	else if (f->kind == FAULT_STALL || f->kind == FAULT_STALL_ANSWERS)
		world_stall(w, target, f->other, f->amount,
		    f->kind == FAULT_STALL_ANSWERS);
	else if (f->kind == FAULT_FREEZE)
		world_freeze(w, target);
	else if (f->kind == FAULT_RESUME)
		world_resume(w, target);
	else if (f->kind == FAULT_INSTALL)
		w->processes[target].versions.highest = (uint8_t)f->amount;
	else if (f->kind == FAULT_FATAL)
		make_change_fatal(w, target, f->other, f->amount);
	else if (f->kind == FAULT_SEND)
		slow_sending(w, target, f->amount, f->other);
	else if (f->kind == FAULT_CLOCK)
		world_set_clock(w, target, (int)(int64_t)f->amount);
	else
		world_copy(w, target, f->amount);
}

/* Requests of an operator. */
static void
fault_order(struct world *w, const struct fault *f, process_name target)
{
	if (f->kind == FAULT_RESIGN)
		world_resign(w, target, f->other);
	else if (f->kind == FAULT_STAND)
		world_stand(w, target);
	else if (f->kind == FAULT_STANDBY)
		world_standby(
		    w, target, f->amount == 0 ? NSEC_NEVER : f->amount);
	else if (f->kind == FAULT_SICK)
		world_sicken(w, target, f->amount);
	else if (f->kind == FAULT_EDIT)
		world_edit_any(w, target, f->amount);
	else if (f->kind == FAULT_RELOAD)
		world_reload(w, target);
	else if (f->kind == FAULT_SNAPSHOT)
		world_snapshot(w, target);
	else
		world_elect(w, target);
}

/* Faults of `electctl run`, and of all that runs on a host. */
static void
fault_run(struct world *w, const struct fault *f, process_name target)
{
	if (f->kind == FAULT_RUN) {
		world_run_everywhere(w, f->amount);
	} else if (f->kind == FAULT_SUPERVISOR_KILL) {
		world_supervisor_kill(w, target);
	} else if (f->kind == FAULT_SUPERVISOR_STOP && f->other != 0) {
		world_supervisor_stop_at_start(w, target, f->amount);
	} else if (f->kind == FAULT_SUPERVISOR_STOP) {
		world_supervisor_stop(w, target, f->amount);
	} else if (f->kind == FAULT_SUPERVISOR_CONTINUE) {
		world_supervisor_continue(w, target);
	} else if (f->kind == FAULT_SUSPEND) {
		world_suspend(w, target, f->amount);
	} else {
		world_wake(w, target);
	}
}

/* Faults of a host's disk. */
static void
fault_disk(struct world *w, const struct fault *f, process_name target)
{
	if (f->kind == FAULT_FORGET && f->amount != 0)
		world_lose_settings(w, target);
	else if (f->kind == FAULT_FORGET)
		world_forget(w, target);
	else if (f->kind == FAULT_RENAME)
		world_rename(w, target, (node_id)f->amount);
	else if (f->kind == FAULT_ROLL_BACK)
		world_members_back(w, target, (unsigned)f->amount);
	else if (f->kind == FAULT_DISK)
		slow_disk(w, target, f->amount);
	else if (f->kind == FAULT_DISK_FULL)
		fill_disk(w, target, f->amount != 0);
	else
		w->processes[target].disk.fails = world_runs(w, target);
}

/* Settings that hold for all processes from now on. */
static void
fault_world(struct world *w, const struct fault *f, process_name target)
{
	(void)target;
	if (f->kind == FAULT_HELPERS)
		w->helpers = true;
	else if (f->kind == FAULT_REFUSALS)
		w->network.refuses = (unsigned)f->amount;
	else if (f->kind == FAULT_GROUP)
		w->network.group_loss = (unsigned)f->amount;
	else if (f->kind == FAULT_ASK)
		world_let_ask(w, f->amount);
	else
		w->clients.hold = (unsigned)f->amount;
	w->clients.give_back = HOLDERS;
}

/* What each kind of fault does. */
static void (*const hits[FAULT_KINDS])(
    struct world *w, const struct fault *f, process_name target) = {
	[FAULT_START] = fault_host,
	[FAULT_CRASH] = fault_host,
	[FAULT_CRASH_AFTER] = fault_host,
	[FAULT_STOP] = fault_host,
	[FAULT_PAUSE] = fault_host,
	[FAULT_STALL] = fault_host,
	[FAULT_STALL_ANSWERS] = fault_host,
	[FAULT_FREEZE] = fault_host,
	[FAULT_RESUME] = fault_host,
	[FAULT_INSTALL] = fault_host,
	[FAULT_COPY] = fault_host,
	[FAULT_FATAL] = fault_host,
	[FAULT_SEND] = fault_host,
	[FAULT_CLOCK] = fault_host,
	[FAULT_EDIT] = fault_order,
	[FAULT_RELOAD] = fault_order,
	[FAULT_ELECT] = fault_order,
	[FAULT_RESIGN] = fault_order,
	[FAULT_STAND] = fault_order,
	[FAULT_STANDBY] = fault_order,
	[FAULT_SICK] = fault_order,
	[FAULT_SNAPSHOT] = fault_order,
	[FAULT_FORGET] = fault_disk,
	[FAULT_RENAME] = fault_disk,
	[FAULT_ROLL_BACK] = fault_disk,
	[FAULT_DISK] = fault_disk,
	[FAULT_DISK_FAIL] = fault_disk,
	[FAULT_DISK_FULL] = fault_disk,
	[FAULT_HELPERS] = fault_world,
	[FAULT_REFUSALS] = fault_world,
	[FAULT_GROUP] = fault_world,
	[FAULT_ASK] = fault_world,
	[FAULT_CLIENTS] = fault_world,
	[FAULT_RUN] = fault_run,
	[FAULT_SUPERVISOR_KILL] = fault_run,
	[FAULT_SUPERVISOR_STOP] = fault_run,
	[FAULT_SUPERVISOR_CONTINUE] = fault_run,
	[FAULT_SUSPEND] = fault_run,
	[FAULT_WAKE] = fault_run,
	[FAULT_NOISE] = fault_network,
	[FAULT_CUT_BOTH] = fault_network,
	[FAULT_CUT] = fault_network,
	[FAULT_MEND] = fault_network,
	[FAULT_SPLIT] = fault_network,
	[FAULT_HEAL] = fault_network,
	[FAULT_PULL] = fault_network,
	[FAULT_PLUG_IN] = fault_network,
	[FAULT_MOVE] = fault_network,
	[FAULT_NAME] = fault_network,
	[FAULT_WEATHER] = fault_network,
};

void
world_fault(struct world *w, const struct fault *f)
{
	process_name target = target_of(w, f->target);

	assert(f->kind < FAULT_KINDS);
	if (target != 0 || f->target == 0)
		hits[f->kind](w, f, target);
}
