/* SPDX-License-Identifier: ISC */
/*
 * Helpers of processes that change their settings (PROTOCOL.md, Last will). The
 * leader is node 3, the best. The world's own checks see whether a helper
 * releases a lease too early, and whether a process goes on that was declared
 * dead.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

static struct world *
world_of(uint64_t seed)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 3, .seed = seed, .guarantee = GUARANTEE_QUORUM });

	world_exchange(w);
	world_begin(w);
	w->helpers = true;
	return w;
}

/* The leader's host gets a file with other times. */
static void
edit(struct world *w)
{
	struct world_file file = w->processes[3].configs.file;

	file.heartbeat /= 2;
	world_edit(w, &file);
	world_reload(w, 3);
}

static bool
leader_has_changed(struct world *w)
{
	const struct process *p = &w->processes[3];

	return p->configs.file.config_version == 1 && !p->helper.is_changing;
}

TEST(leader_that_dies_after_a_change_keeps_its_word)
{
	unsigned spoke = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world *w = world_of(seed);
		const struct process *p = &w->processes[3];

		w->clients.hold = 1000;
		world_run(w, 10 * MSEC);
		edit(w);
		w->clients.hold = 0;
		world_run_until(w, leader_has_changed, SEC);
		assert_true(p->deadlines.handed >
			    clock_local(&p->clock, w->now) + MSEC);
		world_crash(w, 3);
		spoke += p->helper.declared > 0;
		world_run(w, 3 * w->setup.lease);
		assert_leader(w, 2);
		world_end(w);
	}
	assert_in_range(spoke, 1, 19);
}

/* The process stands still before one of the first actions that follow. */
TEST(process_declared_dead_in_a_change_goes_on_as_new)
{
	unsigned in_a_change = 0;

	for (unsigned after = 0; after < 12; after++) {
		struct world *w = world_of(1);
		struct process *p = &w->processes[3];
		uint64_t before = world_status(w, 3).incarnation;

		edit(w);
		world_stall(w, 3, after, SEC, false);
		for (bool was = false; w->counters.stalls == 0 || p->paused;) {
			assert_true(world_step(w));
			in_a_change +=
			    !was && p->paused && p->helper.is_changing;
			was |= p->paused;
		}
		world_run(w, 10 * SEC);
		world_settle(w);
		assert_int_equal(world_status(w, 3).incarnation, before + 1);
		assert_int_equal(
		    world_status(w, 3).state_health, STATE_HEALTH_SOUND);
		assert_true(world_status(w, 3).has_vote);
		assert_leader(w, 3);
		world_end(w);
	}
	assert_true(in_a_change > 0);
}
