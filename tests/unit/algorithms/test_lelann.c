/* SPDX-License-Identifier: ISC */
/*
 * One instance of LeLann's algorithm. A test gives it its inputs by hand: each
 * rule, and messages that no honest node sends.
 */

#include "tests/lib/ring_node.h"
#include "tests/unit/group.h"

TEST(lelann_starter_wins_when_its_list_names_none_better)
{
	struct message own;

	ring_begin(&algorithm_lelann);
	ring_assert_phase("idle");
	ring_start();
	own = *ring_assert_sent(ELECTION, SELF, SELF);
	assert_int_equal(own.distance, 1);
	ring_assert_listed(&own, SELF);
	ring_assert_phase("waiting");
	message_list(&own, 2);
	ring_give(RING_LEFT, &own);
	ring_assert_decided(SELF);
	ring_assert_sent(LEADER, SELF, SELF);
	ring_assert_phase("decided");
	ring_assert_refused(LEADER, SELF, SELF); /* it has come round */
	ring_assert_refused(ELECTION, SELF, SELF);
}

TEST(lelann_loser_waits_for_the_winner)
{
	ring_begin(&algorithm_lelann);
	ring_start();
	ring_receive(ELECTION, SELF, 7);
	ring_assert_nothing();
	ring_assert_phase("lost");
	ring_receive(LEADER, 7, 7);
	ring_assert_decided(7);
	ring_assert_sent(LEADER, 7, 7);
	ring_assert_phase("decided");
	ring_assert_refused(LEADER, 7, 7); /* no message circles for ever */
}

/* Its own message goes first, so each is back before LEADER comes. */
TEST(lelann_node_joins_before_it_passes_the_first_candidate_on)
{
	ring_begin(&algorithm_lelann);
	ring_receive(ELECTION, 2, 2);
	assert_int_equal(ring_node.out.count, 2);
	ring_assert_listed(
	    ring_assert_sent_on(0, RING_RIGHT, ELECTION, SELF, SELF), SELF);
	ring_assert_listed(
	    ring_assert_sent_on(1, RING_RIGHT, ELECTION, 2, SELF), 2, SELF);
	ring_receive(ELECTION, 1, 8);
	ring_assert_listed(ring_assert_sent(ELECTION, 1, 8), 1, 8, SELF);
	/* The message is one link farther than the last, so nothing circles for
	 * ever. */
	assert_int_equal(ring_assert_sent(ELECTION, 1, 8)->distance, 1);
	ring_start();
	ring_assert_nothing();
}

TEST(lelann_without_join_passes_candidates_on_as_they_are)
{
	ring_begin_without_join(&algorithm_lelann);
	ring_receive(ELECTION, 2, 2);
	ring_assert_listed(ring_assert_sent(ELECTION, 2, 2), 2);
	ring_assert_phase("passing");
	ring_start(); /* too late */
	ring_assert_nothing();
	ring_receive(LEADER, 2, 2);
	ring_assert_decided(2);
	ring_assert_sent(LEADER, 2, 2);

	ring_begin_without_join(&algorithm_lelann);
	ring_start();
	ring_receive(ELECTION, 2, 2);
	ring_assert_listed(ring_assert_sent(ELECTION, 2, SELF), 2, SELF);
}

TEST(lelann_node_that_is_not_eligible_takes_part_but_is_not_listed)
{
	struct message m = ring_message(ELECTION, 2, 2);

	ring_prepare(&ring_node, &algorithm_lelann);
	ring_node.view.self.is_eligible = false;
	ring_ready(&ring_node);
	ring_start();
	ring_assert_listed(ring_assert_sent(ELECTION, SELF, SELF), SELF);
	m.rank.is_eligible = false;
	ring_give(RING_LEFT, &m);
	ring_assert_listed(ring_assert_sent(ELECTION, 2, SELF), 2);
	/* All are ineligible as well, and it is the best of them: no leader. */
	m = ring_message(ELECTION, SELF, SELF);
	m.rank.is_eligible = false;
	ring_give(RING_LEFT, &m);
	ring_assert_decided(SELF);
	assert_false(ring_node.out.winner.is_eligible);
	ring_assert_sent(LEADER, SELF, SELF);
	/* An eligible node is better than any of those. */
	ring_receive(ELECTION, 3, 3);
	ring_assert_nothing();
}

TEST(lelann_candidate_after_the_leader_is_passed_on)
{
	ring_begin(&algorithm_lelann);
	ring_start();
	ring_receive(ELECTION, SELF, 7);
	ring_receive(LEADER, 7, 7);
	ring_receive(ELECTION, 3, 3);
	ring_assert_listed(ring_assert_sent(ELECTION, 3, SELF), 3, SELF);
	assert_false(ring_node.out.has_decided);
	ring_assert_refused(ELECTION, 3, 8); /* 8 would have won */
}

TEST(lelann_refuses_what_no_honest_node_sends)
{
	struct message m = ring_message(ELECTION, SELF, SELF);

	ring_begin(&algorithm_lelann);
	ring_assert_refused(LEADER, 7, 7);         /* before any CANDIDATE */
	ring_assert_refused(ELECTION, SELF, SELF); /* never sent */
	ring_assert_refused(ELECTION, 7, SELF);    /* has been here */
	ring_start();
	message_list(&m, 2);
	m.origin = 2;
	m.rank = instance_rank(6);
	ring_give(RING_LEFT, &m); /* lists us already */
	ring_assert_nothing();
	ring_receive(ELECTION, 6, 6);
	ring_assert_refused(ELECTION, SELF, SELF); /* 6 is missing */
	ring_assert_refused(LEADER, 8, 8); /* its CANDIDATE never came */
	ring_assert_refused(LEADER, 2, 6); /* not told by the winner */
	m = ring_message(ELECTION, SELF, SELF);
	m.rank.priority = 1; /* a rank that we never had */
	ring_give(RING_LEFT, &m);
	ring_assert_nothing();
	m = ring_message(ELECTION, SELF, 7);
	m.list_count = 0;
	ring_give(RING_LEFT, &m);
	ring_assert_nothing();
	ring_assert_phase("waiting");
}
