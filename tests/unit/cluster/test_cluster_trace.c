/* SPDX-License-Identifier: ISC */
/*
 * The bully, message by message (algorithms/README.md, "bully"), and its
 * messages counted in a cluster: exactly as many as the textbook says.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define NODES_MOST 8 /* the count grows with their square */

#define STORY "ELECTION,OK,COORDINATOR,leader,start ,crash,elect at"

/* Settled, with an empty trace. */
static struct world *
traced(unsigned nodes)
{
	struct world *w =
	    world_with((struct world_setup){ .nodes = nodes, .trace = true });

	world_begin(w);
	world_trace_clear(w);
	return w;
}

/* n^2 - 1 messages: 3 ELECTION, 3 OK, 2 COORDINATOR, each a millisecond apart.
 */
WORLD(worst_of_three_starts_alone)
{
	struct world *w = traced(3);

	world_elect(w, 1);
	world_run(w, 10 * MSEC);
	assert_trace(w, " > ,leader",
	    "[    0.000] 1 > start an election: forced:1\n"
	    "[    0.000] 1 > ELECTION to 2 in term 2\n"
	    "[    0.000] 1 > ELECTION to 3 in term 2\n"
	    "[    0.001] 2 > ELECTION from 1 in term 2\n"
	    "[    0.001] 2 > OK to 1 in term 2\n"
	    "[    0.001] 2 > ELECTION to 3 in term 2\n"
	    "[    0.001] 3 > ELECTION from 1 in term 2\n"
	    "[    0.001] 3 > OK to 1 in term 2\n"
	    "[    0.001] 3 > COORDINATOR to 1 in term 2\n"
	    "[    0.001] 3 > COORDINATOR to 2 in term 2\n"
	    "[    0.001] 3 leader 3 in term 2 (forced:1)\n"
	    "[    0.002] 1 > OK from 2 in term 2\n"
	    "[    0.002] 1 > OK from 3 in term 2\n"
	    "[    0.002] 1 > COORDINATOR from 3 in term 2\n"
	    "[    0.002] 1 leader 3 in term 2 (forced:1)\n"
	    "[    0.002] 2 > COORDINATOR from 3 in term 2\n"
	    "[    0.002] 2 leader 3 in term 2 (forced:1)\n"
	    "[    0.002] 3 > ELECTION from 2 in term 2\n"
	    "[    0.002] 3 > OK to 2 in term 2\n"
	    "[    0.003] 2 > OK from 3 in term 2\n");
}

/* The successor knows that no better node is alive, so it asks none. The others
 * leave it the time to announce itself. */
WORLD(leader_dies_and_its_successor_tells_all)
{
	struct world *w = traced(4);

	world_crash(w, 4);
	world_run(w, SEC);
	assert_trace(w, STORY,
	    "* crash 4\n"
	    "1 > the leader is lost: missed:4\n"
	    "1 no leader in term 1 (missed:4)\n"
	    "2 > the leader is lost: missed:4\n"
	    "2 no leader in term 1 (missed:4)\n"
	    "3 > the leader is lost: missed:4\n"
	    "3 no leader in term 1 (missed:4)\n"
	    "3 > start an election: missed:4\n"
	    "3 > COORDINATOR to 1 in term 2\n"
	    "3 > COORDINATOR to 2 in term 2\n"
	    "3 elected 3 in term 2, COORDINATOR 2\n"
	    "3 leader 3 in term 2 (missed:4)\n"
	    "1 > COORDINATOR from 3 in term 2\n"
	    "1 leader 3 in term 2 (missed:4)\n"
	    "2 > COORDINATOR from 3 in term 2\n"
	    "2 leader 3 in term 2 (missed:4)\n");
}

/* Node 3 listens, hears of a worse leader, and takes over from it. */
WORLD(bully_comes_back_and_takes_over)
{
	struct world *w = traced(3);

	world_crash(w, 3);
	world_settle(w);
	world_trace_clear(w);
	world_start(w, 3);
	world_run(w, SEC);
	assert_trace(w, STORY,
	    "* start 3\n"
	    "3 leader 2 in term 2 (missed:3)\n"
	    "3 > start an election: preempt:2\n"
	    "3 > COORDINATOR to 1 in term 3\n"
	    "3 > COORDINATOR to 2 in term 3\n"
	    "3 elected 3 in term 3, COORDINATOR 2\n"
	    "3 leader 3 in term 3 (preempt:2)\n"
	    "1 > COORDINATOR from 3 in term 3\n"
	    "1 leader 3 in term 3 (preempt:2)\n"
	    "2 > COORDINATOR from 3 in term 3\n"
	    "2 leader 3 in term 3 (preempt:2)\n");
}

static void
add_messages(struct world *w, unsigned *sums)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		for (unsigned kind = 0; world_runs(w, name) && kind < 3; kind++)
			sums[kind] +=
			    (unsigned)world_counters(w, name)->messages[kind];
	}
}

/* Gives the cost of a forced election at this node: ELECTION, OK, COORDINATOR.
 */
static void
count_messages(struct world *w, process_name starter, unsigned *counts)
{
	unsigned before[3] = { 0 }, after[3] = { 0 };

	add_messages(w, before);
	world_elect(w, starter);
	world_settle(w);
	add_messages(w, after);
	for (unsigned kind = 0; kind < 3; kind++)
		counts[kind] = after[kind] - before[kind];
}

/*
 * Each of the m nodes from the starter up asks all above it: m(m-1)/2 ELECTION
 * and as many OK; then come n-1 COORDINATOR. The worst starter costs n^2 - 1,
 * the best n - 1.
 */
TEST(every_starter_costs_what_the_textbook_says)
{
	for (unsigned n = 1; n <= NODES_MOST; n++) {
		for (process_name starter = 1; starter <= n; starter++) {
			struct world *w = world_settled_plain(n);
			unsigned m = n - starter + 1, counts[3];

			count_messages(w, starter, counts);
			assert_leader(w, n);
			assert_int_equal(counts[0], m * (m - 1) / 2);
			assert_int_equal(counts[1], m * (m - 1) / 2);
			assert_int_equal(counts[2], n - 1);
			if (starter == 1)
				assert_int_equal(
				    counts[0] + counts[1] + counts[2],
				    n * n - 1);
			world_end(w);
		}
	}
}

/* Nobody asks a node that is known to be dead, and it costs nothing. */
WORLD(dead_nodes_cost_nothing)
{
	struct world *w = world_settled_plain(6);
	unsigned counts[3];

	world_crash(w, 6);
	world_crash(w, 4);
	world_settle(w);
	count_messages(w, 1, counts);
	assert_leader(w, 5);
	assert_int_equal(counts[0] + counts[1] + counts[2], 4 * 4 - 1);
}

/* Loss, doubles and reordering cost datagrams, but no message. */
TEST(bad_weather_costs_no_message)
{
	const struct wire weather = { .loss = 200,
		.doubles = 200,
		.late = 300,
		.jitter = 5 * MSEC,
		.delay_min = 100 * USEC,
		.delay_max = MSEC };
	unsigned counts[3];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world *w = world_with((struct world_setup){
		    .nodes = 5, .seed = seed, .misses = 10 });

		world_begin(w);
		world_weather(w, &weather);
		count_messages(w, 1, counts);
		assert_int_equal(counts[0] + counts[1] + counts[2], 24);
		world_end(w);
	}
}

/* If the best starts, each node hears it after one delay. */
WORLD(best_starter_is_known_after_one_delay)
{
	struct world *w = world_settled_plain(7);

	world_elect(w, 7);
	world_run(w, MSEC);
	for (process_name name = 1; name <= 7; name++) {
		assert_int_equal(world_status(w, name).term, 2);
		assert_int_equal(world_status(w, name).leader, 7);
	}
}
