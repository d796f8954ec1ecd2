/* SPDX-License-Identifier: ISC */
/* Promises of a single instance of every algorithm. */
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

#define RUNS   10000 /* of each row */
#define INPUTS 24    /* of each run */

static const struct row {
	const struct algorithm *algorithm;
	struct choices choices;
	unsigned links_min, links_max;
} rows[] = {
	{ &algorithm_bully, { 0 }, 0, 4 },
	{ &algorithm_bully_broadcast, { 0 }, 0, 4 },
	{ &algorithm_lelann, { 0 }, 2, 2 },
	{ &algorithm_lelann, { .starters_only = true }, 2, 2 },
	{ &algorithm_chang_roberts, { 0 }, 2, 2 },
	{ &algorithm_chang_roberts, { .variant = 1 }, 2, 2 },
	{ &algorithm_chang_roberts, { .variant = 2 }, 2, 2 },
	{ &algorithm_chang_roberts, { .starters_only = true }, 2, 2 },
	{ &algorithm_ring_list, { 0 }, 2, 2 },
	{ &algorithm_ring_list, { .starters_only = true }, 2, 2 },
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
		assert_true(one.out.has_decided);
		assert_int_equal(one.out.winner.id, 5);
		instance_start(&one);
		instance_assert_undecided(&one);
	}
}

/* The bullies decide again for a better one; the others decide once. */
static void
check_decision(const struct row *row, const struct rank *last)
{
	const struct view *view = &one.view;
	bool is_bully = row->algorithm->topology == TOPOLOGY_FULL;

	if (last->id != NODE_NONE)
		assert_true(is_bully &&
			    rank_better(&one.out.winner, last, view->prefer));
	if (!row->choices.starters_only && !row->choices.any_leader)
		assert_false(
		    rank_better(&view->self, &one.out.winner, view->prefer));
}

/* Runs out a timer, which changes nothing if the instance asked for none. */
static void
expire(bool has_timer)
{
	uint8_t before[INSTANCE_STATE_MAX];

	memcpy(before, one.state, sizeof(before));
	instance_expire(&one);
	if (has_timer)
		return;
	instance_assert_count(&one, 0);
	instance_assert_undecided(&one);
	assert_memory_equal(before, one.state, sizeof(before));
}

/* The invariants of the instance hold, it decides for none that is worse than
 * itself if it can win, and it sends no more than it may. */
static void
run_at_random(const struct row *row, struct random *random)
{
	unsigned links_count =
	    row->links_min +
	    (unsigned)random_below(random, row->links_max - row->links_min + 1);
	bool has_timer = row->algorithm == &algorithm_bully_broadcast;
	struct rank last = { .id = NODE_NONE };

	begin(row, links_count);
	for (unsigned i = 0; i < links_count; i++)
		one.links[i].rank = instance_rank(i + 1);
	one.view.self.is_eligible = random_below(random, 8) > 0;
	if (random_below(random, 2) == 0)
		one.view.prefer = PREFER_LOWEST;
	instance_again(&one);
	for (unsigned i = 0; i < INPUTS; i++) {
		if (random_below(random, 8) == 0)
			expire(has_timer);
		else
			instance_receive_random(&one, random);
		assert_true(has_timer || !one.out.has_armed);
		assert_true(one.out.count <= outbox_capacity(links_count));
		if (!one.out.has_decided)
			continue;
		check_decision(row, &last);
		last = one.out.winner;
	}
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
