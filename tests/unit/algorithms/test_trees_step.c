/* SPDX-License-Identifier: ISC */
/*
 * One instance of each of the two tree algorithms, rule by rule and by link
 * number, and what no honest neighbour sends.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

enum tree_kind {
	WAKEUP,
	TOKEN,
};

enum echo_kind {
	EXPLORER,
	ECHO,
	LEADER,
};

static const struct algorithm *const tree = &algorithm_tree;
static const struct algorithm *const echo = &algorithm_tree_echo;
static const struct choices no_wakeup = { .no_wakeup = true };
static const struct choices any_leader = { .any_leader = true };

/* Node 5. */
static struct instance one;

static struct message
message(unsigned kind, node_id id)
{
	struct message m = { .kind = (uint8_t)kind };

	if (id != NODE_NONE)
		m.rank = instance_rank(id);
	return m;
}

static void
begin(const struct algorithm *algorithm, const struct choices *choices,
    size_t links_count)
{
	instance_begin(&one, algorithm, choices, instance_rank(5), links_count);
	instance_assert_phase(&one, "asleep");
}

static void
start(void)
{
	instance_start(&one);
}

static void
receive(unsigned link, unsigned kind, node_id id)
{
	struct message m = message(kind, id);

	instance_receive(&one, link, &m);
}

static void
assert_sent(size_t i, unsigned link, unsigned kind, node_id id)
{
	struct message m = message(kind, id);

	instance_assert_sent(&one, i, link, &m);
}

static void
assert_refuses(unsigned link, unsigned kind, node_id id)
{
	struct message m = message(kind, id);

	instance_assert_refuses(&one, link, &m);
}

/* The last step sent nothing and decided nothing. */
static void
assert_waits(const char *phase)
{
	instance_assert_count(&one, 0);
	instance_assert_undecided(&one);
	instance_assert_phase(&one, phase);
}

/* A tree's node that has started, and been woken on all its links. */
static void
begin_awake(size_t links_count)
{
	begin(tree, NULL, links_count);
	start();
	for (unsigned i = 0; i < links_count; i++)
		receive(i, WAKEUP, NODE_NONE);
}

TEST(starter_wakes_all_neighbours_and_waits_for_theirs)
{
	begin(tree, NULL, 3);
	start();
	instance_assert_phase(&one, "waking");
	instance_assert_count(&one, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_sent(i, i, WAKEUP, NODE_NONE);
	start();
	assert_waits("waking");
	receive(1, WAKEUP, NODE_NONE);
	receive(2, WAKEUP, NODE_NONE);
	assert_waits("waking");
	receive(0, WAKEUP, NODE_NONE);
	assert_waits("collecting");
}

TEST(sleeper_hands_the_wakeup_to_all_and_back)
{
	begin(tree, NULL, 2);
	receive(1, WAKEUP, NODE_NONE);
	instance_assert_phase(&one, "waking");
	instance_assert_count(&one, 2);
	assert_sent(0, 0, WAKEUP, NODE_NONE);
	assert_sent(1, 1, WAKEUP, NODE_NONE);
	assert_refuses(1, WAKEUP, NODE_NONE);
	start();
	assert_waits("waking");
}

TEST(leaf_that_is_woken_begins)
{
	begin(tree, NULL, 1);
	receive(0, WAKEUP, NODE_NONE);
	instance_assert_count(&one, 2);
	assert_sent(0, 0, WAKEUP, NODE_NONE);
	assert_sent(1, 0, TOKEN, 5);
	instance_assert_phase(&one, "waiting");
	receive(0, TOKEN, 3);
	instance_assert_count(&one, 0);
	instance_assert_decided(&one, 5);
}

TEST(node_collects_sends_the_best_on_the_last_link_and_decides)
{
	begin_awake(4);
	receive(3, TOKEN, 7);
	receive(0, TOKEN, 9);
	assert_waits("collecting");
	receive(2, TOKEN, 8);
	instance_assert_phase(&one, "waiting");
	instance_assert_count(&one, 1);
	assert_sent(0, 1, TOKEN, 9);
	receive(1, TOKEN, 10);
	instance_assert_decided(&one, 10);
	instance_assert_count(&one, 3);
	assert_sent(0, 0, TOKEN, 10);
	assert_sent(1, 2, TOKEN, 10);
	assert_sent(2, 3, TOKEN, 10);
}

/* It crossed ours: the other side knew nothing of this one. */
TEST(worse_token_from_the_last_link_decides_too)
{
	begin_awake(2);
	receive(0, TOKEN, 4);
	assert_sent(0, 1, TOKEN, 5);
	receive(1, TOKEN, 2);
	instance_assert_decided(&one, 5);
	instance_assert_count(&one, 1);
	assert_sent(0, 0, TOKEN, 5);
}

TEST(token_goes_out_only_when_all_links_have_woken)
{
	begin(tree, NULL, 2);
	receive(0, WAKEUP, NODE_NONE);
	receive(0, TOKEN, 7);
	assert_waits("waking");
	receive(1, WAKEUP, NODE_NONE);
	instance_assert_phase(&one, "waiting");
	instance_assert_count(&one, 1);
	assert_sent(0, 1, TOKEN, 7);
}

TEST(without_wakeup_leaves_start_and_others_need_not)
{
	begin(tree, &no_wakeup, 1);
	start();
	instance_assert_count(&one, 1);
	assert_sent(0, 0, TOKEN, 5);
	receive(0, TOKEN, 9);
	instance_assert_count(&one, 0);
	instance_assert_decided(&one, 9);
	begin(tree, &no_wakeup, 2);
	start();
	assert_waits("asleep");
	assert_refuses(0, WAKEUP, NODE_NONE);
	receive(1, TOKEN, 7);
	instance_assert_count(&one, 1);
	assert_sent(0, 0, TOKEN, 7);
	instance_assert_phase(&one, "waiting");
}

TEST(without_wakeup_a_leaf_that_is_reached_first_answers)
{
	begin(tree, &no_wakeup, 1);
	receive(0, TOKEN, 3);
	instance_assert_count(&one, 1);
	assert_sent(0, 0, TOKEN, 5);
	instance_assert_decided(&one, 5);
	start();
	instance_assert_count(&one, 0);
	instance_assert_undecided(&one);
}

TEST(tree_refuses_what_makes_no_sense)
{
	struct message same_id = message(TOKEN, 5);

	same_id.rank.is_eligible = false;
	begin_awake(3);
	for (unsigned kind = TOKEN + 1; kind < MESSAGE_KINDS_MAX; kind++)
		assert_refuses(0, kind, 9);
	assert_refuses(0, TOKEN, NODE_NONE);
	instance_assert_refuses(&one, 0, &same_id);
	receive(0, TOKEN, 7);
	assert_refuses(0, TOKEN, 9); /* a second one */
	receive(1, TOKEN, 7);
	assert_refuses(1, TOKEN, 9);
	assert_refuses(0, WAKEUP, NODE_NONE);
	receive(2, TOKEN, 7);
	instance_assert_decided(&one, 7);
	assert_refuses(2, TOKEN, 9);
	begin(tree, NULL, 2);
	assert_refuses(0, TOKEN, 9); /* it said nothing before */
	start();
	assert_refuses(0, TOKEN, 9);
}

TEST(starter_explores_all_links_a_reached_node_all_others)
{
	begin(echo, NULL, 3);
	start();
	instance_assert_count(&one, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_sent(i, i, EXPLORER, NODE_NONE);
	instance_assert_phase(&one, "exploring");
	start();
	assert_waits("exploring");
	begin(echo, NULL, 3);
	receive(1, EXPLORER, NODE_NONE);
	instance_assert_count(&one, 2);
	assert_sent(0, 0, EXPLORER, NODE_NONE);
	assert_sent(1, 2, EXPLORER, NODE_NONE);
	instance_assert_phase(&one, "exploring");
	assert_refuses(2, EXPLORER, NODE_NONE); /* it crossed ours */
	start();
	assert_waits("exploring");
}

TEST(leaf_echoes_at_once_also_when_it_starts)
{
	begin(echo, NULL, 1);
	receive(0, EXPLORER, NODE_NONE);
	instance_assert_count(&one, 1);
	assert_sent(0, 0, ECHO, 5);
	instance_assert_phase(&one, "waiting");
	begin(echo, NULL, 1);
	start();
	instance_assert_count(&one, 2);
	assert_sent(0, 0, EXPLORER, NODE_NONE);
	assert_sent(1, 0, ECHO, 5);
	assert_refuses(0, EXPLORER, NODE_NONE);
	receive(0, ECHO, 3);
	instance_assert_count(&one, 0);
	instance_assert_decided(&one, 5);
}

TEST(echoes_that_cross_end_it_and_the_others_are_told)
{
	begin(echo, NULL, 3);
	receive(0, EXPLORER, NODE_NONE);
	receive(1, ECHO, 4);
	assert_waits("exploring");
	receive(0, ECHO, 7); /* the last link need not be the first */
	instance_assert_count(&one, 1);
	assert_sent(0, 2, ECHO, 7);
	receive(2, ECHO, 6);
	instance_assert_decided(&one, 7);
	instance_assert_count(&one, 2);
	assert_sent(0, 0, LEADER, 7);
	assert_sent(1, 1, LEADER, 7);
}

TEST(leader_is_passed_on_outwards)
{
	begin(echo, NULL, 3);
	receive(0, EXPLORER, NODE_NONE);
	receive(1, ECHO, 4);
	receive(2, ECHO, 7);
	assert_sent(0, 0, ECHO, 7);
	assert_refuses(1, LEADER, 9);
	assert_refuses(0, LEADER, 6); /* it has heard of 7 */
	receive(0, LEADER, 9);
	instance_assert_decided(&one, 9);
	instance_assert_count(&one, 2);
	assert_sent(0, 1, LEADER, 9);
	assert_sent(1, 2, LEADER, 9);
	assert_refuses(0, LEADER, 9);
	assert_refuses(0, ECHO, 10);
}

TEST(echo_refuses_what_makes_no_sense)
{
	struct message same_id = message(ECHO, 5);

	same_id.rank.priority = 1;
	begin(echo, NULL, 2);
	assert_refuses(0, ECHO, 9); /* it said nothing before */
	assert_refuses(0, LEADER, 9);
	start();
	for (unsigned kind = LEADER + 1; kind < MESSAGE_KINDS_MAX; kind++)
		assert_refuses(0, kind, 9);
	assert_refuses(0, ECHO, NODE_NONE);
	assert_refuses(0, LEADER, NODE_NONE);
	assert_refuses(0, LEADER, 9); /* we have not echoed */
	instance_assert_refuses(&one, 0, &same_id);
	receive(0, ECHO, 7);
	assert_refuses(0, ECHO, 9); /* a second one */
	assert_refuses(0, LEADER, 9);
}

/* The two that end it are the candidates: each names itself to the other. */
TEST(any_of_the_two_may_lead)
{
	begin(echo, &any_leader, 2);
	start();
	receive(0, ECHO, 9);
	assert_sent(0, 1, ECHO, 5);
	receive(1, ECHO, 3);
	instance_assert_decided(&one, 5);
	assert_sent(0, 0, LEADER, 5);
	begin(echo, &any_leader, 2);
	start();
	receive(0, ECHO, 9);
	receive(1, ECHO, 6);
	instance_assert_decided(&one, 6);
	begin(echo, &any_leader, 2);
	start();
	receive(0, ECHO, 9);
	receive(1, LEADER, 2);
	instance_assert_decided(&one, 2);
}

TEST(node_that_is_not_eligible_names_one_that_is)
{
	struct rank abstains = { .id = 5 };

	instance_begin(&one, echo, &any_leader, abstains, 3);
	start();
	receive(0, ECHO, 3);
	receive(1, ECHO, 4);
	assert_sent(0, 2, ECHO, 4);
	receive(2, ECHO, 2);
	instance_assert_decided(&one, 4);
}

TEST(rank_that_is_not_eligible_is_below_all_that_are)
{
	struct message m = { .kind = TOKEN, .rank = { .id = 5 } };

	instance_begin(&one, tree, &no_wakeup, m.rank, 2);
	m.rank.id = 7;
	instance_receive(&one, 0, &m);
	instance_assert_sent(&one, 0, 1, &m);
	receive(1, TOKEN, 1);
	instance_assert_decided(&one, 1);
}
