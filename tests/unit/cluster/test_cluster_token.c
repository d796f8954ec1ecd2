/* SPDX-License-Identifier: ISC */
/*
 * Tokens: a lead keeps the term in which it began, and all nodes know it. The
 * world checks that no lead gets another one (check/lead.c).
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define NODES 5

static struct world *
settled(enum guarantee guarantee, bool has_group)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = NODES,
	    .guarantee = guarantee,
	    .has_group = has_group,
	});

	world_begin(w);
	world_run(w, 10 * SEC);
	return w;
}

static void
assert_token(struct world *w, node_id leader, uint64_t token)
{
	assert_leader(w, leader);
	for (process_name name = 1; name <= NODES; name++) {
		if (world_runs(w, name))
			assert_int_equal(world_status(w, name).token, token);
	}
}

TEST(leader_that_wins_a_later_term_keeps_its_token)
{
	for (unsigned i = 0; i < 4; i++) {
		struct world *w = settled(
		    i & 1 ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT, i & 2);
		uint64_t term = world_status(w, 5).term;

		assert_token(w, 5, term);
		world_elect(w, 2);
		world_settle(w);
		assert_true(world_status(w, 5).term > term);
		assert_token(w, 5, term);
		world_elect(w, 5);
		world_settle(w);
		assert_token(w, 5, term);
		world_end(w);
	}
}

WORLD(next_leader_has_the_term_in_which_it_begins)
{
	struct world *w = settled(GUARANTEE_QUORUM, false);
	uint64_t term;

	world_elect(w, 2);
	world_settle(w);
	term = world_status(w, 5).term;
	assert_int_equal(world_resign(w, 5, NODE_NONE), RESIGN_BEGUN);
	world_run(w, 3 * SEC);
	assert_true(world_status(w, 4).token > term);
	assert_token(w, 4, world_status(w, 4).term);
	world_crash(w, 4);
	world_run(w, 10 * SEC);
	assert_token(w, 3, world_status(w, 3).term);
}
