/* SPDX-License-Identifier: ISC */
/*
 * One instance of Chang and Roberts' algorithm. A test gives it its inputs by
 * hand: each rule of each variant, and messages that no honest node sends.
 */

#include "tests/unit/group.h"

#include "common/util/random.h"
#include "tests/lib/ring_node.h"

enum variant {
	STANDARD,
	BIDIRECTIONAL,
	REPLACE,
};

static void
begin_variant(enum variant variant, uint64_t seed)
{
	ring_prepare(&ring_node, &algorithm_chang_roberts);
	ring_node.choices.variant = (uint8_t)variant;
	ring_node.view.seed = seed;
	ring_ready(&ring_node);
}

TEST(chang_roberts_winner_is_whose_rank_comes_back)
{
	ring_begin(&algorithm_chang_roberts);
	ring_assert_phase("idle");
	ring_start();
	ring_assert_sent(ELECTION, SELF, SELF);
	ring_assert_phase("candidate");
	ring_receive(ELECTION, SELF, SELF);
	ring_assert_decided(SELF);
	ring_assert_sent(LEADER, SELF, SELF);
	ring_assert_phase("decided");
	ring_assert_refused(LEADER, SELF, SELF); /* it has come round */
	ring_assert_refused(ELECTION, 7, 7);
}

TEST(chang_roberts_passes_on_the_better_and_swallows_the_worse)
{
	ring_begin(&algorithm_chang_roberts);
	ring_start();
	ring_assert_refused(ELECTION, 4, 4);
	ring_receive(ELECTION, 6, 6);
	ring_assert_sent(ELECTION, 6, 6);
	ring_assert_phase("passive");
	ring_assert_refused(ELECTION, 6, 6);
	ring_receive(ELECTION, 8, 8);
	ring_assert_sent(ELECTION, 8, 8);
	ring_assert_refused(ELECTION, 7, 7);
	ring_assert_refused(ELECTION, SELF, SELF); /* eligible no longer */
	ring_receive(LEADER, 8, 8);
	ring_assert_decided(8);
	ring_assert_sent(LEADER, 8, 8);
	ring_assert_refused(LEADER, 8, 8); /* no message circles for ever */
}

TEST(chang_roberts_prefers_the_lowest_if_configured)
{
	ring_prepare(&ring_node, &algorithm_chang_roberts);
	ring_node.view.prefer = PREFER_LOWEST;
	ring_ready(&ring_node);
	ring_start();
	ring_assert_refused(ELECTION, 6, 6);
	ring_receive(ELECTION, 4, 4);
	ring_assert_sent(ELECTION, 4, 4);
}

TEST(chang_roberts_sleeper_sends_its_rank_unless_it_is_worse)
{
	ring_begin(&algorithm_chang_roberts);
	ring_receive(ELECTION, 4, 4);
	ring_assert_sent(ELECTION, SELF, SELF);
	ring_assert_phase("candidate");
	ring_begin(&algorithm_chang_roberts);
	ring_receive(ELECTION, 6, 6);
	ring_assert_sent(ELECTION, 6, 6);
	ring_assert_phase("passive");
	ring_start(); /* too late */
	ring_assert_nothing();
}

TEST(chang_roberts_without_join_never_sends_its_own)
{
	for (uint8_t variant = STANDARD; variant <= REPLACE; variant++) {
		ring_prepare(&ring_node, &algorithm_chang_roberts);
		ring_node.choices.starters_only = true;
		ring_node.choices.variant = variant;
		ring_ready(&ring_node);
		ring_receive(ELECTION, 2, 2);
		ring_assert_sent(ELECTION, 2, 2);
		ring_assert_phase("passive");
		ring_assert_refused(ELECTION, 1, 1);
		ring_receive(ELECTION, 4, 4);
		ring_assert_sent(ELECTION, 4, 4);
		ring_start(); /* too late */
		ring_assert_nothing();
		ring_receive(LEADER, 4, 4);
		ring_assert_decided(4);
		ring_assert_sent(LEADER, 4, 4);
	}
}

/* An ineligible node loses to any eligible one, and may win all the same. */
TEST(chang_roberts_node_that_is_not_eligible_takes_part)
{
	struct message m = ring_message(ELECTION, 4, 4);

	ring_prepare(&ring_node, &algorithm_chang_roberts);
	ring_node.view.self.is_eligible = false;
	ring_ready(&ring_node);
	m.rank.is_eligible = false;
	ring_give(RING_LEFT, &m);
	ring_assert_sent(ELECTION, SELF, SELF);
	m = ring_node.room[0].message;
	ring_give(RING_LEFT, &m);
	ring_assert_decided(SELF);
	assert_false(ring_node.out.winner.is_eligible);
	ring_ready(&ring_node);
	ring_receive(ELECTION, 4, 4);
	ring_assert_sent(ELECTION, 4, 4);
}

/* Gives the direction in which node 5 sends its rank with this seed. */
static unsigned
direction(uint64_t seed)
{
	begin_variant(BIDIRECTIONAL, seed);
	ring_start();
	assert_int_equal(ring_node.out.count, 1);
	ring_assert_sent_on(0, ring_node.room[0].link, ELECTION, SELF, SELF);
	return ring_node.room[0].link;
}

TEST(bidirectional_directions_are_drawn_from_the_seed)
{
	unsigned left = 0;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		unsigned link = direction(seed);

		assert_int_equal(link, direction(seed));
		left += link == RING_LEFT;
	}
	assert_in_range(left, 440, 560); /* within four deviations */
}

TEST(only_bidirectional_ranks_go_left)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		begin_variant(STANDARD, seed);
		ring_start();
		ring_assert_sent(ELECTION, SELF, SELF);
		begin_variant(REPLACE, seed);
		ring_receive(ELECTION, 4, 4);
		ring_assert_sent(ELECTION, SELF, SELF);
	}
}

/* A node that is woken draws lots as one that starts does. */
TEST(bidirectional_sleeper_sends_its_rank_by_its_own_lot)
{
	struct message four = ring_message(ELECTION, 4, 4);

	for (uint64_t seed = 0; seed < 20; seed++) {
		unsigned there = direction(seed);

		for (unsigned link = 0; link < RING_LINKS; link++) {
			begin_variant(BIDIRECTIONAL, seed);
			ring_give(link, &four);
			instance_assert_count(&ring_node, 1);
			ring_assert_sent_on(0, there, ELECTION, SELF, SELF);
		}
	}
}

/* In a ring of two as well: the link tells one end of it from the other. */
TEST(bidirectional_rank_comes_back_by_the_other_link)
{
	struct message own = ring_message(ELECTION, SELF, SELF);

	for (uint64_t seed = 0; seed < 20; seed++) {
		unsigned there = direction(seed);

		ring_give(there, &own);
		ring_assert_nothing();
		ring_give(there == RING_LEFT ? RING_RIGHT : RING_LEFT, &own);
		ring_assert_decided(SELF);
		ring_assert_sent(LEADER, SELF, SELF); /* always to the right */
	}
}

TEST(bidirectional_ranks_keep_their_direction)
{
	struct message six = ring_message(ELECTION, 6, 6);
	struct message seven = ring_message(ELECTION, 7, 7);
	struct message leader = ring_message(LEADER, 7, 7);

	for (unsigned link = 0; link < RING_LINKS; link++) {
		begin_variant(BIDIRECTIONAL, 1);
		ring_start();
		ring_give(link, &six);
		assert_int_equal(ring_node.out.count, 1);
		ring_assert_sent_on(0, 1 - link, ELECTION, 6, 6);
		ring_give(1 - link, &seven);
		assert_int_equal(ring_node.out.count, 1);
		ring_assert_sent_on(0, link, ELECTION, 7, 7);
		/* A worse one may come from either side. */
		ring_give(link, &six);
		ring_assert_nothing();
		ring_give(RING_RIGHT, &leader);
		ring_assert_nothing();
		ring_give(RING_LEFT, &leader);
		ring_assert_decided(7);
	}
}

/* The same input to both: the same messages and the same decision. */
static void
step_both(struct instance *other, struct random *random)
{
	struct instance *it = &ring_node;
	node_id id = 1 + (node_id)random_below(random, 9);
	struct message m = ring_message(
	    random_below(random, 5) == 0 ? LEADER : ELECTION, id, id);

	if (random_below(random, 8) == 0) {
		instance_start(it);
		instance_start(other);
	} else {
		instance_receive(it, RING_LEFT, &m);
		instance_receive(other, RING_LEFT, &m);
	}
	assert_int_equal(it->out.count, other->out.count);
	for (size_t i = 0; i < it->out.count; i++)
		instance_assert_sent(
		    other, i, it->room[i].link, &it->room[i].message);
	assert_int_equal(it->out.has_decided, other->out.has_decided);
	instance_assert_phase(other, it->algorithm->phase(it->state));
}

TEST(replace_sends_what_standard_sends)
{
	static struct instance other;
	struct random random;

	random_init(&random, 3);
	for (int run = 0; run < 20000; run++) {
		ring_prepare(&ring_node, &algorithm_chang_roberts);
		ring_prepare(&other, &algorithm_chang_roberts);
		ring_node.choices.variant = REPLACE;
		ring_node.choices.starters_only = run & 1;
		other.choices.starters_only = run & 1;
		ring_ready(&ring_node);
		ring_ready(&other);
		for (int i = 0; i < 8; i++)
			step_both(&other, &random);
	}
}

TEST(chang_roberts_refuses_what_no_honest_node_sends)
{
	struct message m = ring_message(ELECTION, SELF, SELF);

	ring_begin(&algorithm_chang_roberts);
	ring_assert_refused(LEADER, 7, 7);         /* before any ELECTION */
	ring_assert_refused(ELECTION, SELF, SELF); /* never sent */
	ring_assert_refused(ELECTION, 6, 7);       /* another's rank */
	ring_assert_phase("idle");
	ring_start();
	m.rank.priority = 1; /* a rank that we never had */
	ring_give(RING_LEFT, &m);
	ring_assert_nothing();
	ring_assert_refused(LEADER, 7, 7); /* its ELECTION never came */
	ring_assert_refused(LEADER, SELF, SELF);
	ring_assert_phase("candidate");
	ring_receive(ELECTION, 6, 6);
	ring_assert_refused(LEADER, 7, 7);
	ring_assert_phase("passive");
}
