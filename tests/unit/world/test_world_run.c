/* SPDX-License-Identifier: ISC */
/* `electctl run` in the simulated world. */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <string.h>

#define SOON (200 * MSEC) /* for a supervisor that follows a leader */

/* Three nodes; the third leads, and runs the command. */
static struct world *
running(uint64_t seed)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 3, .seed = seed, .guarantee = GUARANTEE_QUORUM });

	world_run_everywhere(w, 0);
	world_begin(w);
	world_run(w, SOON);
	assert_leader(w, 3);
	assert_true(world_command_runs(w, 3));
	return w;
}

static unsigned
commands(const struct world *w)
{
	unsigned count = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++)
		count += world_command_runs(w, name);
	return count;
}

static bool
one_moved(struct world *w)
{
	return world_command_runs(w, 1) || world_command_runs(w, 2);
}

/* Waits until another host runs the command: one host at a time, as the world
 * checks. */
static void
assert_moves(struct world *w)
{
	assert_true(world_run_until(w, one_moved, 10 * w->setup.lease));
	assert_int_equal(commands(w), 1);
	assert_false(world_command_runs(w, 3));
}

WORLD(command_runs_on_as_the_lease_is_renewed)
{
	struct world *w = running(1);

	world_run(w, 100 * w->setup.lease);
	assert_true(world_command_runs(w, 3));
	assert_int_equal(w->counters.commands, 1);
	assert_int_equal(w->counters.told, 0);
}

WORLD(killed_daemon_moves_the_command)
{
	struct world *w = running(2);

	world_crash(w, 3);
	assert_moves(w);
	assert_int_equal(w->counters.told, 1);
}

/* Nothing but the kernel ends the command of a supervisor that is stopped. */
WORLD(kernel_ends_the_command_of_a_host_that_is_stopped)
{
	struct world *w = running(3);

	world_pause(w, 3);
	world_supervisor_stop(w, 3, 100 * SEC);
	assert_moves(w);
	assert_int_equal(w->counters.timers, 1);
	assert_int_equal(w->counters.told, 0);
}

/* No timer fires while the host is suspended: when it wakes up they come first.
 */
WORLD(suspended_host_wakes_up_without_its_command)
{
	struct world *w = running(4);

	world_suspend(w, 3, 100 * SEC);
	assert_true(world_run_until(w, one_moved, 10 * w->setup.lease));
	assert_true(world_command_runs(w, 3));
	assert_int_equal(w->counters.timers, 0);
	world_wake(w, 3);
	assert_int_equal(commands(w), 1);
	assert_false(world_command_runs(w, 3));
	world_settle(w);
}

WORLD(killed_supervisor_has_a_successor)
{
	struct world *w = running(5);

	world_supervisor_kill(w, 3);
	world_run(w, 10 * MSEC);
	assert_int_equal(commands(w), 0);
	world_run(w, w->setup.lease);
	assert_true(world_command_runs(w, 3));
	assert_int_equal(w->counters.commands, 2);
}

/* The command ends first, and its supervisor gives the deadline back. */
WORLD(handover_waits_for_the_command)
{
	struct world *w = running(6);
	nsec_t began = w->now;

	assert_int_equal(world_resign(w, 3, 2), RESIGN_BEGUN);
	assert_moves(w);
	assert_true(w->counters.releases > 0);
	assert_true(w->now - began < w->setup.lease);
}

/* A supervisor starts it anew while the lease of its host ends. */
WORLD(nothing_begins_beside_a_leader_that_nobody_hears)
{
	struct world *w = running(8);

	world_split(w, 1U << 3);
	world_run(w, w->setup.lease * 4 / 10);
	assert_int_equal(world_status(w, 3).state, STATE_LEADER);
	world_supervisor_kill(w, 3);
	world_run(w, w->setup.lease / 5);
	assert_int_equal(world_status(w, 3).state, STATE_LEADER);
	assert_int_equal(w->counters.commands, 1);
	assert_moves(w);
	assert_int_equal(w->counters.commands, 2);
}

static void
halts(struct world *w, const char *why)
{
	(void)why;
	assert_true(w->halted);
}

/* A kernel without the timer. */
WORLD(checks_notice_two_commands_at_once)
{
	struct world *w = running(7);

	w->setup.failed = halts;
	world_pause(w, 3);
	world_supervisor_stop(w, 3, 100 * SEC);
	w->runs.hosts[3].timer = NSEC_NEVER;
	world_run(w, 10 * w->setup.lease);
	assert_true(w->halted);
	assert_non_null(strstr(w->trace.text, "BROKEN: R1: the command of"));
}
