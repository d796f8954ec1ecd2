/* SPDX-License-Identifier: ISC */
/*
 * A node of a ring whose neighbours are all bypassed: there is no ring to wait
 * for, so it does not let itself be bypassed for ever. Node 2, and member 1,
 * which says of itself what the test wants; node 3 does not run.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

/* Two detections of 300 ms and a lazy hello: once to twice as long. */
#define PATIENCE (1600 * MSEC)
#define STEP     (50 * MSEC)

static struct stage s;
static struct member *const member = &s.members[0];

static void
begin(nsec_t alone)
{
	stage_set(&s, 1);
	stage_ring(&s);
	s.setups[0].algorithm = &algorithm_chang_roberts;
	stage_start(&s);
	stage_run(&s, alone);
	stage_join(&s, 0);
}

static int
enter(void **state)
{
	(void)state;
	begin(0);
	return 0;
}

/* The member sends heartbeats with these flags of a ring while time passes. */
static void
run(nsec_t duration, unsigned flags)
{
	nsec_t until = s.now + duration;
	uint8_t datagram[PACKET_MAX];

	while (s.now < until) {
		struct body body = member_body(member, s.now);

		body.flags |= (uint8_t)flags;
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_say(member, &body, NULL, 0, datagram));
		stage_run(&s, STEP);
	}
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

/* Runs until the node says that it is bypassed, or not any more; gives how long
 * that took. */
static nsec_t
run_until_bypassed(bool wanted)
{
	unsigned flag = wanted ? BODY_BYPASSED : 0;
	nsec_t began = s.now;

	while ((member->heard.flags & BODY_BYPASSED) != flag) {
		assert_true(s.now < began + 10 * SEC);
		run(STEP, BODY_BYPASSED);
	}
	return s.now - began;
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(node_whose_only_neighbour_is_bypassed_is_too_and_returns)
{
	for (int i = 0; i < 5; i++) {
		assert_in_range(run_until_bypassed(true), PATIENCE,
		    2 * PATIENCE + 2 * STEP);
		assert_in_range(run_until_bypassed(false), PATIENCE,
		    2 * PATIENCE + 2 * STEP);
	}
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
}

/* As soon as its neighbour takes it on both sides there is a ring. */
CASE(ring_of_two_closes_when_its_other_node_returns)
{
	run_until_bypassed(true);
	assert_true(stage_status(&s, 0).is_bypassed);
	assert_int_equal(stage_elect(&s, 0), 0);
	run(STEP, BODY_TAKES_RIGHT | BODY_TAKES_LEFT);
	assert_false(member->heard.flags & BODY_BYPASSED);
	assert_true(member->heard.flags & BODY_TAKES_RIGHT);
	assert_true(member->heard.flags & BODY_TAKES_LEFT);
	assert_false(stage_status(&s, 0).is_bypassed);
	assert_true(stage_elect(&s, 0) > 0);
}

/* Through a bypassed neighbour it follows a leader, and waits for the ring. */
CASE(node_that_follows_a_leader_stays_bypassed)
{
	struct beacon beacon = {
		.term = 9,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 3 },
		.incarnation = 7,
		.hops = 1,
	};

	run_until_bypassed(true);
	for (beacon.number = 1; beacon.number < 100; beacon.number++) {
		uint8_t frames[FRAME_BYTES + BEACON_BYTES];
		uint8_t datagram[PACKET_MAX];
		struct writer w = writer_of(frames, sizeof(frames));
		struct body body = member_body(member, s.now);

		member_write_beacon(&w, &beacon);
		body.flags |= BODY_BYPASSED;
		body.frames_count = 1;
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_say(member, &body, frames, w.size, datagram));
		stage_run(&s, 100 * MSEC);
		assert_int_equal(stage_status(&s, 0).leader, 3);
		assert_true(member->heard.flags & BODY_BYPASSED);
	}
}

/* The leader does not wait for itself, as it would for another leader. */
STAGE_CASE(leader_among_the_bypassed_leads_on_and_returns, NULL, &s)
{
	uint64_t term;

	begin(3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	term = stage_status(&s, 0).term;
	for (int i = 0; i < 3; i++) {
		run_until_bypassed(true);
		run_until_bypassed(false);
	}
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_int_equal(s.notices[NOTICE_LEADER], 1);
}
