/* SPDX-License-Identifier: ISC */
/*
 * Which node is damped, by its own judgement or by its peers' word, and that
 * it says so: node 3, the best, beside node 2 and a member that the test plays.
 */
#include "tests/unit/group.h"

#include "common/link/flaps.h"
#include "tests/lib/stage.h"
#include "tests/model/world/assert/world_assert.h"

#include <stdlib.h>

#define TWO   0
#define THREE 1
#define BEAT  (100 * MSEC)

static struct stage s;

static int
enter(void **state)
{
	(void)state;
	stage_set(&s, STAGE_NODES);
	stage_begin(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, TWO).leader, 3);
	return 0;
}

/* The member tells node 2 that it has counted so many of its restarts. */
static void
tell_restarts(unsigned restarts)
{
	struct member *m = &s.members[TWO];
	struct body body = member_body(m, s.now);
	uint8_t datagram[PACKET_MAX];

	body.restarts = (uint8_t)restarts;
	stage_feed(&s, TWO, FROM_MEMBER, datagram,
	    member_say(m, &body, NULL, 0, datagram));
}

static nsec_t
pause_of(unsigned node)
{
	return nsec_since(stage_status(&s, node).damped_until, s.now);
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(node_that_learns_of_its_restarts_is_damped)
{
	assert_true(s.members[TWO].heard.flags & BODY_CONTENDER);
	tell_restarts(1);
	assert_int_equal(pause_of(TWO), 0);
	tell_restarts(3);
	assert_int_equal(pause_of(TWO), 2 * FLAPS_PAUSE);
	stage_run(&s, BEAT);
	assert_false(s.members[TWO].heard.flags & BODY_CONTENDER);
	assert_true(node_peer_status(s.nodes[THREE], FROM_NODE).damped);
	stage_run(&s, 2 * FLAPS_PAUSE);
	assert_int_equal(pause_of(TWO), 0);
	assert_true(s.members[TWO].heard.flags & BODY_CONTENDER);
	assert_false(node_peer_status(s.nodes[THREE], FROM_NODE).damped);
}

/* Each of its datagrams says so; the node heeds each report once. */
CASE(restarts_that_were_reported_already_cost_nothing)
{
	tell_restarts(3);
	stage_run(&s, FLAPS_PAUSE);
	tell_restarts(3);
	tell_restarts(2);
	assert_in_range(pause_of(TWO), 1, FLAPS_PAUSE);
}

/* No member can make it wait for longer. */
CASE(reported_restarts_are_bounded)
{
	tell_restarts(FLAPS_MAX);
	assert_int_equal(pause_of(TWO), FLAPS_PAUSE << (FLAPS_MAX - 2));
	assert_int_equal(stage_status(&s, TWO).leader, 3);
}

/* The link between the nodes flaps, and the member stays: both are undamped. */
CASE(node_that_loses_one_of_two_is_undamped)
{
	for (unsigned i = 0; i < 4; i++) {
		s.is_cut = true;
		stage_run(&s, SEC);
		s.is_cut = false;
		stage_run(&s, SEC);
		assert_true(node_peer_status(s.nodes[TWO], FROM_NODE).up);
	}
	assert_int_equal(pause_of(TWO), 0);
	assert_int_equal(pause_of(THREE), 0);
}

/* The link is back before the member speaks again, which spoke until then. */
CASE(link_that_is_back_at_once_leaves_both_ends_undamped)
{
	for (unsigned i = 0; i < 4; i++) {
		s.is_cut = true;
		while (node_peer_status(s.nodes[THREE], FROM_NODE).up)
			stage_run(&s, MSEC);
		s.is_cut = s.is_beating = false;
		while (!node_peer_status(s.nodes[THREE], FROM_NODE).up)
			stage_run(&s, MSEC);
		s.is_beating = true;
		stage_run(&s, SEC);
		assert_int_equal(pause_of(THREE), 0);
	}
}

/* Both ends of the only link are cut off, and neither loses by it. */
CASE(nodes_that_lose_all_others_are_damped)
{
	s.is_beating = false;
	stage_run(&s, SEC);
	for (unsigned i = 0; i < 3; i++) {
		s.is_cut = true;
		stage_run(&s, SEC);
		s.is_cut = false;
		while (!node_peer_status(s.nodes[TWO], FROM_NODE).up)
			stage_run(&s, BEAT / 10);
		assert_int_equal(pause_of(TWO) > 0, i > 0);
		stage_run(&s, BEAT);
		assert_int_equal(stage_status(&s, TWO).leader, 3);
	}
	stage_run(&s, 10 * SEC);
	assert_int_equal(stage_status(&s, THREE).leader, 3);
}

/* The member passes a beacon of this leader on to node 2. */
static void
tell_leader(uint64_t term, node_id leader, bool is_undamped)
{
	struct beacon beacon = {
		.term = term,
		.leader = { .is_eligible = true,
		    .is_contender = is_undamped,
		    .id = leader },
		.incarnation = s.members[TWO].incarnation,
		.number = 1,
		.hops = leader != 1,
	};

	stage_lead(&s, TWO, &beacon, NULL);
}

/* The node listens, so it cannot begin an election against the other leader. */
STAGE_CASE(node_that_listens_leaves_its_leader_only_for_an_undamped_one,
    stage_enter_alone, &s)
{
	stage_join(&s, TWO);
	assert_int_equal(stage_status(&s, TWO).state, STATE_STARTING);
	tell_leader(5, 1, true);
	assert_int_equal(stage_status(&s, TWO).leader, 1);
	tell_leader(7, 3, false);
	assert_int_equal(stage_status(&s, TWO).leader, 1);
	tell_leader(8, 3, true);
	assert_int_equal(stage_status(&s, TWO).leader, 3);
}
