/* SPDX-License-Identifier: ISC */
/*
 * Datagrams that waited for us, since a busy host gives its processes no time:
 * what a node makes of their age when it knows it.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#define BEAT (100 * MSEC)
#define LATE (40 * MSEC) /* less than what counts as a stall */

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

/* Node 2 leads the member; node 3 does not run. */
static int
enter(void **state)
{
	(void)state;
	stage_set(&s, 1);
	stage_begin(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	s.is_beating = false;
	return 0;
}

static struct peer_status
member_status(void)
{
	return node_peer_status(s.nodes[0], FROM_MEMBER);
}

/* The member answers each heartbeat of the node's at once. The node gets the
 * answer LATE, with or without its age. */
static void
answer_late(unsigned beats, nsec_t age)
{
	for (unsigned i = 0; i < beats; i++) {
		uint64_t sent = member_status().sent;
		struct body body;
		size_t size;

		while (member_status().sent == sent)
			stage_run(&s, MSEC / 10);
		body = member_body(member, s.now);
		size = member_say(member, &body, NULL, 0, datagram);
		stage_run(&s, LATE);
		s.age = age;
		stage_feed(&s, 0, FROM_MEMBER, datagram, size);
		s.age = 0;
	}
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(delay_of_ours_is_no_part_of_the_round_trip)
{
	nsec_t untold;

	answer_late(50, 0);
	untold = member_status().rtt;
	assert_in_range(untold, LATE / 2, 2 * LATE);
	answer_late(50, LATE);
	assert_in_range(member_status().rtt, 0, 2 * MSEC);
}

/* Silence counts from when the datagram came. */
CASE(silence_counts_from_what_was_heard_last)
{
	nsec_t heard[2];

	for (unsigned told = 0; told < 2; told++) {
		s.is_beating = true;
		stage_run(&s, 3 * SEC);
		s.is_beating = false;
		stage_run(&s, LATE);
		s.age = told ? LATE : 0;
		stage_beat(&s, 0, NULL, 0, 0);
		s.age = 0;
		heard[told] = s.now;
		while (member_status().up)
			stage_run(&s, MSEC);
		heard[told] = s.now - heard[told];
		stage_join(&s, 0);
	}
	assert_true(heard[1] + LATE / 2 < heard[0]);
	assert_true(heard[1] + LATE > 3 * BEAT);
}

/* The node adds to the timestamp that it returns all the time since it came. */
CASE(echo_counts_from_the_arrival)
{
	uint32_t timestamp, held[2];

	for (unsigned told = 0; told < 2; told++) {
		uint64_t sent;

		s.age = told ? LATE : 0;
		stage_beat(&s, 0, NULL, 0, 0);
		s.age = 0;
		timestamp = member_body(member, s.now).timestamp;
		sent = member_status().sent;
		while (member_status().sent == sent)
			stage_run(&s, MSEC / 10);
		held[told] = member->heard.echo - timestamp;
		held[told] -= (uint32_t)(s.now / USEC) - timestamp;
	}
	assert_in_range(
	    held[1] - held[0], LATE / USEC - 200, LATE / USEC + 200);
}
