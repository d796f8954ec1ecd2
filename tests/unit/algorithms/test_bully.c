/* SPDX-License-Identifier: ISC */
/*
 * The bully algorithm bare, where the table of properties (test_counts.c) has
 * no row for it: what the worst starter costs, and ranks beside the id.
 * Explorations walk every order of messages, with every set of starters
 * (tests/model/sim/explore/).
 */
#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/model/sim/run/run.h"

#define NODES  30
#define ORDERS 100

enum kind {
	ELECTION,
	OK,
	COORDINATOR,
};

/* Elects among n nodes of which these start, by position. Asserts that all
 * agree on `best`, and that the count is exact: each node that is as good as
 * the worst starter, which `better` nodes beat, asks all better ones, and
 * gets an answer. */
static void
assert_elects(struct run_setup setup, uint32_t n, uint32_t better, node_id best)
{
	struct run_result result;
	struct graph full;

	assert_true(graph_make_full(&full, n));
	setup.algorithm = &algorithm_bully;
	setup.graph = &full;
	setup.check = true;
	assert_true(run_election(&setup, &result));
	graph_free(&full);
	assert_true(result.agreed);
	assert_int_equal(result.winner, best);
	assert_int_equal(result.messages[ELECTION], (better + 1) * better / 2);
	assert_int_equal(result.messages[OK], (better + 1) * better / 2);
	assert_int_equal(result.messages[COORDINATOR], n - 1);
}

TEST(count_depends_on_the_worst_starter_alone)
{
	struct rank ranks[NODES];

	for (uint32_t i = 0; i < NODES; i++)
		ranks[i] = (struct rank){ .is_eligible = true, .id = i + 1 };
	for (uint32_t n = 1; n <= NODES; n++)
		for (uint32_t i = 0; i < n; i++) {
			bool starters[NODES] = { false };

			starters[i] = starters[n - 1] = true;
			assert_elects((struct run_setup){ .ranks = ranks,
					  .starters = starters },
			    n, n - 1 - i, n);
		}
}

/* All start, in any order. */
static void
assert_best(
    const struct rank *ranks, uint32_t n, enum prefer prefer, node_id best)
{
	for (unsigned i = 0; i < ORDERS; i++)
		assert_elects((struct run_setup){ .ranks = ranks,
				  .prefer = prefer,
				  .schedule = SCHEDULE_RANDOM,
				  .seed = i },
		    n, n - 1, best);
}

TEST(priority_and_seat_count_before_the_id)
{
	const struct rank by_priority[] = {
		{ .is_eligible = true, .id = 1 },
		{ .is_eligible = true, .id = 2, .priority = 5 },
		{ .is_eligible = true, .id = 3, .priority = 5 },
		{ .is_eligible = true, .id = 4, .priority = -1 },
	};
	const struct rank by_seat[] = {
		{ .is_eligible = true, .id = 1, .is_contender = true },
		{ .is_eligible = true, .id = 2, .priority = 5 },
		{ .is_eligible = true, .id = 3 },
	};

	assert_best(by_priority, 4, PREFER_HIGHEST, 3);
	assert_best(by_priority, 4, PREFER_LOWEST, 2);
	assert_best(by_seat, 3, PREFER_HIGHEST, 1);
	assert_best(by_seat, 3, PREFER_LOWEST, 1);
}

TEST(node_that_is_not_eligible_takes_part_and_does_not_win)
{
	const struct rank ranks[] = {
		{ .is_eligible = true, .id = 1 },
		{ .id = 2, .priority = 9 },
		{ .is_eligible = true, .id = 3 },
		{ .id = 4, .is_contender = true },
	};

	assert_best(ranks, 4, PREFER_HIGHEST, 3);
	assert_best(ranks, 4, PREFER_LOWEST, 1);
}

TEST(without_eligible_nodes_all_learn_that)
{
	const struct rank ranks[] = { { .id = 1, .priority = 9 }, { .id = 2 },
		{ .id = 3 } };

	assert_best(ranks, 3, PREFER_HIGHEST, 3);
	assert_best(ranks, 3, PREFER_LOWEST, 1);
}
