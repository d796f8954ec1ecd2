/* SPDX-License-Identifier: ISC */
/*
 * A node whose link is up: how it sleeps and wakes, which leader it follows by
 * incoming beacons, when it repeats a message, and which reasons its elections
 * get.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

static void
begin(enum prefer prefer)
{
	stage_set(&s, 1);
	s.setups[0].prefer = prefer;
	stage_begin(&s, 3 * SEC);
	s.is_beating = false;
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

/* The node prefers the member to itself. */
static int
enter_follower(void **state)
{
	(void)state;
	begin(PREFER_LOWEST);
	return 0;
}

static int
enter_leader(void **state)
{
	(void)state;
	begin(PREFER_HIGHEST);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	return 0;
}

/* A heartbeat of the member with a beacon of its lead. */
static void
beat_as_leader(uint64_t term, uint64_t number, uint16_t hops)
{
	struct beacon beacon = member_beacon(member, term, number);

	beacon.hops = hops;
	stage_lead(&s, 0, &beacon, NULL);
}

/* Runs until the node has sent, which it does once an interval. */
static void
run_to_its_heartbeat(void)
{
	s.bytes_sent = 0;
	for (int i = 0; i < 150 && s.bytes_sent == 0; i++)
		stage_run(&s, MSEC);
	assert_true(s.bytes_sent > 0);
}

/* The node does not run for 250 ms, and its leader's last beacon is then too
 * old; nothing has come in meanwhile. */
static void
stall(void)
{
	run_to_its_heartbeat();
	stage_run(&s, 20 * MSEC);
	beat_as_leader(9, 1, 0);
	assert_int_equal(stage_status(&s, 0).leader, 1);
	run_to_its_heartbeat();
	s.now += 250 * MSEC;
	stage_run(&s, 0);
	assert_int_equal(s.notices[NOTICE_STALLED], 1);
}

#define FOLLOWER(name) STAGE_CASE(name, enter_follower, &s)
#define LEADER(name)   STAGE_CASE(name, enter_leader, &s)

/* The follower may have missed heartbeats by its own fault. */
FOLLOWER(follower_that_was_away_for_a_moment_keeps_its_leader)
{
	unsigned lost = s.notices[NOTICE_NO_LEADER];

	stall();
	assert_int_equal(stage_status(&s, 0).leader, 1);
	stage_run(&s, 20 * MSEC);
	beat_as_leader(9, 2, 0);
	assert_int_equal(stage_status(&s, 0).leader, 1);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], lost);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
}

/* For a second it allows others twice the silence: 620 ms, not 310. */
FOLLOWER(node_that_was_away_suspects_others_later)
{
	stall();
	beat_as_leader(9, 2, 0);
	stage_run(&s, 500 * MSEC);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(stage_status(&s, 0).leader, 1);
	stage_run(&s, 150 * MSEC);
	assert_false(node_peer_status(s.nodes[0], 0).up);
	assert_true(stage_status(&s, 0).leader != 1);
}

/* The time it was away does not count as their silence either. */
FOLLOWER(silence_while_a_node_was_away_counts_for_nobody)
{
	stall();
	stage_run(&s, 400 * MSEC);
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

FOLLOWER(node_trusts_itself_again_after_a_while)
{
	stall();
	s.is_beating = true;
	stage_run(&s, 2 * SEC);
	s.is_beating = false;
	stage_run(&s, 400 * MSEC);
	assert_false(node_peer_status(s.nodes[0], 0).up);
}

/* The joiner knows nothing yet by which to judge a jump, so it gets into a
 * cluster whose terms are high. */
FOLLOWER(joiner_believes_the_first_term_it_hears_of)
{
	uint64_t term = UINT64_C(1) << 33;

	beat_as_leader(term, 1, 0);
	assert_int_equal(stage_status(&s, 0).leader, 1);
	assert_true(stage_status(&s, 0).term == term);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 0);
	/* A node that knows terms takes no such jump. */
	beat_as_leader(term + TERM_JUMP_MAX + 1, 2, 0);
	assert_true(stage_status(&s, 0).term == term);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 1);
	beat_as_leader(term + TERM_JUMP_MAX, 3, 0);
	assert_true(stage_status(&s, 0).term == term + TERM_JUMP_MAX);
}

FOLLOWER(beacon_that_is_handed_on_bears_one_hop_more)
{
	beat_as_leader(9, 1, 0);
	run_to_its_heartbeat();
	assert_int_equal(member->said.beacon.leader.id, 1);
	assert_int_equal(member->said.beacon.number, 1);
	assert_int_equal(member->said.beacon.hops, 1);
	beat_as_leader(9, 2, 41);
	run_to_its_heartbeat();
	assert_int_equal(member->said.beacon.hops, 42);
	beat_as_leader(9, 3, NODES_MAX - 1);
	run_to_its_heartbeat();
	assert_int_equal(member->said.beacon.hops, NODES_MAX);
}

/* Else it would follow a leader whose term it could pass on to nobody, and no
 * election would be late enough for it. */
FOLLOWER(beacon_from_farther_than_any_node_tells_its_term_alone)
{
	struct node_status status;

	beat_as_leader(900, 1, NODES_MAX);
	status = stage_status(&s, 0);
	assert_int_not_equal(status.leader, 1);
	stage_elect(&s, 0);
	assert_true(stage_status(&s, 0).term > 900);
}

/* The leader follows no leader of a term below one that it has seen, and the
 * later one goes back to no term below its own: an election above both ends
 * this. */
LEADER(leader_goes_above_a_later_one_that_it_may_not_follow)
{
	beat_as_leader(900, 1, NODES_MAX);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	beat_as_leader(800, 1, 0);
	assert_true(stage_status(&s, 0).term > 900);
}

/* An election went to two parts, whose winners lead in its term, and a later
 * one came to nothing: neither would follow the other. */
LEADER(leader_goes_above_another_one_of_its_term_below_one_seen)
{
	const uint64_t term = stage_status(&s, 0).term;

	beat_as_leader(900, 1, NODES_MAX);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	beat_as_leader(term, 1, 0);
	assert_true(stage_status(&s, 0).term > 900);
}

/* The member elects in a term above the leader's, which is below one that the
 * leader has seen: it would begin again and again. */
LEADER(leader_goes_above_an_election_of_a_term_that_is_over)
{
	const struct message election = { .kind = 0,
		.term = 800,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	uint8_t frame[FRAME_BYTES + TAGGED_BYTES_MAX];
	struct writer w = writer_of(frame, sizeof(frame));

	beat_as_leader(900, 1, NODES_MAX);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	member_write_message(member, &w, &election);
	stage_beat(&s, 0, frame, w.size, 1);
	assert_true(stage_status(&s, 0).term > 900);
}

/* The member does not hear the leader: they are in no election together. */
LEADER(leader_does_not_go_above_an_election_behind_a_link_that_is_down)
{
	const struct message election = { .kind = 0,
		.term = 800,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	uint8_t frame[FRAME_BYTES + TAGGED_BYTES_MAX];
	struct writer w = writer_of(frame, sizeof(frame));
	struct body body;

	beat_as_leader(900, 1, NODES_MAX);
	member_write_message(member, &w, &election);
	body = member_body(member, s.now);
	body.flags &= (uint8_t)~BODY_HEARD;
	body.frames_count = 1;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, &body, frame, w.size, datagram));
	assert_false(node_peer_status(s.nodes[0], 0).up);
	assert_true(stage_status(&s, 0).term < 900);
}

/* Node 2 leads node 3; the member is better, and has just come up. */
static int
enter_led(void **state)
{
	(void)state;
	stage_set(&s, 2);
	s.setups[0].prefer = s.setups[1].prefer = PREFER_LOWEST;
	stage_start(&s);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 1).leader, 2);
	stage_join(&s, 1);
	assert_int_equal(stage_status(&s, 1).leader, 2);
	return 0;
}

/* Gives why node 3 follows the member, which says that it leads for this
 * reason, by an election that never came to node 3. */
static struct reason
reason_told_as(struct reason reason)
{
	struct beacon beacon =
	    member_beacon(member, stage_status(&s, 1).term + 2, 1);

	beacon.reason = reason;
	stage_lead(&s, 1, &beacon, NULL);
	assert_int_equal(stage_status(&s, 1).leader, 1);
	return stage_status(&s, 1).reason;
}

STAGE_CASE(leader_that_preempted_ours_has_that_reason, enter_led, &s)
{
	struct reason reason =
	    reason_told_as((struct reason){ REASON_PREEMPT, 2 });

	assert_int_equal(reason.kind, REASON_PREEMPT);
	assert_int_equal(reason.node, 2);
}

/* Others may know earlier that it is gone. */
STAGE_CASE(leader_after_the_loss_of_ours_has_that_reason, enter_led, &s)
{
	struct reason reason =
	    reason_told_as((struct reason){ REASON_REFUSED, 2 });

	assert_int_equal(reason.kind, REASON_REFUSED);
	assert_int_equal(reason.node, 2);
}

/* Two clusters become one, whatever happened in the other. */
STAGE_CASE(leader_that_preempted_another_counts_as_a_merge, enter_led, &s)
{
	struct reason reason =
	    reason_told_as((struct reason){ REASON_PREEMPT, 1 });

	assert_int_equal(reason.kind, REASON_MERGE);
	assert_int_equal(reason.node, 1);
}

STAGE_CASE(leader_for_an_unknown_reason_counts_as_a_merge, enter_led, &s)
{
	struct reason reason =
	    reason_told_as((struct reason){ REASON_MISSED, 2 });

	assert_int_equal(reason.kind, REASON_MERGE);
	assert_int_equal(reason.node, 1);
}

/* The second beacon makes no sense, and its content must not count for the
 * first. */
FOLLOWER(beacon_behind_a_good_one_that_makes_no_sense_is_dropped)
{
	struct beacon beacon = member_beacon(member, 9, 1);
	uint8_t frames[2 * (FRAME_BYTES + BEACON_BYTES)];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_beacon(&w, &beacon);
	beacon.number = 2;
	beacon.hops = UINT16_MAX;
	member_write_beacon(&w, &beacon);
	stage_beat(&s, 0, frames, w.size, 2);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 1);
	run_to_its_heartbeat();
	assert_int_equal(member->said.beacon.number, 1);
	assert_int_equal(member->said.beacon.hops, 1);
}

/*
 * The leader's heartbeat wakes its followers anyway, and they send with it. A
 * heartbeat that another passes on, or a repeated one, does not.
 */
FOLLOWER(follower_beats_along_with_its_leader)
{
	beat_as_leader(9, 1, 0);
	run_to_its_heartbeat();
	stage_run(&s, 70 * MSEC);
	s.bytes_sent = 0;
	beat_as_leader(9, 1, 0);
	beat_as_leader(9, 2, 1);
	assert_int_equal(s.bytes_sent, 0);
	beat_as_leader(9, 3, 0);
	assert_true(s.bytes_sent > 0);
	/* This happens only once in half an interval. */
	s.bytes_sent = 0;
	beat_as_leader(9, 4, 0);
	assert_int_equal(s.bytes_sent, 0);
}

LEADER(leaders_own_beacon_bears_no_hop)
{
	run_to_its_heartbeat();
	assert_int_equal(member->said.beacon.leader.id, 2);
	assert_int_equal(member->said.beacon.hops, 0);
}

static uint64_t
resent_to_two(void)
{
	return node_peer_status(s.nodes[1], 1).resent;
}

/* The message of node 3 to node 2 is lost. Node 3 repeats it after the least
 * timeout of 20 ms, not with the next heartbeat. */
STAGE_CASE(message_is_said_again_within_its_timeout, NULL, &s)
{
	uint64_t sent;

	stage_set(&s, 2);
	stage_start(&s);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 1).state, STATE_LEADER);
	sent = node_peer_status(s.nodes[1], 1).sent;
	while (node_peer_status(s.nodes[1], 1).sent == sent)
		stage_run(&s, MSEC);
	s.is_cut = true;
	stage_elect(&s, 1);
	assert_int_equal(resent_to_two(), 0);
	stage_run(&s, 25 * MSEC);
	assert_int_equal(resent_to_two(), 1);
	stage_run(&s, 40 * MSEC);
	assert_int_equal(resent_to_two(), 2);
}

/* The operator gets the term of what has only begun. */
STAGE_CASE(forced_election_is_named_by_its_own_term, NULL, &s)
{
	uint64_t before;

	stage_set(&s, 2);
	stage_start(&s);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	before = stage_status(&s, 0).term;
	assert_int_equal(stage_elect(&s, 0), before + 1);
	assert_int_equal(stage_status(&s, 0).term, before + 1);
	assert_int_equal(stage_elect(&s, 1), before + 2);
	assert_int_equal(stage_status(&s, 0).term, before + 2);
	assert_int_equal(stage_status(&s, 1).term, before + 2);
}

/* A node that never had a leader reports once that there is none. */
STAGE_CASE(election_without_a_winner_is_reported, NULL, &s)
{
	stage_set(&s, 1);
	s.setups[0].role = ROLE_VOTER;
	stage_start(&s);
	stage_run(&s, 500 * MSEC);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], 0);
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_LEADER);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], 1);
	assert_int_equal(s.notices[NOTICE_LEADER], 0);
	assert_int_equal(stage_elect(&s, 0), 2);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], 1);
}

/* A heartbeat of the member, which is not eligible, and knows of no leader in
 * this term. */
static void
beat_without_leader(uint64_t term)
{
	const struct beacon none = { .term = term };
	struct member *m = &s.members[0];
	struct body body = member_body(m, s.now);
	uint8_t frames[FRAME_BYTES + BEACON_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_beacon(&w, &none);
	body.flags &= (uint8_t) ~(BODY_ELIGIBLE | BODY_CONTENDER);
	body.frames_count = 1;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(m, &body, frames, w.size, datagram));
}

/* The member is better, and answers no message of the election. */
STAGE_CASE(election_ends_when_a_peer_says_that_nobody_is_eligible, NULL, &s)
{
	uint64_t term;

	stage_set(&s, 1);
	s.setups[0].prefer = PREFER_LOWEST;
	s.setups[0].role = ROLE_VOTER;
	stage_start(&s);
	stage_run(&s, 5 * SEC);
	stage_join(&s, 0);
	beat_without_leader(1);
	term = stage_elect(&s, 0);
	assert_int_equal(stage_status(&s, 0).state, STATE_ELECTING);
	beat_without_leader(term - 1);
	assert_int_equal(stage_status(&s, 0).state, STATE_ELECTING);
	beat_without_leader(term);
	assert_int_equal(stage_status(&s, 0).state, STATE_NO_LEADER);
	assert_true(stage_status(&s, 0).term == term);
}

/* A heartbeat of now that arrives later, while others pass. */
static uint64_t
late_after(nsec_t delay)
{
	struct body body = member_body(member, s.now);
	uint64_t before = stage_dropped(&s, 0, DROP_LATE);
	size_t size = member_say(member, &body, NULL, 0, datagram);

	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, delay);
	s.is_beating = false;
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	return stage_dropped(&s, 0, DROP_LATE) - before;
}

/* Detection takes 300 ms, and a second is allowed beyond. */
LEADER(datagram_that_was_held_back_is_dropped_as_late)
{
	assert_int_equal(late_after(1100 * MSEC), 0);
	assert_int_equal(late_after(1500 * MSEC), 1);
}
