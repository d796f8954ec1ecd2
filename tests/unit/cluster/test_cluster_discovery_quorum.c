/* SPDX-License-Identifier: ISC */
/*
 * Clusters under quorum that take in whoever has the key (PROTOCOL.md,
 * Discovery): a file lists the voters, and all others are observers. The leader
 * alone names them, and forgets them.
 * Takes 3 s.
 */
#include "tests/lib/often.h"
#include "tests/lib/strangers.h"
#include "tests/unit/group.h"

#include <stdlib.h>

#define FORGET  STRANGERS_FORGET
#define VOTERS  3
#define ELECTS  (8 * SEC) /* three voters, until one has led a while */
#define JOINS   (1 * SEC) /* a node that starts beside such a leader */
#define GATHERS (8 * SEC) /* many that start at once */

/* Makes a world in which the file lists the first `voters`. */
static struct world *
listed(unsigned nodes, uint64_t seed, unsigned voters)
{
	return strangers(
	    (struct world_setup){
		.nodes = nodes, .seed = seed, .guarantee = GUARANTEE_QUORUM },
	    ((1u << voters) - 1) << 1, 0);
}

/* Makes one in which three voters have elected a leader. */
static struct world *
led(unsigned nodes, uint64_t seed)
{
	struct world *w = listed(nodes, seed, VOTERS);

	strangers_start_to(w, VOTERS);
	world_run(w, ELECTS);
	return w;
}

/* Nobody but the voters leads or has a vote. */
static void
assert_only_voters_count(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		struct node_status s;

		if (!world_runs(w, name))
			continue;
		s = world_status(w, name);
		assert_int_equal(s.voters, VOTERS);
		assert_true(name <= VOTERS || s.state != STATE_LEADER);
		assert_true(s.leader <= VOTERS);
	}
}

WORLD(each_host_that_starts_joins_as_an_observer)
{
	struct world *w = led(10, 1);
	uint64_t term = world_status(w, 3).term;

	for (process_name name = VOTERS + 1; name <= 10; name++) {
		w->discovery.joiners |= (name % 2) << name;
		strangers_start(w, name);
		assert_gather(w, JOINS);
	}
	assert_knows(w, 1, 10);
	assert_only_voters_count(w);
	assert_int_equal(world_status(w, 3).term, term);
}

/* A node that does not lead proposes whom it meets to the leader. */
WORLD(host_that_knows_a_follower_joins_by_it)
{
	struct world *w = led(5, 2);

	w->discovery.joiners = ~0u;
	for (process_name name = VOTERS + 1; name <= 5; name++) {
		strangers_start(w, name);
		assert_gather(w, JOINS);
	}
	assert_true(w->processes[1].told->met > 0);
}

TEST(many_at_once_do_not_cost_the_leader_its_lease)
{
	for (unsigned seed = 1; seed <= often(6); seed++) {
		struct world *w = led(WORLD_NODES_MAX, seed);
		uint64_t term = world_status(w, 3).term;

		strangers_lose(w, seed % 2 == 0 ? 50 : 0);
		strangers_start_to(w, WORLD_NODES_MAX);
		for (unsigned i = 0; i < 100; i++) {
			world_run(w, 100 * MSEC);
			assert_int_equal(
			    world_status(w, 3).state, STATE_LEADER);
		}
		assert_gather(w, GATHERS);
		assert_int_equal(world_status(w, 3).term, term);
		assert_knows(w, 1, WORLD_NODES_MAX);
		assert_only_voters_count(w);
		world_end(w);
	}
}

/* No configuration names who is met while there is no leader. */
WORLD(host_waits_for_a_leader)
{
	struct world *w = listed(5, 3, VOTERS);

	strangers_start(w, 1);
	strangers_start(w, 4);
	strangers_start(w, 5);
	world_run(w, 10 * SEC);
	assert_knows(w, 1, VOTERS);
	assert_knows(w, 4, VOTERS + 1);
	assert_int_equal(
	    w->processes[4].told->met + w->processes[1].told->met, 0);
	strangers_start(w, 2);
	assert_gather(w, ELECTS);
	assert_knows(w, 1, 5);
	assert_only_voters_count(w);
}

/* A voter's absence is that of a vote, for ever. */
WORLD(observer_that_is_gone_is_forgotten_and_a_voter_is_not)
{
	struct world *w = led(6, 4);

	strangers_start_to(w, 6);
	assert_gather(w, GATHERS);
	world_crash(w, 1);
	world_crash(w, 5);
	world_run(w, FORGET - SEC);
	assert_knows(w, 2, 6);
	world_run(w, 3 * SEC);
	assert_knows(w, 2, 5);
	world_run(w, 2 * FORGET);
	assert_knows(w, 2, 5);
	assert_only_voters_count(w);
	world_start_all(w);
	assert_gather(w, GATHERS);
	assert_knows(w, 2, 6);
}

WORLD(next_leader_forgets_and_takes_in)
{
	struct world *w = led(6, 5);

	strangers_start_to(w, 5);
	assert_gather(w, GATHERS);
	world_crash(w, 4);
	world_crash(w, 3);
	strangers_start(w, 6);
	world_run(w, 2 * FORGET);
	assert_gather(w, SEC);
	assert_knows(w, 2, 5);
	assert_only_voters_count(w);
}

/* All observers are there, and most voters are not: nobody leads. */
WORLD(observers_make_no_majority)
{
	struct world *w = led(12, 6);

	strangers_start_to(w, 12);
	assert_gather(w, GATHERS);
	world_crash(w, 1);
	world_crash(w, 2);
	world_run(w, 10 * SEC);
	for (process_name name = 3; name <= 12; name++)
		assert_int_equal(world_status(w, name).leader, NODE_NONE);
	assert_knows(w, 3, 12);
	world_start(w, 2);
	assert_gather(w, ELECTS);
}

/* A leader by its own vote alone hears nobody else at first. */
WORLD(only_voter_takes_in_observers)
{
	struct world *w = listed(4, 7, 1);

	strangers_start(w, 1);
	world_run(w, ELECTS);
	for (process_name name = 2; name <= 4; name++) {
		strangers_start(w, name);
		assert_gather(w, JOINS);
	}
}

/* A second process with the id of a voter is told, and has no role. */
WORLD(host_with_the_id_of_a_voter_is_told)
{
	struct world *w = led(4, 8);

	world_rename(w, 4, 2);
	world_start(w, 4);
	world_run(w, SEC);
	assert_true(world_status(w, 4).duplicate);
	assert_true(world_status(w, 2).duplicate);
	assert_knows(w, 1, VOTERS);
	world_crash(w, 4);
	world_run(w, 4 * SEC);
	assert_gather(w, ELECTS);
}

/* The world checks that two never lead. */
TEST(cluster_survives_comings_and_goings)
{
	const char *text = getenv("SEEDS");
	unsigned seeds = text != NULL ? (unsigned)atoi(text) : often(40);
	const unsigned voters = 0xe;

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct world *w = led(VOTERS + 1 + seed % 12, seed);
		struct random r;

		random_init(&r, seed);
		for (unsigned i = 0; i < 60; i++) {
			strangers_lose(w, (unsigned)random_below(&r, 3) * 100);
			strangers_come_or_go(w, &r, voters);
			world_run(w, random_below(&r, 2 * SEC));
			assert_only_voters_count(w);
		}
		strangers_mend(w, voters);
		assert_gather(w, 2 * ELECTS);
		world_end(w);
	}
}
