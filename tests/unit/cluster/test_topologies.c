/* SPDX-License-Identifier: ISC */
/*
 * Every algorithm under every topology that suits it: eight whole nodes that
 * start, elect on demand, die and return. The cost of an election is that of
 * the bare algorithm, exactly.
 * Takes 3 s.
 */
#include "tests/lib/shapes.h"
#include "tests/unit/group.h"

#include <string.h>

static process_name
leader_of(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (world_runs(w, name))
			return world_status(w, name).leader;
	}
	return 0;
}

/* Gives a node that runs and does not lead. */
static process_name
follower_of(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (world_runs(w, name) && name != leader_of(w))
			return name;
	}
	return 0;
}

TEST(all_start_and_one_leads)
{
	for (const struct shape *l = shape_first(); l != NULL;
	     l = shape_next(l)) {
		struct world *w = shape_settled(l);

		assert_leader(w, 8);
		world_end(w);
	}
}

TEST(forced_election_ends_in_a_later_term)
{
	for (const struct shape *l = shape_first(); l != NULL;
	     l = shape_next(l)) {
		struct world *w = shape_settled(l);
		uint64_t term = world_status(w, 8).term;

		world_elect(w, follower_of(w));
		assert_settles_on(w, 8);
		assert_int_equal(world_status(w, 8).term, term + 1);
		world_end(w);
	}
}

TEST(leaders_die_one_after_the_other_and_all_return)
{
	for (const struct shape *l = shape_first(); l != NULL;
	     l = shape_next(l)) {
		struct world *w = shape_settled(l);

		for (unsigned i = 0; i < 2; i++) {
			world_crash(w, leader_of(w));
			world_settle(w);
		}
		world_start_all(w);
		assert_settles_on(w, 8);
		world_end(w);
	}
}

TEST(leader_dies_with_all_its_neighbours_and_they_return)
{
	for (const struct shape *l = shape_first(); l != NULL;
	     l = shape_next(l)) {
		struct world *w = shape_settled(l);
		unsigned dead = 1u << 8 | shape_neighbours(w, 8);

		if (l->setup.topology == TOPOLOGY_FULL)
			dead = 1u << 8 | 1u << 7 | 1u << 1;
		for (process_name name = 1; name <= SHAPE_NODES; name++) {
			if (dead >> name & 1)
				world_crash(w, name);
		}
		world_settle(w);
		world_start_all(w);
		assert_settles_on(w, 8);
		world_end(w);
	}
}

TEST(clean_stop_of_the_leader_hands_over)
{
	for (const struct shape *l = shape_first(); l != NULL;
	     l = shape_next(l)) {
		struct world *w = shape_settled(l);

		world_stop(w, 8);
		world_settle(w);
		world_start(w, 8);
		assert_settles_on(w, 8);
		world_end(w);
	}
}

static void
add_messages(struct world *w, uint64_t *sums)
{
	memset(sums, 0, MESSAGE_KINDS_MAX * sizeof(*sums));
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		for (size_t kind = 0; kind < MESSAGE_KINDS_MAX; kind++)
			sums[kind] += world_counters(w, name)->messages[kind];
	}
}

static uint64_t
count_messages(struct world *w, process_name starter, uint64_t *counts)
{
	uint64_t before[MESSAGE_KINDS_MAX], total = 0;

	add_messages(w, before);
	world_elect(w, starter);
	world_settle(w);
	add_messages(w, counts);
	for (size_t kind = 0; kind < MESSAGE_KINDS_MAX; kind++) {
		counts[kind] -= before[kind];
		total += counts[kind];
	}
	return total;
}

static void
assert_costs_as_alone(
    const struct shape *shape, struct world *w, process_name starter)
{
	struct run_result alone = shape_run(shape, starter, SCHEDULE_UNIT, 1);
	uint64_t counts[MESSAGE_KINDS_MAX];

	count_messages(w, starter, counts);
	for (size_t kind = 0; kind < MESSAGE_KINDS_MAX; kind++) {
		if (counts[kind] == alone.messages[kind])
			continue;
		fail_msg("%s: from %u, %s is sent %u times and not %u",
		    shape->name, starter, shape->setup.algorithm->kinds[kind],
		    (unsigned)counts[kind], (unsigned)alone.messages[kind]);
	}
}

/* Compares the messages of each kind, for each starter. */
TEST(election_costs_what_the_bare_algorithm_sends)
{
	for (const struct shape *l = shape_first(); l != NULL;
	     l = shape_next(l)) {
		struct world *w = shape_settled(l);

		for (node_id id = 1; id <= SHAPE_NODES && !l->is_random; id++)
			assert_costs_as_alone(l, w, id);
		world_end(w);
	}
}

/* An algorithm that draws costs at least a round of each kind, and at most the
 * worst order of ranks. */
TEST(election_that_draws_costs_no_more_than_its_bound)
{
	const uint64_t n = SHAPE_NODES;
	uint64_t counts[MESSAGE_KINDS_MAX], total;

	for (const struct shape *l = shape_first(); l != NULL;
	     l = shape_next(l)) {
		struct world *w;

		if (!l->is_random)
			continue;
		w = shape_settled(l);
		for (node_id id = 1; id <= SHAPE_NODES; id++) {
			total = count_messages(w, id, counts);
			assert_in_range(total, 2 * n, n * (n + 1) / 2 + n);
		}
		world_end(w);
	}
}
