/* SPDX-License-Identifier: ISC */
/*
 * A node among others that are all linked to all: whose heartbeats it asks for,
 * to which peers it sends heartbeats itself, and what it makes of the leader's
 * list of members.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#define BEAT (100 * MSEC)
#define TERM 9

/* The nodes' peers: the member, and the other node. */
enum {
	MEMBER,
	OTHER
};

/* The bits of a list of members: 1, 2 and 3 are there, or 3 is not. */
#define ALL_THERE 0x07
#define TWO_THERE 0x03

static struct stage s;
static uint8_t datagram[PACKET_MAX];
static uint64_t number; /* of the member's beacon */

/* Node 3 leads; node 2, and the member, follow. */
static int
enter_follower(void **state)
{
	(void)state;
	stage_set(&s, 2);
	stage_begin(&s, 5 * SEC);
	s.is_beating = false;
	assert_int_equal(stage_status(&s, 0).leader, 3);
	return 0;
}

/* One heartbeat of the member as leader, with this list of members. */
static void
say_members(unsigned node, uint16_t agree, const uint8_t *bits, size_t size)
{
	struct beacon beacon = { .term = TERM,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 1 },
		.incarnation = s.members[0].incarnation,
		.number = ++number };
	struct members members = { agree, size, bits };
	uint8_t frames[128], bytes[16];
	struct writer w = writer_of(frames, sizeof(frames));
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_MEMBERS, 0, bytes, 2 + size };

	member_write_beacon(&w, &beacon);
	members_encode(&b, &members);
	frame_encode(&w, &f);
	stage_beat(&s, node, frames, w.size, 2);
}

/* The member sends its heartbeats as leader, with this list of members. */
static void
lead(unsigned beats, uint16_t agree, const uint8_t *bits, size_t size)
{
	for (unsigned i = 0; i < beats; i++) {
		for (unsigned node = 0; node < STAGE_NODES; node++)
			say_members(node, agree, bits, size);
		stage_run(&s, BEAT);
	}
}

/* The member leads nodes 2 and 3. */
static int
enter_led(void **state)
{
	static const uint8_t all[] = { ALL_THERE };

	(void)state;
	number = 0;
	stage_set(&s, 2);
	s.setups[0].prefer = s.setups[1].prefer = PREFER_LOWEST;
	stage_begin(&s, 3 * SEC);
	s.is_beating = false;
	lead(10, 3, all, sizeof(all));
	assert_int_equal(stage_status(&s, 0).leader, 1);
	assert_int_equal(stage_status(&s, 1).leader, 1);
	return 0;
}

static bool
is_up(unsigned peer)
{
	return node_peer_status(s.nodes[0], peer).up;
}

static uint64_t
sent_to(unsigned peer)
{
	return node_peer_status(s.nodes[0], peer).sent;
}

/* Sends one heartbeat of the member's to node 2, with these watch flags; gives
 * how many datagrams come back at once. */
static uint64_t
answers_to(unsigned watch)
{
	struct member *m = &s.members[0];
	struct body body = member_body(m, s.now);
	uint64_t before = sent_to(MEMBER);

	body.watch = (uint8_t)watch;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(m, &body, NULL, 0, datagram));
	return sent_to(MEMBER) - before;
}

/* The member sends heartbeats only to the leader. */
static void
run_known_to_the_leader(unsigned beats)
{
	for (unsigned i = 0; i < beats; i++) {
		stage_beat(&s, 1, NULL, 0, 0);
		stage_run(&s, BEAT);
	}
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(follower_wants_the_leaders_heartbeats_alone, enter_follower)
{
	assert_false(s.members[0].heard.watch & WATCH_WANTED);
	assert_true(s.members[1].heard.watch & WATCH_WANTED);
}

CASE(peer_that_is_not_watched_may_be_silent_until_the_leader_misses_it,
    enter_follower)
{
	run_known_to_the_leader(100);
	assert_true(is_up(MEMBER));
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	stage_run(&s, 2 * 310 * MSEC + 2 * BEAT);
	assert_false(is_up(MEMBER));
}

CASE(beats_for_those_that_want_it, enter_follower)
{
	uint64_t before;

	answers_to(0);
	before = sent_to(MEMBER);
	run_known_to_the_leader(10);
	assert_int_equal(sent_to(MEMBER), before);
	answers_to(WATCH_WANTED);
	before = sent_to(MEMBER);
	run_known_to_the_leader(10);
	assert_in_range(sent_to(MEMBER) - before, 9, 11);
}

/* The datagram that said so was lost. */
CASE(peer_that_sends_unwanted_heartbeats_learns_so_again, enter_follower)
{
	assert_int_equal(answers_to(0), 0);
	assert_int_equal(answers_to(WATCH_WANTED), 1); /* the leader is there */
	assert_int_equal(answers_to(WATCH_WANTED), 0);
	assert_int_equal(answers_to(WATCH_GRANTED), 1);
	assert_int_equal(answers_to(WATCH_WANTED | WATCH_GRANTED), 1);
	assert_int_equal(s.members[0].heard.watch, WATCH_GRANTED);
}

static enum verdict
verdict_on_hello(void)
{
	struct member *m = &s.members[0];

	stage_feed(&s, 0, FROM_MEMBER, datagram, member_hello(m, datagram));
	m->has_session = false;
	return m->answer.verdict;
}

/* The process that was there is silent, but no node missed it: so node 2 asks
 * it. */
CASE(hello_of_another_process_has_the_last_one_looked_for, enter_follower)
{
	s.members[0].instance[0]++;
	assert_int_equal(verdict_on_hello(), VERDICT_DUPLICATE);
	run_known_to_the_leader(4);
	assert_false(is_up(MEMBER));
	assert_int_equal(verdict_on_hello(), VERDICT_STALE);
}

/* Both ends watch a link that comes up; neither doubts the leader because of
 * that. */
CASE(leader_is_not_asked_for_the_sake_of_a_link_that_comes_up, enter_follower)
{
	struct member *m = &s.members[0];
	uint64_t sent = sent_to(OTHER);

	m->incarnation++;
	m->instance[0]++;
	m->number = 0;
	stage_join(&s, 0);
	assert_true(is_up(MEMBER));
	assert_int_equal(sent_to(OTHER), sent);
	answers_to(0);
	answers_to(WATCH_WANTED);
	assert_int_equal(sent_to(OTHER), sent + 1);
}

/* After 310 ms it counts as lost; the last 100 are for the question. */
CASE(others_are_asked_before_the_leader_is_given_up, enter_led)
{
	static const uint8_t all[] = { ALL_THERE };
	uint64_t before = sent_to(OTHER);

	lead(10, 3, all, sizeof(all));
	stage_run(&s, 90 * MSEC);
	assert_int_equal(sent_to(OTHER), before);
	stage_run(&s, 50 * MSEC);
	assert_true(sent_to(OTHER) > before);
	assert_int_equal(stage_status(&s, 0).leader, 1);
}

CASE(members_frame_tells_the_nodes_that_agree, enter_led)
{
	static const uint8_t all[] = { ALL_THERE };

	assert_int_equal(stage_status(&s, 0).agree, 3);
	lead(1, 2, all, sizeof(all));
	assert_int_equal(stage_status(&s, 0).agree, 2);
	lead(1, 77, all, sizeof(all)); /* there are fewer nodes */
	assert_int_equal(stage_status(&s, 0).agree, 3);
}

/* The nodes cannot hear each other, and have no reason to try. */
CASE(peer_that_the_leader_misses_is_looked_for, enter_led)
{
	static const uint8_t all[] = { ALL_THERE }, two[] = { TWO_THERE };

	s.is_cut = true;
	lead(50, 3, all, sizeof(all));
	assert_true(is_up(OTHER));
	lead(2, 2, two, sizeof(two));
	assert_true(is_up(OTHER));
	lead(3, 2, two, sizeof(two));
	assert_false(is_up(OTHER));
	assert_int_equal(stage_status(&s, 0).leader, 1);
}

/* The node hears it, whatever the leader says of it. */
CASE(peer_that_the_leader_misses_is_kept_if_it_answers, enter_led)
{
	static const uint8_t all[] = { ALL_THERE }, two[] = { TWO_THERE };
	uint64_t before;

	before = sent_to(OTHER);
	lead(50, 2, two, sizeof(two));
	assert_true(is_up(OTHER));
	assert_in_range(sent_to(OTHER) - before, 45, 60);
	lead(5, 3, all, sizeof(all));
	before = sent_to(OTHER);
	lead(50, 3, all, sizeof(all));
	assert_true(is_up(OTHER));
	assert_int_equal(sent_to(OTHER), before);
}

/* Each list with a change makes it ask a node: a faulty leader could make it
 * send to all others, at any rate. */
CASE(members_are_read_no_faster_than_heartbeats_come, enter_led)
{
	static const uint8_t bits[][1] = { { ALL_THERE }, { TWO_THERE } };

	s.bytes_sent = 0;
	for (unsigned i = 0; i < 100; i++)
		say_members(0, 2, bits[i % 2], 1);
	assert_in_range(s.bytes_sent, 0, 1000);
}

CASE(members_of_another_size_is_ignored, enter_led)
{
	static const uint8_t bits[3] = { TWO_THERE };

	s.is_cut = true;
	lead(10, 77, bits, 0);
	lead(10, 77, bits, 2);
	lead(10, 77, bits, 3);
	assert_true(is_up(OTHER));
	assert_int_equal(stage_status(&s, 0).agree, 3);
}

CASE(members_of_another_than_the_leader_is_ignored, enter_follower)
{
	static const uint8_t frames[] = { FRAME_MEMBERS, 0, 3, 0, 0, 0, 0, 0,
		77, 0 };

	stage_beat(&s, 0, frames, sizeof(frames), 1);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 0);
	assert_int_equal(stage_status(&s, 0).agree, 2);
	run_known_to_the_leader(20);
	assert_int_equal(stage_status(&s, 0).agree, 2);
	assert_int_equal(stage_status(&s, 0).leader, 3);
}
