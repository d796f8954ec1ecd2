/* SPDX-License-Identifier: ISC */
/* The parts of an exploration: the graphs that it walks, and its tables. */

#include "tests/model/sim/explore/table.h"
#include "tests/model/sim/explore/world.h"
#include "tests/unit/group.h"

/* Counts them; all differ. */
static unsigned
worlds_count(enum topology kind, uint32_t nodes)
{
	static char texts[728][128];
	uint64_t numbers = explore_worlds_count(kind, nodes, false);
	unsigned count = 0;

	for (uint64_t i = 0; i < numbers; i++) {
		struct explore_world world;
		bool exists;

		assert_true(
		    explore_world_make(&world, kind, nodes, false, i, &exists));
		if (!exists)
			continue;
		assert_true(count < 728);
		explore_world_text(&world, texts[count], sizeof(texts[0]));
		for (unsigned j = 0; j < count; j++)
			assert_string_not_equal(texts[j], texts[count]);
		explore_world_free(&world);
		count++;
	}
	return count;
}

TEST(all_graphs_are_enumerated)
{
	static const unsigned rings[] = { 1, 1, 2, 6, 24 };
	static const unsigned trees[] = { 1, 1, 3, 16, 125 };
	static const unsigned graphs[] = { 1, 1, 4, 38, 728 };

	for (uint32_t n = 1; n <= 5; n++) {
		assert_int_equal(worlds_count(TOPOLOGY_FULL, n), 1);
		assert_int_equal(worlds_count(TOPOLOGY_RING, n), rings[n - 1]);
		assert_int_equal(worlds_count(TOPOLOGY_TREE, n), trees[n - 1]);
		assert_int_equal(
		    worlds_count(TOPOLOGY_GRAPH, n), graphs[n - 1]);
	}
}

/* In every order of links, both ends of each agree. */
TEST(links_in_any_order_know_their_other_ends)
{
	struct explore_world world;
	bool exists;
	uint64_t count;

	assert_true(
	    explore_world_make(&world, TOPOLOGY_FULL, 4, false, 0, &exists));
	count = explore_orders_count(&world);
	assert_int_equal(count, 6 * 6 * 6 * 6);
	for (uint64_t number = 0; number < count; number++) {
		const struct graph *g = &world.graph;

		explore_world_order(&world, number);
		for (uint32_t i = 0; i < 12; i++) {
			const struct graph_end *to = &g->ends[i];
			const struct graph_end *back =
			    &g->ends[g->first[to->node] + to->link];

			assert_int_equal(back->node, i / 3);
			assert_int_equal(back->link, i % 3);
		}
	}
	explore_world_free(&world);
}

TEST(a_table_knows_what_it_holds)
{
	size_t budget = 1 << 16, all = budget;
	uint64_t record[2] = { 0, 0 };
	struct table table;
	uint32_t number = 0;

	table_init(&table, sizeof(record[0]), sizeof(record), &budget);
	assert_int_equal(table_find(&table, record), TABLE_FULL);
	for (; number != TABLE_FULL; record[0]++) {
		record[1] = record[0] * 3;
		number = table_add(&table, record);
	}
	assert_true(table.count > 1000);
	for (record[0] = 0; record[0] < table.count; record[0]++) {
		number = table_find(&table, record);
		assert_int_equal(number, record[0]);
		assert_int_equal(
		    ((uint64_t *)table_at(&table, number))[1], record[0] * 3);
	}
	assert_true(budget < all);
	table_done(&table);
	assert_int_equal(budget, all);
}
