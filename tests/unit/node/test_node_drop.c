/* SPDX-License-Identifier: ISC */
/*
 * Dropped datagrams: the reports to the host, and the use that a node makes of
 * datagrams that it cannot open.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

#define CASE(name) STAGE_CASE(name, stage_enter_alone, &s)

/* For each reason and peer the first report comes at once, the next after 1, 2,
 * 4 minutes and so on. */
CASE(drops_are_reported_less_and_less_often_with_their_number)
{
	memset(datagram, 0xff, sizeof(datagram));
	memset(s.dropped_notices, 0, sizeof(s.dropped_notices));
	for (int i = 0; i < 2000; i++) {
		stage_feed(&s, 0, FROM_MEMBER, datagram, 3);
		stage_feed(&s, 0, FROM_MEMBER, datagram, 100);
		stage_feed(&s, 0, FROM_NOWHERE, datagram, 3);
		stage_run(&s, 100 * MSEC);
	}
	assert_int_equal(stage_dropped(&s, 0, DROP_SHORT), 4000);
	assert_int_equal(s.dropped_notices[0][DROP_SHORT], 2 * 3);
	assert_int_equal(stage_dropped(&s, 0, DROP_FOREIGN), 2000);
	assert_int_equal(s.dropped_notices[0][DROP_FOREIGN], 3);
	assert_int_equal(s.last_dropped.peer, NODE_NONE);
	assert_int_equal(s.last_dropped.datagrams, 1200);
}

/* Minutes 0, 1, 3, 7, 15, 31 and 63, then every hour. */
CASE(drops_that_go_on_are_reported_every_hour_at_least)
{
	for (int i = 0; i <= 243 * 60; i++) {
		stage_feed(&s, 0, FROM_NOWHERE, datagram, 3);
		stage_run(&s, SEC);
	}
	assert_int_equal(s.dropped_notices[0][DROP_SHORT], 7 + 3);
	assert_int_equal(s.last_dropped.datagrams, 3600);
	/* After two hours of silence it begins anew. */
	stage_run(&s, 2 * 3600 * SEC);
	stage_feed(&s, 0, FROM_NOWHERE, datagram, 3);
	stage_run(&s, 60 * SEC);
	stage_feed(&s, 0, FROM_NOWHERE, datagram, 3);
	assert_int_equal(s.dropped_notices[0][DROP_SHORT], 7 + 3 + 2);
}

CASE(drop_names_the_node_that_its_sender_says_it_is)
{
	struct member m = *member;
	size_t size;

	m.id = 9;
	size = member_hello(&m, datagram);
	stage_feed(&s, 0, FROM_NOWHERE, datagram, size);
	assert_int_equal(s.last_dropped.drop, DROP_UNKNOWN);
	assert_int_equal(s.last_dropped.claimed, 9);
	stage_feed(&s, 0, FROM_NOWHERE, datagram, 3);
	assert_int_equal(s.last_dropped.drop, DROP_SHORT);
	assert_int_equal(s.last_dropped.claimed, NODE_NONE);
}

/* Minutes 0, 2, 4, 8 and so on: the pause grows though each could be the first
 * of a new attack. */
CASE(rare_drops_are_reported_less_and_less_often_too)
{
	for (int i = 0; i < 30; i++) {
		stage_feed(&s, 0, FROM_NOWHERE, datagram, 3);
		stage_run(&s, 120 * SEC);
	}
	assert_in_range(s.dropped_notices[0][DROP_SHORT], 4, 7);
}

#define CROWD 500 /* peers, whose addresses somebody forges */

CASE(drops_of_one_kind_from_all_peers_are_reported_six_times_a_minute)
{
	static struct peer_setup crowd[CROWD];
	unsigned after_burst;

	stage_strike(&s);
	stage_set(&s, 1);
	for (unsigned i = 0; i < CROWD; i++)
		crowd[i] = (struct peer_setup){
			.id = i == 0 ? 1 : i + 2,
			.role = ROLE_CANDIDATE,
		};
	s.setups[0].peers = crowd;
	s.setups[0].peers_count = CROWD;
	stage_start(&s);
	for (unsigned i = 0; i < CROWD; i++)
		stage_feed(&s, 0, (enum stage_from)i, datagram, 3);
	after_burst = s.dropped_notices[0][DROP_SHORT];
	assert_in_range(after_burst, 2, 6);
	for (unsigned i = 0; i < 2 * CROWD; i++) {
		stage_feed(&s, 0, (enum stage_from)(i % CROWD), datagram, 3);
		stage_run(&s, 120 * SEC / (2 * CROWD));
	}
	assert_in_range(s.dropped_notices[0][DROP_SHORT] - after_burst, 10, 12);
	/* A report of one kind hides none of another. */
	memset(datagram, 0xff, sizeof(datagram));
	stage_feed(&s, 0, FROM_MEMBER, datagram, 100);
	assert_int_equal(s.dropped_notices[0][DROP_FOREIGN], 1);
}

/* One key has another identifier, and one has ours. */
static void
feed_of(const struct member *sender, unsigned to, enum stage_from from,
    bool same_identifier)
{
	struct member other = *sender;

	other.key[KEY_BYTES - 1] ^= 1;
	while (same_identifier &&
	       seal_key_id(other.key) != seal_key_id(sender->key))
		for (size_t i = 0; ++other.key[i] == 0; i++)
			continue;
	stage_feed(&s, to, from, datagram, member_hello(&other, datagram));
}

static void
feed_under_another_key(enum stage_from from, bool same_identifier)
{
	feed_of(member, 0, from, same_identifier);
}

#define HINTS 3 /* so many make it believable */

static void
hint(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		feed_under_another_key(FROM_MEMBER, false);
}

CASE(peer_with_another_key_is_named_until_it_has_ours)
{
	for (unsigned i = 1; i <= 6; i++) {
		feed_under_another_key(FROM_MEMBER, i % 2 == 0);
		assert_int_equal(
		    node_peer_status(s.nodes[0], 0).other_key, i >= HINTS);
		assert_int_equal(s.notices[NOTICE_OTHER_KEY], i >= HINTS);
		stage_run(&s, 200 * MSEC);
	}
	/* The node reports this in place of each datagram that it dropped. */
	assert_int_equal(s.notices[NOTICE_DROPPED], 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_KEY), 3);
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 3);
	stage_join(&s, 0);
	assert_false(node_peer_status(s.nodes[0], 0).other_key);
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 2);
}

CASE(another_key_is_forgotten_after_a_minute_of_silence)
{
	hint(HINTS);
	stage_run(&s, 50 * SEC);
	hint(1);
	stage_run(&s, 59 * SEC);
	assert_true(node_peer_status(s.nodes[0], 0).other_key);
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 1);
	stage_run(&s, 2 * SEC);
	assert_false(node_peer_status(s.nodes[0], 0).other_key);
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 2);
}

/* A peer that is down cannot disprove it. */
CASE(one_forged_datagram_a_minute_changes_nothing)
{
	for (unsigned i = 0; i < 10; i++) {
		hint(1);
		assert_false(node_peer_status(s.nodes[0], 0).other_key);
		stage_run(&s, 61 * SEC);
	}
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 0);
}

/* Such an attack begins and ends every two minutes, for an hour. */
CASE(another_key_is_reported_less_and_less_often)
{
	for (unsigned i = 0; i < 30; i++) {
		hint(HINTS);
		assert_true(node_peer_status(s.nodes[0], 0).other_key);
		stage_run(&s, 120 * SEC);
		assert_false(node_peer_status(s.nodes[0], 0).other_key);
	}
	assert_in_range(s.notices[NOTICE_OTHER_KEY], 8, 14);
	/* The host hears of the end of each hint whose beginning it heard
	 * of. */
	assert_int_equal(s.notices[NOTICE_OTHER_KEY] % 2, 0);
}

/* Anyone can send such datagrams, so a link disproves them. */
CASE(forged_hint_of_another_key_does_not_touch_a_link)
{
	stage_join(&s, 0);
	s.bytes_sent = 0;
	hint(HINTS);
	feed_under_another_key(FROM_MEMBER, true);
	assert_int_equal(stage_dropped(&s, 0, DROP_KEY), HINTS);
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 1);
	assert_false(node_peer_status(s.nodes[0], 0).other_key);
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(s.bytes_sent, 0);
}

/* The HELLO of a second process comes from another address. The peer's key
 * shows that it is not the peer's. */
CASE(forged_hello_of_a_second_process_is_not_answered)
{
	stage_join(&s, 0);
	s.bytes_sent = 0;
	feed_under_another_key(FROM_NOWHERE, true);
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 1);
	assert_int_equal(stage_dropped(&s, 0, DROP_ADDRESS), 0);
	assert_int_equal(s.bytes_sent, 0);
	member->instance[0]++;
	stage_feed(
	    &s, 0, FROM_NOWHERE, datagram, member_hello(member, datagram));
	assert_int_equal(stage_dropped(&s, 0, DROP_ADDRESS), 1);
	assert_true(s.bytes_sent > 0);
}

CASE(only_its_own_address_hints_that_a_peer_has_another_key)
{
	for (unsigned i = 0; i < HINTS; i++) {
		feed_under_another_key(FROM_NOWHERE, false);
		feed_under_another_key(FROM_NODE, false);
		feed_under_another_key(FROM_NOWHERE, true);
	}
	assert_false(node_peer_status(s.nodes[0], 0).other_key);
	assert_false(node_peer_status(s.nodes[0], 1).other_key);
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 0);
}

/* Nodes that are no neighbours never have a session that disproves it. */
CASE(peer_without_a_link_gives_no_hint)
{
	stage_strike(&s);
	stage_set(&s, STAGE_NODES);
	stage_path(&s);
	stage_start(&s);
	for (unsigned i = 0; i < 2 * HINTS; i++)
		feed_of(&s.members[1], 1, FROM_MEMBER, i % 2 == 0);
	assert_false(node_peer_status(s.nodes[1], 0).sought);
	assert_false(node_peer_status(s.nodes[1], 0).other_key);
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 0);
	assert_int_equal(stage_dropped(&s, 1, DROP_KEY), HINTS);
	assert_int_equal(stage_dropped(&s, 1, DROP_SEAL), HINTS);
}

/* Nodes 1 to 5 in a ring; for node 2, its neighbours are peers 0 and 1. */
static void
enter_ring_of_five(void)
{
	static struct peer_setup peers[4];
	static const unsigned right[] = { 1, 2, 3, 0 };
	static const unsigned left[] = { 0, 3, 2, 1 };

	for (unsigned i = 0; i < 4; i++)
		peers[i] = (struct peer_setup){
			.id = i == 0 ? 1 : i + 2,
			.role = ROLE_CANDIDATE,
		};
	stage_strike(&s);
	stage_set(&s, STAGE_NODES);
	stage_ring(&s);
	s.setups[0].peers = peers;
	s.setups[0].peers_count = 4;
	s.setups[0].ring.right = right;
	s.setups[0].ring.left = left;
	s.setups[0].ring.right_count = s.setups[0].ring.left_count = 4;
	stage_start(&s);
}

CASE(hint_ends_when_the_peer_is_no_neighbour_any_more)
{
	struct member fifth;

	enter_ring_of_five();
	stage_run(&s, 10 * SEC);
	fifth = *member;
	fifth.id = 5;
	for (unsigned i = 0; i < HINTS; i++)
		feed_of(&fifth, 0, (enum stage_from)3, false);
	assert_true(node_peer_status(s.nodes[0], 3).other_key);
	stage_join(&s, 0);
	stage_run(&s, 50 * MSEC);
	assert_false(node_peer_status(s.nodes[0], 3).sought);
	assert_false(node_peer_status(s.nodes[0], 3).other_key);
	assert_int_equal(s.notices[NOTICE_OTHER_KEY], 2);
}
