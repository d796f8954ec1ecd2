/* SPDX-License-Identifier: ISC */
/*
 * One instance of the ring algorithm with a list. A test gives it its inputs by
 * hand: each rule, and messages that no honest node sends.
 */

#include "tests/lib/ring_node.h"
#include "tests/unit/group.h"

TEST(ring_list_starter_names_the_best_of_its_list)
{
	struct message m;

	ring_begin(&algorithm_ring_list);
	ring_assert_phase("idle");
	ring_start();
	m = *ring_assert_sent(ELECTION, SELF, SELF);
	ring_assert_listed(&m, SELF);
	ring_assert_phase("electing");
	message_list(&m, 7);
	message_list(&m, 2);
	m.rank = instance_rank(7);
	ring_give(RING_LEFT, &m);
	ring_assert_decided(7);
	ring_assert_listed(ring_assert_sent(LEADER, SELF, 7), SELF, 7, 2);
	ring_assert_phase("telling");
	ring_assert_refused(ELECTION, SELF, 7);
	ring_receive(LEADER, SELF, 7); /* it has come round */
	ring_assert_nothing();
	ring_assert_phase("done");
}

TEST(ring_list_node_appends_itself_and_starts_nothing)
{
	ring_begin(&algorithm_ring_list);
	ring_receive(ELECTION, 2, 2);
	ring_assert_listed(ring_assert_sent(ELECTION, 2, SELF), 2, SELF);
	ring_assert_phase("passing");
	ring_start(); /* too late */
	ring_assert_nothing();
	ring_receive(ELECTION, 1, 8);
	ring_assert_listed(ring_assert_sent(ELECTION, 1, 8), 1, 8, SELF);
	ring_receive(LEADER, 2, 8);
	ring_assert_decided(8);
	ring_assert_listed(ring_assert_sent(LEADER, 2, 8), 2, 8);
	ring_assert_phase("done");
	/* The node passes on the other starter's, which decides nothing. */
	ring_receive(LEADER, 1, 8);
	assert_false(ring_node.out.has_decided);
	ring_assert_sent(LEADER, 1, 8);
	/* Nor does a late one decide. */
	ring_receive(ELECTION, 3, 3);
	assert_false(ring_node.out.has_decided);
	ring_assert_sent(ELECTION, 3, SELF);
}

TEST(ring_list_without_join_lists_starters_alone)
{
	ring_begin_without_join(&algorithm_ring_list);
	ring_receive(ELECTION, 2, 2);
	ring_assert_listed(ring_assert_sent(ELECTION, 2, 2), 2);
	ring_assert_refused(LEADER, 2, SELF);
	ring_receive(LEADER, 2, 2);
	ring_assert_decided(2);
	ring_assert_sent(LEADER, 2, 2);

	ring_begin_without_join(&algorithm_ring_list);
	ring_start();
	ring_receive(ELECTION, 2, 2);
	ring_assert_listed(ring_assert_sent(ELECTION, 2, SELF), 2, SELF);
}

/* An ineligible node is alive all the same. */
TEST(ring_list_node_that_is_not_eligible_is_listed)
{
	struct message m = ring_message(ELECTION, 2, 2);

	ring_prepare(&ring_node, &algorithm_ring_list);
	ring_node.view.self.is_eligible = false;
	ring_ready(&ring_node);
	ring_start();
	ring_give(RING_LEFT, &m);
	ring_assert_listed(ring_assert_sent(ELECTION, 2, 2), 2, SELF);
	ring_ready(&ring_node);
	ring_start();
	m = ring_node.room[0].message;
	ring_give(RING_LEFT, &m);
	ring_assert_decided(SELF);
	assert_false(ring_node.out.winner.is_eligible);
	ring_assert_sent(LEADER, SELF, SELF);
}

/* On FIFO links its own list is first. */
TEST(ring_list_starter_told_by_another_sends_its_own_all_the_same)
{
	ring_begin(&algorithm_ring_list);
	ring_start();
	ring_receive(LEADER, 2, 8);
	ring_assert_decided(8);
	ring_assert_sent(LEADER, 2, 8);
	ring_assert_phase("electing");
	ring_assert_refused(ELECTION, SELF, 7); /* another winner */
	ring_receive(ELECTION, SELF, 8);
	assert_false(ring_node.out.has_decided);
	ring_assert_sent(LEADER, SELF, 8);
}

TEST(ring_list_refuses_what_no_honest_node_sends)
{
	struct message m = ring_message(ELECTION, SELF, SELF);

	ring_begin(&algorithm_ring_list);
	ring_assert_refused(LEADER, 7, 7);         /* before any ELECTION */
	ring_assert_refused(LEADER, SELF, SELF);   /* never sent */
	ring_assert_refused(ELECTION, SELF, SELF); /* never sent */
	ring_assert_refused(ELECTION, 7, SELF);    /* has been here */
	ring_assert_phase("idle");
	ring_start();
	m.origin = 2;
	m.rank = instance_rank(6);
	ring_give(RING_LEFT, &m); /* lists us already */
	ring_assert_nothing();
	ring_receive(ELECTION, 6, 6);
	ring_assert_refused(ELECTION, SELF, SELF); /* 6 is missing */
	ring_assert_refused(LEADER, 2, SELF);
	ring_assert_refused(LEADER, SELF, 6);
	m.origin = SELF;
	m.rank = instance_rank(SELF);
	m.rank.priority = 1; /* a rank that we never had */
	ring_give(RING_LEFT, &m);
	ring_assert_nothing();
	ring_assert_phase("electing");
	ring_receive(LEADER, 6, 6);
	ring_assert_refused(LEADER, 8, 8);   /* a second winner */
	ring_assert_refused(ELECTION, 3, 8); /* 8 would have won */
}

/* So the caller can tell messages that have come too far. */
TEST(ring_list_messages_count_their_links)
{
	struct message m;

	ring_begin(&algorithm_ring_list);
	ring_start();
	m = *ring_assert_sent(ELECTION, SELF, SELF);
	assert_int_equal(m.distance, 1);
	m.origin = 2;
	m.list[0] = 2;
	m.distance = 7;
	m.rank = instance_rank(2);
	ring_give(RING_LEFT, &m);
	assert_int_equal(ring_assert_sent(ELECTION, 2, SELF)->distance, 8);
	m.kind = LEADER;
	m.rank = instance_rank(SELF);
	ring_give(RING_LEFT, &m);
	assert_int_equal(ring_assert_sent(LEADER, 2, SELF)->distance, 8);
	ring_begin(&algorithm_ring_list);
	ring_start();
	m.origin = SELF;
	m.kind = ELECTION;
	ring_give(RING_LEFT, &m);
	assert_int_equal(ring_assert_sent(LEADER, SELF, SELF)->distance, 1);
}
