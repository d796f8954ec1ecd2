/* SPDX-License-Identifier: ISC */
/*
 * A peer that speaks from another address than the node knows (PROTOCOL.md,
 * Addresses): the seal of a datagram proves whose it is, and the latest one
 * shows where the peer is.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

static struct peer_status
member_status(void)
{
	return node_peer_status(s.nodes[0], 0);
}

#define CASE(name) STAGE_CASE(name, stage_enter_alone, &s)

CASE(peer_that_says_hello_from_elsewhere_is_found_there)
{
	s.is_away[0] = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(s.finds, 0);
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	assert_int_equal(s.finds, 0); /* it may be an old copy */
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(s.finds, 1);
	assert_true(member_status().up);
	assert_false(member_status().duplicate);
	assert_int_equal(stage_dropped(&s, 0, DROP_ADDRESS), 0);
}

/* The peer has more than one address, and answers from another. */
CASE(peer_that_answers_from_elsewhere_is_found_there)
{
	while (!member->was_greeted)
		stage_run(&s, 100 * MSEC);
	s.is_away[0] = true;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_welcome(member, datagram));
	assert_int_equal(s.finds, 1);
	assert_true(member_status().session);
}

CASE(peer_that_moves_is_no_second_process)
{
	stage_join(&s, 0);
	s.finds = 0;
	s.is_away[0] = true;
	assert_true(member_status().up);
	stage_join(&s, 0);
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	assert_int_equal(s.finds, 1);
	assert_true(member_status().up);
	assert_false(member_status().duplicate);
	assert_int_equal(s.notices[NOTICE_DUPLICATE], 0);
}

CASE(second_process_elsewhere_takes_no_place)
{
	struct member other;

	stage_join(&s, 0);
	s.finds = 0;
	other = *member;
	other.instance[3]++;
	other.incarnation++;
	stage_feed(
	    &s, 0, FROM_NOWHERE, datagram, member_hello(&other, datagram));
	assert_int_equal(stage_dropped(&s, 0, DROP_ADDRESS), 1);
	assert_int_equal(s.finds, 0);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(member_status().up);
	assert_true(member_status().incarnation == member->incarnation);
}

/* An attacker brings them from an address of its own. */
CASE(copies_move_nobody)
{
	static uint8_t hello[HANDSHAKE_BYTES], beat[PACKET_MAX];
	struct body body;
	size_t size;

	member_hello(member, hello);
	stage_feed(&s, 0, FROM_MEMBER, hello, sizeof(hello));
	body = member_body(member, s.now);
	size = member_say(member, &body, NULL, 0, beat);
	stage_feed(&s, 0, FROM_MEMBER, beat, size);
	assert_true(member_status().up);
	s.finds = 0;
	stage_feed(&s, 0, FROM_NOWHERE, hello, sizeof(hello));
	stage_feed(&s, 0, FROM_NOWHERE, beat, size);
	assert_int_equal(stage_dropped(&s, 0, DROP_REPLAY), 2);
	stage_run(&s, 5 * SEC);
	assert_false(member_status().up);
	stage_feed(&s, 0, FROM_NOWHERE, hello, sizeof(hello));
	stage_feed(&s, 0, FROM_NOWHERE, beat, size);
	assert_false(member_status().session);
	assert_int_equal(s.finds, 0);
}

/* The attacker brings the first datagram of the session before its sender
 * does. */
CASE(attacker_that_was_faster_loses_the_peer_by_its_next_datagram)
{
	struct body body;
	size_t size;

	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	body = member_body(member, s.now);
	size = member_say(member, &body, NULL, 0, datagram);
	stage_feed(&s, 0, FROM_NOWHERE, datagram, size);
	assert_int_equal(s.found[0][FROM_MEMBER], FROM_NOWHERE);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_int_equal(stage_dropped(&s, 0, DROP_REPLAY), 1);
	assert_int_equal(s.finds, 1);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(s.finds, 2);
	assert_int_equal(s.found[0][FROM_MEMBER], FROM_MEMBER);
	assert_true(member_status().up);
	assert_false(member_status().duplicate);
}

/* No other host tells it, for none knows where it is. */
CASE(host_that_moved_and_lost_its_number_learns_it)
{
	struct member next;

	stage_join(&s, 0);
	stage_run(&s, 5 * SEC);
	assert_false(member_status().up);
	s.is_away[0] = true;
	member_init(&next, 1, 2, member->key);
	next.instance[3]++;
	*member = next;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	assert_int_equal(member->answer.known, 5);
	assert_int_equal(stage_dropped(&s, 0, DROP_ADDRESS), 0);
	member->incarnation = 6;
	s.finds = 0;
	stage_join(&s, 0);
	assert_int_equal(s.finds, 1);
	assert_true(member_status().up);
}

/* A peer's heartbeat shows where it is, and also where it has come back to. */
CASE(peer_that_moves_within_a_session_is_found)
{
	stage_join(&s, 0);
	s.finds = 0;
	s.is_away[0] = true;
	s.wills[0][0][false].size = 0;
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(s.finds, 1);
	assert_true(member_status().heard == s.now);
	assert_true(s.wills[0][0][false].size > 0); /* to its new address */
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(s.finds, 1);
	assert_true(member_status().up);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
}

/* The network, or an attacker, has kept it until the peer was elsewhere. */
CASE(datagram_that_is_not_the_latest_moves_nobody)
{
	struct body body;
	size_t size;

	stage_join(&s, 0);
	s.finds = 0;
	body = member_body(member, s.now);
	size = member_say(member, &body, NULL, 0, datagram);
	stage_beat(&s, 0, NULL, 0, 0);
	stage_feed(&s, 0, FROM_NOWHERE, datagram, size);
	assert_int_equal(stage_dropped(&s, 0, DROP_REPLAY), 0);
	assert_int_equal(s.finds, 0);
}

/* Whatever else comes from its address. */
CASE(datagrams_that_a_peer_sealed_count_as_received_from_it)
{
	struct body body;
	uint64_t before;
	size_t size;

	stage_join(&s, 0);
	before = node_received_from(s.nodes[0], 0);
	body = member_body(member, s.now);
	size = member_say(member, &body, NULL, 0, datagram);
	datagram[size - 1] ^= 1;
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_true(node_received_from(s.nodes[0], 0) == before);
	datagram[size - 1] ^= 1;
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_true(node_received_from(s.nodes[0], 0) == before + 1);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size); /* a copy */
	size = member_hello(member, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_true(node_received_from(s.nodes[0], 0) == before + 1);
	assert_int_equal(node_received_from(s.nodes[0], PEER_NONE), 0);
	assert_int_equal(node_received_from(s.nodes[0], PEER_GROUP), 0);
}

CASE(forged_datagram_from_elsewhere_hints_at_no_other_key)
{
	stage_run(&s, SEC);
	for (int i = 0; i < 100; i++) {
		member_hello(member, datagram);
		datagram[1] = i < 50 ? PACKET_HELLO : PACKET_HELLO_ACK;
		datagram[HANDSHAKE_BYTES - 1] ^= 1;
		stage_feed(&s, 0, FROM_NOWHERE, datagram, HANDSHAKE_BYTES);
		stage_run(&s, 100 * MSEC);
	}
	assert_true(stage_dropped(&s, 0, DROP_SEAL) >= 50);
	assert_false(member_status().other_key);
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 0);
}
