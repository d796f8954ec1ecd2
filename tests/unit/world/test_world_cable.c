/* SPDX-License-Identifier: ISC */
/* The cable of a host is pulled, which its kernel sees at once. */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

/* Three nodes; the third leads. */
static struct world *
led(enum guarantee guarantee, uint64_t seed)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 3, .seed = seed, .guarantee = guarantee });

	world_start_all(w);
	assert_settles_on(w, 3);
	return w;
}

static bool
another_leads(struct world *w)
{
	return world_status(w, 2).state == STATE_LEADER;
}

TEST(leader_without_a_carrier_gives_up_at_once)
{
	for (enum guarantee g = GUARANTEE_COMPONENT; g <= GUARANTEE_QUORUM;
	     g++) {
		struct world *w = led(g, 1);
		struct node_status s;

		world_pull(w, 3);
		s = world_status(w, 3);
		assert_int_equal(s.leader, NODE_NONE);
		assert_int_equal(s.reason.kind, REASON_CARRIER);
		assert_int_equal(s.eligibility, INELIGIBLE_CARRIER);
		assert_true(
		    world_run_until(w, another_leads, 4 * w->setup.lease));
		world_settle(w);
		assert_int_equal(world_status(w, 3).leader, NODE_NONE);
		world_end(w);
	}
}

/* The node's term is not above that of the others when it comes back. */
WORLD(node_without_a_carrier_begins_no_election)
{
	struct world *w = led(GUARANTEE_COMPONENT, 2);
	uint64_t term = world_status(w, 1).term;

	world_pull(w, 1);
	world_settle(w);
	world_run(w, 10 * SEC);
	assert_int_equal(world_status(w, 1).state, STATE_NO_LEADER);
	world_elect(w, 1);
	assert_int_equal(world_status(w, 1).term, term);
	world_plug_in(w, 1);
	assert_settles_on(w, 3);
	assert_int_equal(world_status(w, 3).term, term);
}

/* A switch may take longer to forward than to give a carrier. */
WORLD(node_whose_cable_is_back_listens_first)
{
	struct world *w = led(GUARANTEE_COMPONENT, 3);

	world_pull(w, 3);
	world_settle(w);
	assert_int_equal(world_status(w, 2).leader, 2);
	world_split(w, 1U << 3);
	world_plug_in(w, 3);
	world_run(w, w->setup.startup / 2);
	assert_int_equal(world_status(w, 3).state, STATE_STARTING);
	world_heal(w);
	assert_settles_on(w, 3);
}

/* Nobody else leads before the deadline, though this host's clients learn at
 * once that it is of no use any more. */
WORLD(deadline_of_a_leader_without_a_carrier_stands)
{
	struct world *w = led(GUARANTEE_QUORUM, 4);
	nsec_t handed_out_at = w->now;

	assert_true(node_hand_out(w->processes[3].node,
			clock_local(&w->processes[3].clock, w->now)) > 0);
	world_pull(w, 3);
	assert_int_equal(world_status(w, 3).leader, NODE_NONE);
	assert_true(world_run_until(w, another_leads, 4 * w->setup.lease));
	assert_true(w->now - handed_out_at > w->setup.lease * 79 / 110);
}

WORLD(process_that_starts_without_a_carrier_does_not_lead)
{
	struct world *w = led(GUARANTEE_COMPONENT, 5);

	world_crash(w, 3);
	world_pull(w, 3);
	world_start(w, 3);
	world_run(w, 10 * SEC);
	assert_int_equal(world_status(w, 3).state, STATE_NO_LEADER);
	world_plug_in(w, 3);
	assert_settles_on(w, 3);
}
