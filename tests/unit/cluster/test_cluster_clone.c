/* SPDX-License-Identifier: ISC */
/*
 * A host is cloned, with its disk: two processes have one id, each with sound
 * durable state, so each believes that it may vote. The promises hold as long
 * as both hear the others (check/lead.c).
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define SEEDS 40

static struct world *
world_of(uint64_t seed)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 3, .seed = seed, .guarantee = GUARANTEE_QUORUM });

	w->network.copy_shares = seed % 2 == 0;
	w->clients.hold = 300;
	world_begin(w);
	world_run(w, seed * 7 * MSEC);
	return w;
}

TEST(clone_of_any_voter_breaks_no_promise)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world *w = world_of(seed);
		process_name leader = world_status(w, 1).leader;

		world_clone(w, (node_id)(1 + seed % 3));
		if (seed % 4 == 0)
			world_crash(w, leader);
		else if (seed % 4 == 1)
			world_elect(w, 1);
		else if (seed % 4 == 2)
			world_pause(w, leader);
		world_run(w, seed * 50 * MSEC);
		world_resume(w, leader);
		world_start(w, leader);
		world_elect(w, 2);
		world_run(w, 20 * SEC);
		assert_true(world_status(w, WORLD_COPY).duplicate);
		world_end(w);
	}
}
