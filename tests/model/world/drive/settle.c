/* SPDX-License-Identifier: ISC */
/*
 * A world runs until it is settled, within a bound, and stays so. See
 * check/settled.c for what has to hold then.
 */
#include "tests/model/world/drive/drive.h"

#include <inttypes.h>

#define FORGIVEN                                                               \
	(3 * SEC) /* the age that evidence of a second process may have */
#define RETRY       (1 * SEC) /* between two lazy hellos */
#define QUARANTINES 4 /* leases that a voter waits for, one after another */
#define SYNCS       8 /* of the slowest disk, one after another */

/* Counts the elections and changes of leader that all nodes reported, but for
 * nodes that may try for ever. */
static unsigned
unrest(const struct world *w)
{
	unsigned count = 0;

	for (process_name name = 1; name <= WORLD_COPY; name++) {
		const struct process *p = &w->processes[name];
		const unsigned *n = p->observed.notices;

		if (p->lives == 0 ||
		    !world_may_rest(w, world_component(w, p->id)))
			continue;
		count +=
		    n[NOTICE_LEADER] + n[NOTICE_NO_LEADER] + n[NOTICE_ELECTION];
	}
	return count;
}

bool
world_settles(struct world *w, nsec_t until)
{
	if (world_run_until(w, world_settled, nsec_since(until, w->now)))
		return true;
	world_fail(w, "not settled within %" PRIu64 " ms: %s",
	    world_bound(w) / MSEC, w->why);
	return false;
}

/* Runs until the world is settled, and then for a while in which it must stay
 * so. */
static bool
settle_once(struct world *w, nsec_t until)
{
	unsigned before;

	if (!world_settles(w, until))
		return true;
	w->changes.settled_at = w->now;
	before = unrest(w);
	while (!w->halted && w->now < w->changes.settled_at + w->setup.calm &&
	       unrest(w) == before)
		world_run(w, 10 * MSEC);
	return unrest(w) == before && world_settled(w);
}

static bool
all_are_undamped(struct world *w)
{
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (world_voice(w, id) != 0 && !world_is_undamped(w, id))
			return false;
	}
	return true;
}

void
world_settle(struct world *w)
{
	nsec_t until = nsec_after(w->changes.fault_at, world_bound(w));

	/* Gives the bound: all follow one leader soon, whatever came before,
	 * and the best leads once it has been undamped for long enough. */
	if (!world_settles(w, until))
		return;
	if (!all_are_undamped(w)) {
		world_run_until(w, all_are_undamped, NSEC_NEVER);
		until = nsec_after(w->now, world_bound(w));
	}
	while (!settle_once(w, until)) {
		if (w->now <= until)
			continue;
		world_fail(w, "settled, and yet it elected again: %s", w->why);
		return;
	}
}

/*
 * Gives how long a ring takes to close, at most: its nodes look further and
 * further, meet a lost node after a lazy hello, and one after another runs out
 * of patience and lets itself be bypassed (ring.c), or returns.
 */
static nsec_t
closing_time(const struct world *w)
{
	const struct world_setup *s = &w->setup;
	nsec_t patience = 2 * s->misses * s->heartbeat + RETRY;

	if (!world_has_ring(w))
		return 0;
	return 2 * s->heartbeat + RETRY + 4 * patience;
}

/* Gives how much longer an election takes on slow disks, to which promises go
 * under quorum. Under component a node that raises its incarnation speaks once
 * that is durable, after a write that was under way. */
static nsec_t
writing_time(const struct world *w)
{
	unsigned syncs = w->setup.guarantee == GUARANTEE_QUORUM ? SYNCS : 2;
	nsec_t slowest = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (slowest < w->processes[name].disk.sync_always)
			slowest = w->processes[name].disk.sync_always;
	}
	return syncs * slowest;
}

/*
 * A pessimist's sum. Every node listens after its start. Nodes that doubt
 * themselves notice failures late (PROTOCOL.md, Local health), twice, and nodes
 * to which others pass on the leader's beacon notice them later still. Then
 * come two elections, each with a round trip for each node, and each message is
 * lost up to its longest retransmission timer (160 ms), each way. Loss makes
 * all of it longer, and slow clocks by a tenth. An id that was in use twice is
 * forgiven after 3 s without evidence by the others, and 3 s later by its
 * owner. Under the guarantee "quorum" a voter that has just started keeps still
 * for a lease, another lease runs out before anyone else leads, and a nominee
 * that tries in vain delays the next one. Slow disks make all of it longer.
 */
nsec_t
world_bound(const struct world *w)
{
	const struct world_setup *s = &w->setup;
	unsigned hops = s->topology == TOPOLOGY_FULL && !world_has_ring(w)
			    ? 0
			    : s->nodes - 1;
	nsec_t detection = 4 * (2 * (s->misses + hops) + 5) * s->heartbeat / 2;
	nsec_t election = 2 * s->nodes * 160 * MSEC;
	unsigned loss = w->network.wires[1][1].loss;
	nsec_t sum = s->startup + 2 * detection + 2 * election;

	sum += closing_time(w) + writing_time(w);
	if (s->guarantee == GUARANTEE_QUORUM)
		sum += QUARANTINES * world_longest_lease(w);
	if (w->processes[WORLD_COPY].id != NODE_NONE)
		sum += 2 * FORGIVEN;
	if (w->files.is_on)
		sum += FORGIVEN; /* what a node that is down now said of us */
	assert(loss < 1000);
	return sum * 11 / 10 * 1000 / (1000 - loss);
}

static bool
leader_runs_it(struct world *w)
{
	process_name leader = lead_first(w);

	return leader != 0 && w->runs.hosts[leader].is_running;
}

void
world_settle_runs(struct world *w)
{
	process_name leader = lead_first(w);
	nsec_t limit = 3 * world_longest_lease(w) + runs_catch_up();

	if (!w->runs.is_on || w->runs.stop_time != 0 || leader == 0)
		return;
	if (world_run_until(w, leader_runs_it, limit) || w->halted)
		return;
	/* The leader handed over, or lost the lead: the next may need a
	 * disk. */
	if (lead_first(w) == leader ||
	    !world_run_until(w, leader_runs_it, world_bound(w) + limit))
		world_fail(w, "%u leads, and its command does not run", leader);
}
