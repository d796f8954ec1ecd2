/* SPDX-License-Identifier: ISC */
/*
 * One instance of FloodMax, round by round, and messages that no honest
 * neighbour sends.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

enum kind {
	MAX,
};

/* Node 5. */
static struct instance one;

static void
begin(size_t links_count, uint32_t diameter)
{
	struct choices choices = { .diameter = diameter };

	instance_begin(
	    &one, &algorithm_floodmax, &choices, instance_rank(5), links_count);
	instance_assert_phase(&one, "asleep");
}

static struct message
message(uint32_t round, node_id best)
{
	return (struct message){
		.kind = MAX,
		.rank = instance_rank(best),
		.phase = round,
	};
}

static void
receive(unsigned link, uint32_t round, node_id best)
{
	struct message m = message(round, best);

	instance_receive(&one, link, &m);
}

static void
assert_refuses(unsigned link, uint32_t round, node_id best)
{
	struct message m = message(round, best);

	instance_assert_refuses(&one, link, &m);
}

/* Asserts that the last step sent this to all, and nothing else. */
static void
assert_flooded(uint32_t round, node_id best)
{
	struct message m = message(round, best);

	instance_assert_count(&one, one.view.links_count);
	for (unsigned i = 0; i < one.view.links_count; i++)
		instance_assert_sent(&one, i, i, &m);
	instance_assert_undecided(&one);
	instance_assert_phase(&one, "flooding");
}

static void
assert_waits(void)
{
	instance_assert_count(&one, 0);
	instance_assert_undecided(&one);
	instance_assert_phase(&one, "flooding");
}

TEST(starter_waits_for_all_in_each_round)
{
	begin(2, 3);
	instance_start(&one);
	assert_flooded(1, 5);
	receive(0, 1, 4);
	assert_waits();
	receive(1, 1, 3);
	assert_flooded(2, 5);
	receive(1, 2, 9);
	assert_waits();
	receive(0, 2, 7);
	assert_flooded(3, 9);
	receive(0, 3, 8);
	assert_waits();
	receive(1, 3, 9);
	instance_assert_count(&one, 0);
	instance_assert_decided(&one, 9);
}

TEST(the_last_round_counts_too)
{
	begin(1, 1);
	instance_start(&one);
	receive(0, 1, 6);
	instance_assert_count(&one, 0);
	instance_assert_decided(&one, 6);
}

TEST(the_first_message_wakes_and_round_one_says_nothing_of_it)
{
	begin(2, 2);
	receive(1, 1, 9);
	assert_flooded(1, 5);
	instance_start(&one);
	assert_waits();
	receive(0, 1, 1);
	assert_flooded(2, 9);
}

/* With one neighbour round 1 is over as soon as it has begun. */
TEST(woken_leaf_sends_two_rounds_at_once)
{
	struct message first = message(1, 5);
	struct message second = message(2, 9);

	begin(1, 2);
	receive(0, 1, 9);
	instance_assert_count(&one, 2);
	instance_assert_sent(&one, 0, 0, &first);
	instance_assert_sent(&one, 1, 0, &second);
	receive(0, 2, 9);
	instance_assert_decided(&one, 9);

	begin(1, 1);
	receive(0, 1, 9);
	instance_assert_count(&one, 1);
	instance_assert_sent(&one, 0, 0, &first);
	instance_assert_decided(&one, 9);
}

/* Its message counts one round later, as if it had come in time. */
TEST(neighbour_may_be_one_round_ahead)
{
	begin(3, 3);
	instance_start(&one);
	receive(0, 1, 1);
	receive(0, 2, 9);
	assert_waits();
	receive(1, 1, 2);
	receive(1, 2, 8);
	assert_waits();
	assert_refuses(0, 3, 9);
	receive(2, 1, 6);
	assert_flooded(2, 6);
	receive(0, 3, 9);
	assert_waits();
	receive(2, 2, 6);
	assert_flooded(3, 9);
	receive(1, 3, 9);
	receive(2, 3, 9);
	instance_assert_decided(&one, 9);
}

TEST(lowest_is_best_where_that_is_preferred)
{
	begin(1, 1);
	one.view.prefer = PREFER_LOWEST;
	instance_start(&one);
	receive(0, 1, 2);
	instance_assert_decided(&one, 2);
}

TEST(node_that_is_not_eligible_takes_part_and_loses)
{
	struct choices choices = { .diameter = 1 };
	struct rank self = { .is_eligible = false, .id = 5 };
	struct message m = { .kind = MAX, .rank = self, .phase = 1 };

	instance_begin(&one, &algorithm_floodmax, &choices, self, 1);
	instance_start(&one);
	instance_assert_count(&one, 1);
	instance_assert_sent(&one, 0, 0, &m);
	receive(0, 1, 2);
	instance_assert_decided(&one, 2);
}

TEST(nonsense_is_dropped)
{
	struct message m = message(1, 9);

	begin(2, 2);
	assert_refuses(0, 0, 9);
	assert_refuses(0, 2, 9);
	assert_refuses(0, UINT32_MAX, 9);
	assert_refuses(0, 1, NODE_NONE);
	m.rank = instance_rank(5);
	m.rank.priority = 1; /* ours, as it is not */
	instance_assert_refuses(&one, 0, &m);
	m = message(1, 9);
	for (m.kind = MAX + 1; m.kind < MESSAGE_KINDS_MAX; m.kind++)
		instance_assert_refuses(&one, 0, &m);
	instance_assert_phase(&one, "asleep");
	receive(0, 1, 9);
	assert_refuses(0, 1, 9);
	assert_refuses(0, 3, 9);
	receive(0, 2, 9);
	assert_refuses(0, 2, 9);
	assert_refuses(0, 3, 9); /* there is no round 3 */
	receive(1, 1, 1);
	receive(1, 2, 9);
	instance_assert_decided(&one, 9);
	assert_refuses(1, 3, 10);
	assert_refuses(0, 1, 10);
}
