/* SPDX-License-Identifier: ISC */
/*
 * Promises of a single instance of every algorithm that asks for no timers.
 * test_ring_algorithms.c has them for algorithms of one-way rings.
 */
#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

#define RUNS   10000 /* of each row */
#define INPUTS 24    /* of each run */

static const struct row {
	const struct algorithm *algorithm;
	struct choices choices;
	unsigned links_min, links_max;
} rows[] = {
	{ &algorithm_hirschberg_sinclair, { 0 }, 2, 2 },
	{ &algorithm_hirschberg_sinclair, { .starters_only = true }, 2, 2 },
	{ &algorithm_tree, { 0 }, 0, 4 },
	{ &algorithm_tree, { .no_wakeup = true }, 0, 4 },
	{ &algorithm_tree_echo, { 0 }, 0, 4 },
	{ &algorithm_tree_echo, { .any_leader = true }, 0, 4 },
	{ &algorithm_traversal, { 0 }, 1, 4 },
	{ &algorithm_extinction, { 0 }, 1, 4 },
	{ &algorithm_floodmax, { .diameter = 1 }, 1, 3 },
	{ &algorithm_floodmax, { .diameter = 2 }, 1, 3 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct instance one;

static void
begin(const struct row *row, unsigned links_count)
{
	instance_begin(
	    &one, row->algorithm, &row->choices, instance_rank(5), links_count);
}

TEST(node_without_links_decides_at_once)
{
	for (size_t i = 0; i < ROWS; i++) {
		print_message("%s\n", rows[i].algorithm->name);
		begin(&rows[i], 0);
		instance_start(&one);
		instance_assert_count(&one, 0);
		instance_assert_decided(&one, 5);
		instance_start(&one);
		instance_assert_undecided(&one);
	}
}

/* Its invariants hold, it decides only once, and it sends no more than it may.
 */
static void
run_at_random(const struct row *row, struct random *random)
{
	unsigned links_count =
	    row->links_min +
	    (unsigned)random_below(random, row->links_max - row->links_min + 1);
	unsigned decisions = 0;

	begin(row, links_count);
	for (unsigned i = 0; i < INPUTS; i++) {
		instance_receive_random(&one, random);
		assert_false(one.out.has_armed);
		assert_true(one.out.count <= outbox_capacity(links_count));
		decisions += one.out.has_decided;
	}
	assert_true(decisions <= 1);
}

TEST(random_messages_break_no_algorithm)
{
	struct random random;

	random_init(&random, 1);
	for (size_t i = 0; i < ROWS; i++) {
		print_message("%s\n", rows[i].algorithm->name);
		for (unsigned run = 0; run < RUNS; run++)
			run_at_random(&rows[i], &random);
	}
}
