/* SPDX-License-Identifier: ISC */
/*
 * One instance of the traversal, rule by rule, and messages that no honest
 * neighbour sends.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

enum kind {
	TOKEN,
	LEADER,
};

enum leg {
	ONWARD,
	BACK,
	BOUNCED,
};

/* Node 5. */
static struct instance one;

static void
begin(size_t links_count)
{
	instance_begin(
	    &one, &algorithm_traversal, NULL, instance_rank(5), links_count);
	instance_assert_phase(&one, "idle");
}

static struct message
token(enum leg leg, node_id origin, node_id best)
{
	return (struct message){
		.kind = TOKEN,
		.rank = instance_rank(best),
		.origin = origin,
		.phase = leg,
	};
}

static struct message
leader(node_id origin, node_id winner)
{
	return (struct message){
		.kind = LEADER,
		.rank = instance_rank(winner),
		.origin = origin,
	};
}

static void
receive(unsigned link, struct message m)
{
	instance_receive(&one, link, &m);
}

static void
refuse(unsigned link, struct message m)
{
	instance_assert_refuses(&one, link, &m);
}

/* Asserts that the last step sent only this, and decided nothing. */
static void
assert_sent(unsigned link, struct message m, const char *phase)
{
	instance_assert_count(&one, 1);
	instance_assert_sent(&one, 0, link, &m);
	instance_assert_undecided(&one);
	instance_assert_phase(&one, phase);
}

TEST(starter_sends_its_token_down_each_link_in_turn)
{
	struct message m = leader(5, 9);

	begin(3);
	instance_start(&one);
	assert_sent(0, token(ONWARD, 5, 5), "waiting");
	receive(0, token(BACK, 5, 7));
	assert_sent(1, token(ONWARD, 5, 7), "waiting");
	receive(1, token(BOUNCED, 5, 7));
	assert_sent(2, token(ONWARD, 5, 7), "waiting");
	receive(2, token(BACK, 5, 9));
	instance_assert_decided(&one, 9);
	/* Link 1 is no part of the tree. */
	instance_assert_count(&one, 2);
	instance_assert_sent(&one, 0, 0, &m);
	instance_assert_sent(&one, 1, 2, &m);
}

TEST(token_goes_to_all_others_and_back_to_the_parent)
{
	struct message m = leader(3, 6);

	begin(3);
	receive(1, token(ONWARD, 3, 4));
	assert_sent(0, token(ONWARD, 3, 5), "waiting");
	receive(0, token(BACK, 3, 6));
	assert_sent(2, token(ONWARD, 3, 6), "waiting");
	receive(2, token(BOUNCED, 3, 6));
	assert_sent(1, token(BACK, 3, 6), "returned");
	receive(1, leader(3, 6));
	instance_assert_decided(&one, 6);
	instance_assert_count(&one, 1);
	instance_assert_sent(&one, 0, 0, &m);
}

TEST(leaf_returns_the_token_at_once)
{
	begin(1);
	receive(0, token(ONWARD, 3, 9));
	assert_sent(0, token(BACK, 3, 9), "returned");
	receive(0, leader(3, 9));
	instance_assert_decided(&one, 9);
	instance_assert_count(&one, 0);
}

/* The link counts as used then: the token does not go there again. */
TEST(node_that_has_had_the_token_sends_it_straight_back)
{
	begin(3);
	receive(0, token(ONWARD, 3, 4));
	assert_sent(1, token(ONWARD, 3, 5), "waiting");
	receive(2, token(ONWARD, 3, 8));
	assert_sent(2, token(BOUNCED, 3, 8), "waiting");
	receive(1, token(BACK, 3, 8));
	assert_sent(0, token(BACK, 3, 8), "returned");
}

TEST(worse_token_dies)
{
	begin(2);
	instance_start(&one);
	refuse(0, token(ONWARD, 3, 9));
	refuse(1, token(ONWARD, 4, 9));
	receive(0, token(BACK, 5, 5));
	assert_sent(1, token(ONWARD, 5, 5), "waiting");
}

TEST(better_token_begins_anew_and_ours_dies)
{
	begin(3);
	instance_start(&one);
	receive(0, token(BACK, 5, 5));
	assert_sent(1, token(ONWARD, 5, 5), "waiting");
	receive(1, token(ONWARD, 8, 8));
	assert_sent(0, token(ONWARD, 8, 8), "waiting");
	refuse(1, token(BACK, 5, 6));
	receive(0, token(BOUNCED, 8, 8));
	assert_sent(2, token(ONWARD, 8, 8), "waiting");
	receive(2, token(BACK, 8, 9));
	assert_sent(1, token(BACK, 8, 9), "returned");
	/* Link 0 led to a child in the tree that is no more. */
	receive(1, leader(8, 9));
	instance_assert_decided(&one, 9);
	instance_assert_count(&one, 1);
}

TEST(better_token_comes_after_a_worse_one_has_returned)
{
	begin(2);
	receive(0, token(ONWARD, 3, 4));
	receive(1, token(BACK, 3, 5));
	assert_sent(0, token(BACK, 3, 5), "returned");
	refuse(0, leader(8, 9));
	receive(0, token(ONWARD, 8, 8));
	assert_sent(1, token(ONWARD, 8, 8), "waiting");
}

TEST(lowest_is_best_where_that_is_preferred)
{
	begin(2);
	one.view.prefer = PREFER_LOWEST;
	instance_start(&one);
	refuse(1, token(ONWARD, 6, 1));
	receive(1, token(ONWARD, 3, 3));
	assert_sent(0, token(ONWARD, 3, 3), "waiting");
	receive(0, token(BACK, 3, 2));
	assert_sent(1, token(BACK, 3, 2), "returned");
	refuse(1, leader(3, 6));
	receive(1, leader(3, 1));
	instance_assert_decided(&one, 1);
}

/* Initiators are compared by id, ranks in full. */
TEST(node_that_is_not_eligible_starts_all_the_same)
{
	struct rank self = { .is_eligible = false, .id = 5 };
	struct message m = token(ONWARD, 5, 5);

	m.rank = self;
	instance_begin(&one, &algorithm_traversal, NULL, self, 1);
	instance_start(&one);
	assert_sent(0, m, "waiting");
	refuse(0, token(ONWARD, 4, 4));
	receive(0, token(BACK, 5, 2));
	instance_assert_decided(&one, 2);
}

TEST(token_that_makes_no_sense_is_dropped)
{
	struct message m = token(ONWARD, 3, 5);

	begin(3);
	refuse(0, token(ONWARD, NODE_NONE, 9));
	refuse(0, token(ONWARD, 3, NODE_NONE));
	refuse(0, token(ONWARD, 5, 9)); /* ours: we have not sent any */
	refuse(0, token(BACK, 3, 9));
	refuse(0, token(BOUNCED, 3, 9));
	refuse(0, token(BOUNCED + 1, 3, 9));
	m.rank.priority = 1;
	refuse(0, m); /* our rank, as it is not */
	receive(0, token(ONWARD, 3, 9));
	assert_sent(1, token(ONWARD, 3, 9), "waiting");
	refuse(0, token(ONWARD, 3, 9));
	refuse(0, token(BACK, 3, 9));
	refuse(1, token(ONWARD, 3, 9));
	refuse(2, token(BACK, 3, 9));
	refuse(2, token(BOUNCED, 3, 9));
	refuse(2, token(ONWARD, 5, 9));
	receive(2, token(ONWARD, 3, 9));
	refuse(2, token(ONWARD, 3, 9));
	receive(1, token(BACK, 3, 9));
	assert_sent(0, token(BACK, 3, 9), "returned");
	refuse(1, token(BACK, 3, 9));
	refuse(2, token(ONWARD, 3, 9));
}

TEST(leader_that_makes_no_sense_is_dropped)
{
	struct message m = leader(3, 9);

	begin(2);
	refuse(0, leader(3, 9));
	receive(0, token(ONWARD, 3, 9));
	refuse(0, leader(3, 9)); /* the token is not back yet */
	receive(1, token(BACK, 3, 9));
	refuse(1, leader(3, 9));
	refuse(0, leader(4, 9));
	refuse(0, leader(3, 4)); /* worse than we are */
	refuse(0, leader(3, NODE_NONE));
	for (m.kind = LEADER + 1; m.kind < MESSAGE_KINDS_MAX; m.kind++)
		refuse(0, m);
	receive(0, leader(3, 9));
	instance_assert_decided(&one, 9);
	refuse(0, leader(3, 10));
	refuse(1, token(ONWARD, 10, 10));
}
