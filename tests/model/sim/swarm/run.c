/* SPDX-License-Identifier: ISC */
/* Runs one plan. */
#include "tests/model/sim/swarm/swarm.h"
#include "tests/model/world/drive/drive.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For the world's callback and the handler of SIGABRT; one plan runs at a time.
 */
static struct {
	struct world *w;
	struct swarm_result *result;
	FILE *trace;
} running;

static void
broken(struct world *w, const char *why)
{
	(void)w;
	running.result->is_broken = true;
	snprintf(running.result->why, sizeof(running.result->why), "%s", why);
}

static void
tell_trace(void)
{
	if (running.trace == NULL || running.w == NULL)
		return;
	fputs(running.w->trace.text, running.trace);
	fflush(running.trace);
}

/* An assertion of the core has failed. */
static void
aborted(int signal_number)
{
	tell_trace();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void
swarm_describe(const struct swarm_plan *p, struct swarm_result *result)
{
	static const char *const topologies[] = { "full", "ring", "tree",
		"graph" };
	static const char *const guarantees[] = { "component", "quorum" };

	result->seed = p->seed;
	snprintf(result->what, sizeof(result->what),
	    "%s on %s, %u node%s, %s%s", p->setup.algorithm->name,
	    topologies[p->setup.topology], p->setup.nodes,
	    p->setup.nodes == 1 ? "" : "s", guarantees[p->setup.guarantee],
	    p->has[CLASS_DISCOVERY] ? ", discovery" : "");
}

static void
count_classes(const struct swarm_plan *p, struct swarm_result *result)
{
	memcpy(result->has, p->has, sizeof(result->has));
	for (size_t i = 0; i < p->faults_count; i++)
		result->faults[p->faults[i].class] += !p->faults[i].is_undo;
	for (size_t i = 0; i < p->last_count; i++)
		result->faults[p->last[i].class]++;
}

static struct world *
begin(const struct swarm_plan *p, bool is_silent)
{
	struct world_setup setup = p->setup;
	struct world *w;

	if (!p->has[CLASS_DISCOVERY]) {
		setup.order = p->drawn.order;
		setup.links = p->drawn.links;
	}
	setup.failed = broken;
	setup.trace = !is_silent;
	setup.silent = is_silent;
	w = world_new(&setup);
	w->network.copy_shares = p->copy_shares;
	w->network.rejects = p->seed % 2 == 1;
	w->network.timestamps = p->seed / 2 % 2 == 1;
	world_weather(w, &p->weather);
	if (p->records)
		world_record(w);
	for (unsigned id = 1; id <= p->setup.nodes; id++) {
		w->processes[id].priority = p->hosts[id].priority;
		w->processes[id].role = p->hosts[id].role;
		w->processes[id].versions.highest += p->hosts[id].is_next;
		world_set_clock(w, id, p->hosts[id].rate);
	}
	if (p->has[CLASS_CONFIG] || p->has[CLASS_GROUP])
		world_exchange(w);
	if (p->has[CLASS_DISCOVERY])
		world_discover(w, p->voters, p->degree);
	w->discovery.joiners = p->joiners;
	for (size_t i = 0; i < p->faults_count; i++)
		world_at(w, p->faults[i].at, &p->faults[i].fault);
	return w;
}

/* Nothing is lost: two heartbeats in a row, by chance, cost a lease. */
static void
check_return(const struct swarm_plan *p, struct world *w)
{
	struct wire weather = p->fair;
	nsec_t last = w->now;

	for (size_t i = 0; i < p->faults_count; i++) {
		if (p->faults[i].at > last)
			last = p->faults[i].at;
	}
	world_run(w, last - w->now);
	weather.loss = 0;
	world_weather(w, &weather);
	world_check_return(w);
}

/* The faults are over: all processes come back, and all is well but for some
 * slow disks. */
static void
mend(const struct swarm_plan *p, struct world *w)
{
	world_heal(w);
	world_weather(w, &p->fair);
	world_crash(w, WORLD_COPY);
	if (p->has[CLASS_DISCOVERY])
		swarm_part_doubles(w);
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		struct process *host = &w->processes[name];

		host->fate.dies = false;
		host->fate.stalls_for = 0;
		host->outlet.each = 0;
		host->disk.sync_longest = 0;
		host->disk.is_full = false;
		host->disk.sync_always = p->hosts[name].sync;
		world_wake(w, name);
		world_plug_in(w, name);
		world_supervisor_continue(w, name);
		if (host->stops || host->disk.fails ||
		    host->observed.seen.state_health == STATE_HEALTH_FAILED)
			world_crash(w, name);
		world_start(w, name);
		/* A node that is on standby until then stays so. */
		if (!world_is_on_standby(w, name))
			world_stand(w, name);
	}
}

/* Where a durable state is lost, or was proved to be old, a leader admits that
 * voter again, before the last faults. */
static void
recover(const struct swarm_plan *p, struct world *w)
{
	if (!w->halted && !p->has[CLASS_DISCOVERY] &&
	    w->setup.guarantee == GUARANTEE_QUORUM && !quorum_is_sound(w))
		world_settles(
		    w, nsec_after(w->changes.fault_at, world_bound(w)));
}

static void
count_verdicts(struct world *w, struct swarm_result *result)
{
	unsigned seen = 0;

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		process_name voice = world_voice(w, id);
		enum swarm_verdict verdict = VERDICT_NOBODY;

		if (voice == 0 || seen >> id & 1)
			continue;
		seen |= world_component(w, id);
		if (world_status(w, voice).leader != NODE_NONE)
			verdict = VERDICT_LEADER;
		else if (world_status(w, voice).state == STATE_NO_QUORUM)
			verdict = VERDICT_NO_QUORUM;
		result->verdicts[verdict]++;
	}
}

static void
settle(struct world *w, struct swarm_result *result)
{
	nsec_t part = world_bound(w) / 1000;

	world_settle(w);
	result->slowest =
	    (unsigned)(nsec_since(w->changes.settled_at, w->changes.fault_at) /
		       part);
	if (!w->halted)
		count_verdicts(w, result);
}

/* Nothing more happens, and all is to be well. */
static void
end(const struct swarm_plan *p, struct world *w, struct swarm_result *result)
{
	if (!w->halted && p->has[CLASS_DISCOVERY]) {
		swarm_settle_discovery(w, result);
		return;
	}
	if (!w->halted)
		settle(w, result);
	if (!w->halted)
		world_settle_runs(w);
	if (!w->halted)
		check_return(p, w);
}

void
swarm_run(const struct swarm_plan *p, struct swarm_result *result, FILE *trace)
{
	struct world *w;

	*result = (struct swarm_result){ .seed = 0 };
	w = begin(p, trace == NULL);
	running.w = w;
	running.result = result;
	running.trace = trace;
	swarm_describe(p, result);
	count_classes(p, result);
	signal(SIGABRT, aborted);
	world_run(w, p->end);
	if (!w->halted)
		mend(p, w);
	recover(p, w);
	for (size_t i = 0; i < p->last_count && !w->halted; i++)
		world_fault(w, &p->last[i].fault);
	end(p, w, result);
	if (!w->halted)
		world_play_tapes(w);
	if (p->dump != NULL && !world_dump_tapes(w, p->dump)) {
		result->is_broken = true;
		snprintf(result->why, sizeof(result->why),
		    "cannot write the tapes to %s", p->dump);
	}
	signal(SIGABRT, SIG_DFL);
	tell_trace();
	result->simulated = w->now;
	result->elections = p->has[CLASS_DISCOVERY] ? w->counters.accessions
						    : w->counters.elections;
	result->deadlines = w->counters.deadlines;
	result->messages = w->counters.tapped;
	result->snapshots = w->counters.complete;
	result->events = w->counters.delivered;
	result->replayed = w->counters.replayed;
	running.w = NULL;
	world_free(w);
}
