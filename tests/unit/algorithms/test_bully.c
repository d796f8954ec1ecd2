/* SPDX-License-Identifier: ISC */
/*
 * The bully algorithm on whole networks: who wins, and exactly so many messages
 * in any order, for any starters. test_counts.c has its row of the table.
 */
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"
#include "tests/sim/run/run.h"

#define NODES 8 /* the largest network */

enum kind {
	ELECTION,
	OK,
	COORDINATOR,
};

static struct rank ranks[NODES];

static void
ranks_plain(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		ranks[i] = (struct rank){ .is_eligible = true, .id = i + 1 };
}

/* Counts the nodes that are better than the worst starter. */
static unsigned
place_of_worst(uint32_t n, unsigned starters, enum prefer prefer)
{
	unsigned worst = 0;

	for (uint32_t i = 0; i < n; i++) {
		unsigned better = 0;

		for (uint32_t j = 0; j < n; j++)
			better += rank_better(&ranks[j], &ranks[i], prefer);
		if ((starters >> i & 1) != 0 && better > worst)
			worst = better;
	}
	return worst;
}

/*
 * The nodes of these bits start. The count is exact: each node that is as good
 * as the worst starter asks all better ones, and gets an answer.
 */
static struct run_result
elect(uint32_t n, unsigned bits, enum prefer prefer, uint64_t seed)
{
	bool starters[NODES];
	struct graph graph;
	struct run_result result;
	struct run_setup setup = {
		.algorithm = &algorithm_bully,
		.graph = &graph,
		.ranks = ranks,
		.prefer = prefer,
		.starters = starters,
		.schedule = seed == 0 ? SCHEDULE_UNIT : SCHEDULE_RANDOM,
		.unordered = seed % 2 == 1,
		.seed = seed,
		.check = true,
	};
	unsigned worst = place_of_worst(n, bits, prefer);

	for (uint32_t i = 0; i < n; i++)
		starters[i] = (bits >> i & 1) != 0;
	assert_true(graph_make_full(&graph, n));
	assert_true(run_election(&setup, &result));
	graph_free(&graph);
	assert_true(result.agreed);
	assert_int_equal(result.decided, n);
	assert_int_equal(result.messages[ELECTION], worst * (worst + 1) / 2);
	assert_int_equal(result.messages[OK], worst * (worst + 1) / 2);
	assert_int_equal(result.messages[COORDINATOR], n - 1);
	return result;
}

TEST(every_set_of_starters_elects_the_best_in_any_order)
{
	ranks_plain();
	for (uint32_t n = 1; n <= 5; n++)
		for (unsigned starters = 1; starters < 1U << n; starters++)
			for (uint64_t seed = 0; seed < 400; seed++) {
				bool is_low = seed % 4 > 1;
				enum prefer prefer =
				    is_low ? PREFER_LOWEST : PREFER_HIGHEST;

				assert_int_equal(
				    elect(n, starters, prefer, seed).winner,
				    is_low ? 1 : n);
			}
}

/* Ranks, and which node is the best of them, by preference. */
static const struct {
	struct rank ranks[4];
	node_id highest, lowest;
} rows[] = {
	/* Priority counts before the id, */
	{ { { .is_eligible = true, .id = 1 },
	      { .is_eligible = true, .id = 2, .priority = 5 },
	      { .is_eligible = true, .id = 3, .priority = 5 },
	      { .is_eligible = true, .id = 4, .priority = -1 } },
	    3, 2 },
	/* a seat before both, */
	{ { { .is_eligible = true, .id = 1, .is_contender = true },
	      { .is_eligible = true, .id = 2, .priority = 5 },
	      { .is_eligible = true, .id = 3 },
	      { .is_eligible = true, .id = 4 } },
	    1, 1 },
	/* and that a node may lead at all before all. */
	{ { { .is_eligible = true, .id = 1 }, { .id = 2, .priority = 9 },
	      { .is_eligible = true, .id = 3 },
	      { .id = 4, .is_contender = true } },
	    3, 1 },
	/* Without eligible nodes all learn that. */
	{ { { .id = 1, .priority = 9 }, { .id = 2, .priority = 9 },
	      { .id = 3, .priority = 9 }, { .id = 4, .priority = 9 } },
	    4, 1 },
};

TEST(best_by_rank_wins)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool is_led = rows[i].ranks[0].is_eligible;

		memcpy(ranks, rows[i].ranks, sizeof(rows[i].ranks));
		for (unsigned run = 0; run < 200; run++) {
			unsigned starters = 1U << run % 4 | 1U << run / 4 % 4;
			struct run_result high =
			    elect(4, starters, PREFER_HIGHEST, run);
			struct run_result low =
			    elect(4, starters, PREFER_LOWEST, run);

			assert_int_equal(high.winner, rows[i].highest);
			assert_int_equal(high.has_leader, is_led);
			assert_int_equal(low.winner, rows[i].lowest);
			assert_int_equal(low.has_leader, is_led);
		}
	}
}
