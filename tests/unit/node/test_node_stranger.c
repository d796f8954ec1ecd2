/* SPDX-License-Identifier: ISC */
/*
 * A host that knows only its neighbours follows a leader that is not in its
 * configuration: neighbours elect it by passing messages on, and then its
 * beacons show it, as long as they come. Node 2 is in a path, between member 1,
 * behind which the strangers are, and node 3, which does not run.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define STRANGER 9 /* better than all nodes that node 2 knows */
#define TOKEN    1 /* the tree's: the best on the sender's side */

static struct stage s;
static struct member *const member = &s.members[0];

static int
enter(void **state)
{
	(void)state;
	stage_set(&s, 1);
	stage_path(&s);
	s.setups[0].algorithm = &algorithm_tree;
	stage_begin(&s, 500 * MSEC);
	stage_adopt(&s);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(stage_status(&s, 0).state, STATE_STARTING);
	return 0;
}

/* WAKEUP and TOKEN in one datagram: node 2 is a leaf, and decides. */
static void
elect_stranger(uint64_t term)
{
	struct message m = { .term = term, .reason = { REASON_START, 1 } };
	uint8_t frames[2 * (FRAME_BYTES + TAGGED_BYTES)];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_message(member, &w, &m);
	m.kind = TOKEN;
	m.rank = (struct rank){
		.is_eligible = true, .is_contender = true, .id = STRANGER
	};
	member_write_message(member, &w, &m);
	stage_beat(&s, 0, frames, w.size, 2);
}

static void
sign_of_stranger(uint64_t term, uint64_t incarnation, uint64_t number)
{
	struct beacon beacon = {
		.term = term,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = STRANGER },
		.incarnation = incarnation,
		.number = number,
		.hops = 1,
	};

	stage_lead(&s, 0, &beacon, NULL);
}

#define CASE(name) STAGE_CASE(name, enter, &s)

/* Three heartbeats, one for each of the two nodes that may be between, and one
 * to spare: 600 ms. */
CASE(elected_stranger_is_given_time_for_its_first_sign)
{
	elect_stranger(5);
	assert_int_equal(stage_status(&s, 0).state, STATE_FOLLOWER);
	assert_int_equal(stage_status(&s, 0).leader, STRANGER);
	assert_int_equal(stage_status(&s, 0).term, 5);
	stage_run(&s, 599 * MSEC);
	assert_int_equal(stage_status(&s, 0).leader, STRANGER);
	stage_run(&s, 2 * MSEC);
	assert_int_not_equal(stage_status(&s, 0).leader, STRANGER);
	assert_true(stage_status(&s, 0).term > 5);
	assert_int_equal(stage_status(&s, 0).reason.kind, REASON_MISSED);
	assert_int_equal(stage_status(&s, 0).reason.node, STRANGER);
}

CASE(stranger_is_followed_while_its_signs_come)
{
	elect_stranger(5);
	for (uint64_t number = 1; number <= 20; number++) {
		sign_of_stranger(5, 3, number);
		stage_run(&s, 100 * MSEC);
		assert_int_equal(stage_status(&s, 0).leader, STRANGER);
		assert_int_equal(stage_status(&s, 0).term, 5);
	}
	assert_int_equal(s.notices[NOTICE_LEADER], 1);
	stage_run(&s, SEC);
	assert_int_not_equal(stage_status(&s, 0).leader, STRANGER);
}

/* No election came this way: only the beacon tells. */
CASE(stranger_is_followed_by_its_sign_alone)
{
	sign_of_stranger(8, 3, 4);
	assert_int_equal(stage_status(&s, 0).state, STATE_FOLLOWER);
	assert_int_equal(stage_status(&s, 0).leader, STRANGER);
	assert_int_equal(stage_status(&s, 0).term, 8);
}

/* The node passes it on to peers that know the stranger no better. */
CASE(sign_of_a_stranger_is_handed_on)
{
	sign_of_stranger(8, 3, 4);
	stage_run(&s, 150 * MSEC);
	assert_int_equal(member->said.beacon.leader.id, STRANGER);
	assert_int_equal(member->said.beacon.incarnation, 3);
	assert_int_equal(member->said.beacon.hops, 2);
}
