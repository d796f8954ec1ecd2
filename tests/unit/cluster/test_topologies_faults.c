/* SPDX-License-Identifier: ISC */
/*
 * Whole nodes and faults of their links. A ring closes over the dead and opens
 * again, a cut link makes no leader flap, and many deaths at once cost few
 * terms. SEEDS=50 has more of them, LONG=1 ten.
 * Takes 9 s.
 */
#include "tests/lib/often.h"
#include "tests/lib/shapes.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/model/world/drive/drive.h"

#include <stdlib.h>

#define CHANGES_MAX   3  /* of leader that a cut link may cost */
#define MANY          20 /* nodes of which several die at once: */
#define DEATHS_MIN    2
#define DEATHS_MAX    7
#define TERMS_MAX     4 /* for that, on average over the seeds */
#define SEEDS_DEFAULT 10
#define SMALL         7 /* nodes of which any may die: */
#define ALL_OF_SMALL  (((1u << SMALL) - 1) << 1) /* a bit set of their ids */

static struct world *
ring_of(unsigned nodes)
{
	return world_with((struct world_setup){ .nodes = nodes,
	    .algorithm = &algorithm_chang_roberts,
	    .topology = TOPOLOGY_RING });
}

static bool
is_up(struct world *w, process_name name, node_id id)
{
	unsigned peer = id < name ? id - 1 : id - 2;

	return node_peer_status(w->processes[name].node, peer).up;
}

/* Gives the next running node to one side. */
static node_id
nearest(struct world *w, process_name name, enum ring_link side)
{
	node_id ids[WORLD_NODES_MAX];
	unsigned count = world_side(w, name, side, ids);

	for (unsigned i = 0; i < count; i++) {
		if (world_runs(w, ids[i]))
			return ids[i];
	}
	return NODE_NONE;
}

/* Every node has links to the next running ones, and to no others. */
static void
assert_ring_is_closed(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		node_id right, left;

		if (!world_runs(w, name))
			continue;
		right = nearest(w, name, RING_RIGHT);
		left = nearest(w, name, RING_LEFT);
		assert_false(world_status(w, name).is_bypassed);
		for (node_id id = 1; id <= w->setup.nodes; id++) {
			if (id != name)
				assert_int_equal(is_up(w, name, id),
				    id == right || id == left);
		}
	}
}

/* Gives `first` and the two to the right of it. */
static void
kill_three_and_bring_them_back(struct world *w, node_id first)
{
	node_id ids[WORLD_NODES_MAX];
	const node_id *three = ids;

	world_side(w, first, RING_RIGHT, ids);
	world_crash(w, first);
	world_crash(w, three[0]);
	world_crash(w, three[1]);
	world_settle(w);
	assert_ring_is_closed(w);
	world_start(w, three[0]);
	world_settle(w);
	assert_ring_is_closed(w);
	world_start(w, first);
	world_start(w, three[1]);
	world_settle(w);
	assert_ring_is_closed(w);
	assert_leader(w, 8);
}

TEST(ring_closes_over_three_in_a_row_and_opens_again)
{
	for (const struct shape *s = shape_first(); s != NULL;
	     s = shape_next(s)) {
		if (s->setup.topology != TOPOLOGY_RING)
			continue;
		for (node_id first = 1; first <= SHAPE_NODES; first++) {
			struct world *w = shape_settled(s);

			assert_ring_is_closed(w);
			kill_three_and_bring_them_back(w, first);
			world_end(w);
		}
	}
}

WORLD(ring_shrinks_to_one_and_grows_again)
{
	struct world *w = ring_of(SHAPE_NODES);

	world_start_all(w);
	for (process_name name = SHAPE_NODES; name >= 2; name--) {
		world_settle(w);
		assert_ring_is_closed(w);
		assert_leader(w, name);
		world_crash(w, name);
	}
	for (process_name name = 2; name <= SHAPE_NODES; name++) {
		world_settle(w);
		assert_ring_is_closed(w);
		world_start(w, name);
	}
	world_settle(w);
	assert_ring_is_closed(w);
}

/* The nodes of the bit set `dead`, of seven nodes, die at once. No node waits
 * for a neighbour that it has already found, and none that has lost both leads
 * in between. */
static void
ring_closes_soon(unsigned dead)
{
	struct world *w = ring_of(SMALL);
	uint64_t before;

	world_begin(w);
	before = w->counters.accessions;
	for (process_name name = 1; name <= SMALL; name++) {
		if (dead >> name & 1)
			world_crash(w, name);
	}
	world_settle(w);
	assert_ring_is_closed(w);
	assert_in_range(w->changes.settled_at - w->changes.fault_at, 0, SEC);
	assert_int_equal(
	    w->counters.accessions - before, dead >> SMALL & 1 ? 1 : 0);
	world_end(w);
}

TEST(ring_closes_soon_after_any_death)
{
	for (unsigned dead = 2; dead < ALL_OF_SMALL; dead += 2)
		ring_closes_soon(dead);
}

/* 3 heard 6 while 1 and 2 were dead. Then 6 begins at 1 again, and no neighbour
 * knows that it was further. */
WORLD(leader_that_lost_its_state_is_followed_by_its_old_followers)
{
	struct world *w = ring_of(6);

	w->processes[6].disk.durable.incarnation = 9;
	world_begin(w);
	world_crash(w, 1);
	world_crash(w, 2);
	world_settle(w);
	world_begin(w);
	world_crash(w, 5);
	world_crash(w, 6);
	world_crash(w, 1);
	world_forget(w, 6);
	world_settle(w);
	world_start(w, 1);
	world_start(w, 5);
	world_settle(w);
	world_start(w, 6);
	world_settle(w);
	assert_int_equal(world_status(w, 6).incarnation, 1);
	assert_leader(w, 6);
}

/* Node 3 is bypassed, with one neighbour that takes others: node 3 follows. */
WORLD(node_of_a_ring_with_one_wire_left_follows)
{
	struct world *w = ring_of(5);

	world_begin(w);
	world_cut(w, 3, 1);
	world_cut(w, 3, 4);
	world_cut(w, 3, 5);
	world_settle(w);
	assert_true(world_status(w, 3).is_bypassed);
	assert_leader(w, 5);
	world_crash(w, 5);
	assert_settles_on(w, 4);
	world_heal(w);
	world_start(w, 5);
	world_settle(w);
	assert_ring_is_closed(w);
}

/* The leader has seen a later term, and its neighbours bypass it. */
WORLD(leader_that_is_bypassed_gives_way)
{
	struct world *w = ring_of(4);

	world_begin(w);
	world_cut(w, 4, 1);
	world_cut(w, 4, 2);
	world_elect(w, 4);
	world_settle(w);
	world_elect(w, 2);
	world_settle(w);
	world_heal(w);
	assert_settles_on(w, 4);
	assert_ring_is_closed(w);
}

/* Cuts the link between these two for so long. */
static void
cut_for(nsec_t duration, const struct shape *s, node_id a, node_id b)
{
	struct world *w = shape_settled(s);
	uint64_t before = w->counters.accessions;
	unsigned bypassed = 0;

	world_cut(w, a, b);
	world_run(w, duration);
	world_settle(w);
	assert_in_range(w->counters.accessions - before, 0, CHANGES_MAX);
	for (process_name name = 1; name <= SHAPE_NODES; name++)
		bypassed += world_status(w, name).is_bypassed;
	assert_int_equal(bypassed, s->setup.topology == TOPOLOGY_RING);
	world_mend(w, a, b);
	assert_settles_on(w, 8);
	world_end(w);
}

/* One of the two ends lets a ring bypass it, and follows. */
TEST(cut_link_makes_no_leader_flap)
{
	for (const struct shape *s = shape_first(); s != NULL;
	     s = shape_next(s)) {
		if (s->setup.topology == TOPOLOGY_FULL) {
			cut_for(60 * SEC, s, 7, 8);
			cut_for(60 * SEC, s, 1, 8);
		} else if (s->setup.topology == TOPOLOGY_RING) {
			cut_for(60 * SEC, s, 1, 8);
			cut_for(60 * SEC, s, 8, 5);
			cut_for(60 * SEC, s, 2, 6);
		}
	}
}

static uint64_t
elections_begun(struct world *w, unsigned nodes)
{
	uint64_t count = 0;

	for (process_name name = 1; name <= nodes; name++)
		count += world_counters(w, name)->elections;
	return count;
}

/* Both neighbours learn that their neighbour is dead, and look past it at once.
 * The ring closes and begins an election long before it would bypass a silent
 * node. Most helpers speak. */
TEST(ring_closes_over_the_dead_at_once)
{
	unsigned begun = 0;

	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct world *w = world_with((struct world_setup){ .nodes = 5,
		    .seed = seed,
		    .algorithm = &algorithm_chang_roberts,
		    .topology = TOPOLOGY_RING });
		uint64_t before;

		world_begin(w);
		before = elections_begun(w, 4);
		w->helpers = true;
		world_crash(w, 5);
		world_run(w, 20 * MSEC);
		begun += elections_begun(w, 4) > before;
		world_settle(w);
		world_end(w);
	}
	assert_in_range(begun, 6, 8);
}

/* In `full`, tests/unit/cluster/test_cluster_links.c has the same. */
TEST(link_of_a_ring_cut_for_long_makes_no_leader_flap)
{
	const struct shape *s = shape_first();

	while (s->setup.algorithm != &algorithm_chang_roberts)
		s = shape_next(s);
	cut_for(often(3600) * SEC, s, 1, 8);
}

/* The first heartbeat of a leader far away takes its time to come round. */
TEST(long_ring_elects_once)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct world *w =
		    world_with((struct world_setup){ .nodes = MANY,
			.seed = seed,
			.algorithm = &algorithm_extinction,
			.topology = TOPOLOGY_RING });
		uint64_t before;

		world_begin(w);
		before = world_status(w, 1).term;
		world_elect(w, 1);
		assert_settles_on(w, MANY);
		assert_int_equal(world_status(w, 1).term, before + 1);
		world_end(w);
	}
}

/* A link that joins two parts comes and goes for a minute. The best node leads
 * its part all the time; the other part has a leader of its own when it is
 * apart, and follows the best whenever it is not. */
WORLD(flapping_link_leaves_the_better_part_alone)
{
	const struct world_link path[] = { { 1, 2 }, { 2, 3 }, { 3, 4 } };
	struct world *w = world_with((struct world_setup){ .nodes = 4,
	    .algorithm = &algorithm_tree,
	    .topology = TOPOLOGY_TREE,
	    .links = path,
	    .links_count = 3 });

	world_begin(w);
	for (unsigned i = 0; i < 60; i++) {
		world_cut(w, 2, 3);
		world_run(w, SEC / 2);
		world_mend(w, 2, 3);
		world_run(w, SEC / 2);
		assert_leader(w, 4);
	}
	for (process_name name = 1; name <= 4; name++)
		assert_in_range(world_counters(w, name)->changes, 1,
		    name < 3 ? 1 + 2 * 60 : 1);
	assert_settles_on(w, 4);
}

static void
settle_briefly(struct world *w)
{
	assert_true(world_run_until(w, world_settled, world_bound(w)));
	world_run(w, SEC);
}

/* The leader and so many others, drawn at random, die at once. Gives how many
 * terms it took until all was well. */
static uint64_t
terms_of_deaths(struct world *w, struct random *random, unsigned deaths)
{
	uint64_t before = world_status(w, MANY).term;

	world_crash(w, MANY);
	while (--deaths > 0) {
		process_name name;

		do
			name = (process_name)random_between(random, 2, MANY);
		while (!world_runs(w, name));
		world_crash(w, name);
	}
	settle_briefly(w);
	return world_status(w, 1).term - before;
}

/* One world has several bursts of deaths; after each all return. */
static void
add_terms(const struct world_setup *setup, uint64_t seed, uint64_t *sums)
{
	struct world_setup s = *setup;
	struct random random;
	struct world *w;

	s.nodes = MANY;
	s.seed = seed;
	w = world_with(s);
	random_init(&random, seed);
	for (unsigned deaths = DEATHS_MIN; deaths <= DEATHS_MAX; deaths++) {
		world_start_all(w);
		world_settle(w); /* until all are undamped again */
		sums[deaths] += terms_of_deaths(w, &random, deaths);
	}
	world_end(w);
}

static void
deaths_at_once_cost_few_terms(const struct world_setup *setup)
{
	const char *text = getenv("SEEDS");
	uint64_t seeds =
	    text == NULL ? often(SEEDS_DEFAULT) : strtoull(text, NULL, 10);
	uint64_t sums[DEATHS_MAX + 1] = { 0 };

	for (uint64_t seed = 1; seed <= seeds; seed++)
		add_terms(setup, seed, sums);
	for (unsigned deaths = DEATHS_MIN; deaths <= DEATHS_MAX; deaths++) {
		print_message("%s: %u deaths cost %.2f terms on average\n",
		    setup->algorithm->name, deaths,
		    (double)sums[deaths] / (double)seeds);
		assert_in_range(sums[deaths], seeds, TERMS_MAX * seeds);
	}
}

TEST(deaths_at_once_among_all_cost_few_terms)
{
	deaths_at_once_cost_few_terms(
	    &(const struct world_setup){ .algorithm = &algorithm_bully });
}

TEST(deaths_at_once_in_a_ring_cost_few_terms)
{
	deaths_at_once_cost_few_terms(&(const struct world_setup){
	    .algorithm = &algorithm_chang_roberts, .topology = TOPOLOGY_RING });
}
