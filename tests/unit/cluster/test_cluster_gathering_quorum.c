/* SPDX-License-Identifier: ISC */
/*
 * Clusters under quorum that take in whoever has the key (PROTOCOL.md,
 * Discovery): a file lists the voters, and all others are observers. The leader
 * alone names them, and forgets them.
 */
#include "tests/lib/often.h"
#include "tests/unit/group.h"
#include "tests/world/gathering/gathering.h"

#include <stdlib.h>
#include <string.h>

#include "common/util/random.h"

#define VOTERS 3
#define ELECTS                                                                 \
	(8 * SEC) /* three voters that start, until one has led a while */
#define JOINS   (1 * SEC) /* a node that starts beside such a leader */
#define GATHERS (8 * SEC) /* many that start at once */

static struct gathering *
voters(unsigned count, uint64_t seed)
{
	struct gathering *g = gathering_new(count, seed);

	g->voters = VOTERS;
	for (unsigned i = 0; i < VOTERS; i++)
		gathering_start(g, i, false);
	gathering_run(g, ELECTS);
	return g;
}

static void
assert_settles(struct gathering *g, nsec_t limit)
{
	nsec_t took = gathering_settle(g, 0, limit);

	if (took == NSEC_NEVER)
		print_error("seed %u: no cluster\n", (unsigned)g->seed);
	assert_true(took != NSEC_NEVER);
}

static uint64_t
term_of(struct gathering *g, unsigned guest)
{
	return node_status(g->guests[guest].node, g->now).term;
}

/* Nobody but the voters leads or has a vote. */
static void
assert_only_voters_count(struct gathering *g)
{
	for (unsigned i = 0; i < g->count; i++) {
		struct node_status s;

		if (!g->guests[i].is_running)
			continue;
		s = node_status(g->guests[i].node, g->now);
		assert_int_equal(s.voters, VOTERS);
		assert_true(i < VOTERS || s.state != STATE_LEADER);
		assert_true(s.leader <= VOTERS);
	}
}

TEST(each_host_that_starts_joins_as_an_observer)
{
	struct gathering *g = voters(10, 1);
	uint64_t term = term_of(g, 2);

	for (unsigned i = VOTERS; i < 10; i++) {
		g->guests[i].knows_addresses = i % 2 == 0;
		gathering_start(g, i, false);
		assert_settles(g, JOINS);
	}
	assert_int_equal(g->guests[0].list.nodes_count, 10);
	assert_only_voters_count(g);
	assert_int_equal(term_of(g, 2), term);
	gathering_free(g);
}

/* A node that does not lead proposes whom it meets to the leader. */
TEST(host_that_knows_a_follower_joins_by_it)
{
	struct gathering *g = voters(5, 2);

	for (unsigned i = VOTERS; i < 5; i++) {
		g->guests[i].knows_addresses = true; /* that of guest 0 */
		gathering_start(g, i, false);
		assert_settles(g, JOINS);
	}
	assert_true(g->guests[0].met > 0);
	gathering_free(g);
}

TEST(many_at_once_do_not_cost_the_leader_its_lease)
{
	for (unsigned seed = 1; seed <= often(6); seed++) {
		struct gathering *g = voters(GUESTS_MAX, seed);
		uint64_t term = term_of(g, 2);

		g->loss = seed % 2 == 0 ? 50 : 0;
		for (unsigned i = VOTERS; i < GUESTS_MAX; i++)
			gathering_start(g, i, false);
		for (unsigned i = 0; i < 100; i++) {
			gathering_run(g, 100 * MSEC);
			assert_int_equal(
			    node_status(g->guests[2].node, g->now).state,
			    STATE_LEADER);
		}
		assert_settles(g, GATHERS);
		assert_int_equal(term_of(g, 2), term);
		assert_int_equal(g->guests[0].list.nodes_count, GUESTS_MAX);
		assert_only_voters_count(g);
		gathering_free(g);
	}
}

/* No edition names who is met while there is no leader. */
TEST(host_waits_for_a_leader)
{
	struct gathering *g = gathering_new(5, 3);

	g->voters = VOTERS;
	gathering_start(g, 0, false);
	gathering_start(g, 3, false);
	gathering_start(g, 4, false);
	gathering_run(g, 10 * SEC);
	assert_int_equal(g->guests[0].list.nodes_count, VOTERS);
	assert_int_equal(g->guests[3].list.nodes_count, VOTERS + 1);
	assert_int_equal(g->guests[3].met + g->guests[0].met, 0);
	gathering_start(g, 1, false);
	assert_settles(g, ELECTS);
	assert_int_equal(g->guests[0].list.nodes_count, 5);
	assert_only_voters_count(g);
	gathering_free(g);
}

/* A voter's absence is that of a vote, for ever. */
TEST(observer_that_is_gone_is_forgotten_and_a_voter_is_not)
{
	struct gathering *g = voters(6, 4);

	for (unsigned i = VOTERS; i < 6; i++)
		gathering_start(g, i, false);
	assert_settles(g, GATHERS);
	gathering_kill(g, 0);
	gathering_kill(g, 4);
	gathering_run(g, GATHERING_FORGET - SEC);
	assert_int_equal(g->guests[1].list.nodes_count, 6);
	gathering_run(g, 3 * SEC);
	assert_int_equal(g->guests[1].list.nodes_count, 5);
	gathering_run(g, 2 * GATHERING_FORGET);
	assert_int_equal(g->guests[1].list.nodes_count, 5);
	assert_only_voters_count(g);
	gathering_start(g, 4, true);
	gathering_start(g, 0, true);
	assert_settles(g, GATHERS);
	assert_int_equal(g->guests[1].list.nodes_count, 6);
	gathering_free(g);
}

TEST(next_leader_forgets_and_takes_in)
{
	struct gathering *g = voters(6, 5);

	gathering_start(g, 3, false);
	gathering_start(g, 4, false);
	assert_settles(g, GATHERS);
	gathering_kill(g, 3);
	gathering_kill(g, 2);
	gathering_start(g, 5, false);
	gathering_run(g, 2 * GATHERING_FORGET);
	assert_settles(g, SEC);
	assert_int_equal(g->guests[1].list.nodes_count, 5);
	assert_only_voters_count(g);
	gathering_free(g);
}

/* All observers are there, and most voters are not: nobody leads. */
TEST(observers_make_no_majority)
{
	struct gathering *g = voters(12, 6);

	for (unsigned i = VOTERS; i < 12; i++)
		gathering_start(g, i, false);
	assert_settles(g, GATHERS);
	gathering_kill(g, 0);
	gathering_kill(g, 1);
	gathering_run(g, 10 * SEC);
	for (unsigned i = 2; i < 12; i++)
		assert_int_equal(
		    node_status(g->guests[i].node, g->now).leader, NODE_NONE);
	assert_int_equal(g->guests[2].list.nodes_count, 12);
	gathering_start(g, 1, true);
	assert_settles(g, ELECTS);
	gathering_free(g);
}

/* A leader by its own vote alone hears nobody else at first. */
TEST(only_voter_takes_in_observers)
{
	struct gathering *g = gathering_new(4, 7);

	g->voters = 1;
	gathering_start(g, 0, false);
	gathering_run(g, ELECTS);
	for (unsigned i = 1; i < 4; i++) {
		gathering_start(g, i, false);
		assert_settles(g, JOINS);
	}
	gathering_free(g);
}

/* A second process with the id of a voter is told, and has no role. */
TEST(host_with_the_id_of_a_voter_is_told)
{
	struct gathering *g = voters(4, 8);

	g->guests[3].id = 2;
	gathering_start(g, 3, false);
	gathering_run(g, SEC);
	assert_true(g->guests[3].duplicates > 0);
	assert_true(g->guests[1].duplicates > 0);
	assert_int_equal(g->guests[0].list.nodes_count, VOTERS);
	gathering_kill(g, 3);
	gathering_run(g, 4 * SEC);
	assert_settles(g, ELECTS);
	gathering_free(g);
}

/* At no instant do two lead. */
static void
assert_one_leader(struct gathering *g)
{
	unsigned leaders = 0;

	for (unsigned i = 0; i < g->count; i++) {
		struct node_status s;

		if (!g->guests[i].is_running)
			continue;
		s = node_status(g->guests[i].node, g->now);
		leaders += s.state == STATE_LEADER && s.until > g->now;
	}
	assert_true(leaders <= 1);
}

/* One comes, goes, or is cut off; an observer may come as another node. */
static void
come_or_go(struct gathering *g, struct random *r)
{
	unsigned who = (unsigned)random_below(r, g->count);
	struct guest *h = &g->guests[who];

	if (random_below(r, 4) == 0) {
		h->side = 1 - h->side;
	} else if (h->is_running) {
		gathering_kill(g, who);
	} else {
		bool remembers = who < VOTERS || random_below(r, 2) == 0;

		if (!remembers && random_below(r, 2) == 0)
			h->id += GUESTS_MAX;
		gathering_start(g, who, remembers);
	}
}

TEST(cluster_survives_comings_and_goings)
{
	const char *text = getenv("SEEDS");
	unsigned seeds = text != NULL ? (unsigned)atoi(text) : often(40);

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct gathering *g = voters(VOTERS + 1 + seed % 12, seed);
		struct random r;

		random_init(&r, seed);
		for (unsigned i = 0; i < 60; i++) {
			g->loss = (unsigned)random_below(&r, 3) * 100;
			come_or_go(g, &r);
			for (unsigned j = 0; j < 20; j++) {
				gathering_run(g, random_below(&r, 100 * MSEC));
				assert_one_leader(g);
			}
			assert_only_voters_count(g);
		}
		g->loss = 0;
		for (unsigned i = 0; i < g->count; i++) {
			g->guests[i].side = 0;
			if (!g->guests[i].is_running)
				gathering_start(g, i, i < VOTERS);
		}
		assert_settles(g, 2 * ELECTS);
		gathering_free(g);
	}
}
