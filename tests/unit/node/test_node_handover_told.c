/* SPDX-License-Identifier: ISC */
/*
 * A handover of which a node hears by another, or for a leader that it did not
 * expect: nodes 2 and 3, and a member.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#define TWO   0
#define THREE 1
#define TERM  9 /* of the member */

static struct stage s;

/* Node 3 leads, as the best; the member is the worst. */
static int
enter_three(void **state)
{
	(void)state;
	stage_set(&s, 2);
	stage_begin(&s, 3 * SEC);
	assert(stage_status(&s, THREE).state == STATE_LEADER);
	return 0;
}

static void
assert_reason(struct reason reason, enum reason_kind kind, node_id node)
{
	assert_int_equal(reason.kind, kind);
	assert_int_equal(reason.node, node);
}

/* A heartbeat of the member's, as a leader that is eligible; its members are
 * nodes 1 and 2. */
static void
say_beacon(unsigned node, const struct beacon *said)
{
	static const uint8_t two[] = { 0, 2, 3 };
	const struct packet_frame members = { FRAME_MEMBERS, 0, two,
		sizeof(two) };
	struct beacon beacon = *said;
	uint8_t frames[128];
	struct writer w = writer_of(frames, sizeof(frames));

	beacon.leader =
	    (struct rank){ .is_eligible = true, .is_contender = true, .id = 1 };
	beacon.incarnation = s.members[node].incarnation;
	member_write_beacon(&w, &beacon);
	frame_encode(&w, &members);
	stage_beat(&s, node, frames, w.size, 2);
}

/* The other leads in the node's own term, by an election that did not reach it,
 * and is worse. The node follows, as it begins no election any more. */
STAGE_CASE(leader_that_is_to_end_follows_any_other, enter_three, &s)
{
	s.is_cut = true;
	stage_run(&s, SEC);
	stage_stop(&s, THREE);
	assert_false(node_stopped(s.nodes[THREE]));
	say_beacon(
	    THREE, &(struct beacon){
		       .term = stage_status(&s, THREE).term, .number = 1 });
	assert_int_equal(stage_status(&s, THREE).leader, 1);
	assert_true(node_stopped(s.nodes[THREE]));
}

/* The member, the best, leads. It tells node 2 that it does not hear node 3, so
 * these two watch each other. */
static int
enter_led(void **state)
{
	(void)state;
	stage_set(&s, 2);
	s.setups[TWO].prefer = s.setups[THREE].prefer = PREFER_LOWEST;
	stage_begin(&s, 3 * SEC);
	s.is_beating = false;
	for (unsigned i = 1; i <= 5; i++) {
		say_beacon(TWO, &(struct beacon){ .term = TERM, .number = i });
		say_beacon(
		    THREE, &(struct beacon){ .term = TERM, .number = i });
		stage_run(&s, STAGE_BEAT);
	}
	assert_int_equal(stage_status(&s, TWO).leader, 1);
	assert_int_equal(stage_status(&s, THREE).leader, 1);
	return 0;
}

/* Node 3 hears that the leader hands over to node 2, and sends heartbeats
 * meanwhile. Node 2 knows the leader only as one that is eligible, and is
 * better. */
STAGE_CASE(
    successor_learns_of_the_handover_from_another_and_leads, enter_led, &s)
{
	say_beacon(THREE, &(struct beacon){ .term = TERM,
			      .number = 6,
			      .hands_over = true,
			      .is_leaving = true,
			      .successor = 2,
			      .reason = { REASON_BYE, 1 } });
	assert_int_equal(stage_status(&s, TWO).state, STATE_LEADER);
	assert_reason(stage_status(&s, TWO).reason, REASON_BYE, 1);
	assert_int_equal(stage_status(&s, THREE).leader, 2);
}
