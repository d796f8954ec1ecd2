/* SPDX-License-Identifier: ISC */
/*
 * Hirschberg and Sinclair's algorithm on whole rings: how many messages it
 * takes, computed here from the ranks alone. test_counts.c has its bounds.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/model/sim/run/run.h"

#define NODES_LARGEST 100

enum kind {
	PROBE,
	REPLY,
	LEADER,
};

static struct rank ranks[NODES_LARGEST];
static bool starters[NODES_LARGEST];
static struct graph ring;
static struct run_setup setup;
static struct run_result result;

/* A ring of ids 1 to n, to the right. */
static void
begin(uint32_t n)
{
	assert_true(graph_make_ring(&ring, n));
	for (uint32_t i = 0; i < n; i++) {
		ranks[i] = (struct rank){ .is_eligible = true, .id = i + 1 };
		starters[i] = false;
	}
	setup = (struct run_setup){
		.algorithm = &algorithm_hirschberg_sinclair,
		.graph = &ring,
		.ranks = ranks,
		.check = true,
	};
}

static void
shuffle(uint32_t n, struct random *random)
{
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t j = (uint32_t)random_below(random, i + 1);
		struct rank swapped = ranks[i];

		ranks[i] = ranks[j];
		ranks[j] = swapped;
	}
}

static void
run(void)
{
	assert_true(run_election(&setup, &result));
	assert_true(result.agreed);
	assert_int_equal(result.decided, ring.nodes);
}

static void
end(void)
{
	graph_free(&ring);
}

/* Gives the distance from node i to a better one: to itself, if there is none.
 */
static uint32_t
way_to_better(uint32_t n, uint32_t i, bool to_left)
{
	uint32_t way = 1;

	while (way < n &&
	       ranks[(i + (to_left ? n - way : way)) % n].id < ranks[i].id)
		way++;
	return way;
}

/*
 * Counts the messages for node i: its PROBEs go to the next better node or 2^k
 * links, whichever is nearer, and a REPLY comes as far as its PROBE if that was
 * 2^k.
 */
static void
reckon_node(uint32_t n, uint32_t i, uint64_t *probes, uint64_t *replies)
{
	uint32_t left = way_to_better(n, i, true);
	uint32_t right = way_to_better(n, i, false);
	uint32_t reach;

	for (reach = 1; left > reach && right > reach; reach *= 2) {
		*probes += 2 * reach;
		*replies += 2 * reach;
	}
	*probes += left < reach ? left : reach;
	*probes += right < reach ? right : reach;
	*replies += left > reach || right > reach ? reach : 0;
}

static void
assert_as_reckoned(uint32_t n)
{
	uint64_t probes = 0;
	uint64_t replies = 0;

	for (uint32_t i = 0; i < n; i++)
		reckon_node(n, i, &probes, &replies);
	assert_int_equal(result.winner, n);
	assert_int_equal(result.messages[PROBE], probes);
	assert_int_equal(result.messages[REPLY], replies);
	assert_int_equal(result.messages[LEADER], n);
}

/* The starter does not matter: a sleeper that wakes probes like the others. */
TEST(every_ring_takes_what_its_ranks_say)
{
	struct random random;

	random_init(&random, 1);
	for (uint32_t n = 2; n <= NODES_LARGEST; n++) {
		begin(n);
		shuffle(n, &random);
		run();
		assert_as_reckoned(n);
		for (uint32_t i = 0; i < n; i++)
			starters[i] = random_below(&random, 4) == 0;
		starters[random_below(&random, n)] = true;
		setup.starters = starters;
		run();
		assert_as_reckoned(n);
		end();
	}
}

TEST(ring_without_eligible_nodes_has_no_leader)
{
	begin(5);
	for (int i = 0; i < 5; i++)
		ranks[i].is_eligible = false;
	run();
	assert_false(result.has_leader);
	ranks[2].is_eligible = true;
	run();
	assert_true(result.has_leader);
	assert_int_equal(result.winner, 3);
	end();
}
