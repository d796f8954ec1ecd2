/* SPDX-License-Identifier: ISC */
/*
 * The topology tree on graphs with cycles: whole nodes find a tree, elect on it
 * at the cost of a tree, and find another one when its nodes or links fail. The
 * world checks after each step that no node is its own ancestor.
 * Takes 10 s.
 */
#include "tests/lib/often.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/model/world/assert/world_assert.h"

#define NODES 16
#define LINKS (3 * NODES)

/* Starts all nodes of a random graph. */
static struct world *
begin(const struct algorithm *algorithm, uint64_t seed)
{
	struct world_link links[LINKS];
	struct world_setup setup = {
		.nodes = NODES,
		.seed = seed,
		.algorithm = algorithm,
		.topology = TOPOLOGY_TREE,
		.links = links,
	};
	struct random r;
	struct world *w;

	random_init(&r, seed);
	for (node_id id = 2; id <= NODES; id++)
		links[setup.links_count++] =
		    (struct world_link){ (node_id)random_between(&r, 1, id - 1),
			    id };
	while (setup.links_count < LINKS) {
		node_id a = (node_id)random_between(&r, 1, NODES);
		node_id b = (node_id)random_between(&r, 1, NODES);

		if (a != b)
			links[setup.links_count++] =
			    (struct world_link){ a, b };
	}
	w = world_with(setup);
	world_begin(w);
	return w;
}

/* A node that runs, and is `is_root` or has children. */
static process_name
inner_node(struct world *w, bool is_root)
{
	for (process_name name = 1; name <= NODES; name++) {
		struct tree_place place;
		unsigned children = 0;

		if (!world_runs(w, name))
			continue;
		place = world_status(w, name).tree;
		for (unsigned i = 0; i < NODES - 1; i++)
			children += node_peer_status(w->processes[name].node, i)
					.tree_side == TREE_SIDE_CHILD;
		if (is_root ? place.parent == NODE_NONE
			    : place.parent != NODE_NONE && children > 0)
			return name;
	}
	return 0;
}

/* Each component has one tree: its root, and a level for each node. */
static void
assert_trees(struct world *w)
{
	unsigned roots = 0, seen = 0, components = 0;

	for (process_name name = 1; name <= NODES; name++) {
		struct tree_place place, parent;

		if (!world_runs(w, name))
			continue;
		place = world_status(w, name).tree;
		assert_true(place.has_tree);
		assert_false(place.is_forming);
		components += !(seen >> name & 1);
		seen |= world_neighbourhood(w, name);
		if (place.parent == NODE_NONE) {
			roots++;
			assert_int_equal(place.root, name);
			assert_int_equal(place.level, 0);
			continue;
		}
		parent = world_status(w, place.parent).tree;
		assert_int_equal(place.root, parent.root);
		assert_int_equal(place.level, parent.level + 1);
	}
	assert_int_equal(roots, components);
}

static unsigned
running(struct world *w)
{
	unsigned count = 0;

	for (process_name name = 1; name <= NODES; name++)
		count += world_runs(w, name);
	return count;
}

static uint64_t
messages_sent(struct world *w)
{
	uint64_t count = 0;

	for (process_name name = 1; name <= NODES; name++) {
		if (!world_runs(w, name))
			continue;
		for (unsigned k = 0; k < MESSAGE_KINDS_MAX; k++)
			count += world_counters(w, name)->messages[k];
	}
	return count;
}

/* All nodes that run are one component: an election costs what it does on a
 * tree of so many nodes. */
static void
assert_elects(struct world *w)
{
	uint64_t before = messages_sent(w);
	unsigned n = running(w);
	process_name best = NODES;

	while (!world_runs(w, best))
		best--;
	world_elect(w, inner_node(w, true));
	assert_settles_on(w, best);
	assert_int_equal(messages_sent(w) - before, 4 * n - 4);
}

TEST(tree_is_found_and_costs_what_trees_do)
{
	for (uint64_t seed = 1; seed <= often(20); seed++) {
		struct world *w = begin(&algorithm_tree, seed);

		assert_leader(w, NODES);
		assert_trees(w);
		assert_elects(w);
		world_end(w);
	}
}

/* Five times an inner node or the root is killed, and comes back. */
TEST(tree_outlives_its_inner_nodes_and_its_root)
{
	for (uint64_t seed = 1; seed <= often(20); seed++) {
		struct world *w = begin(&algorithm_tree, seed);

		for (unsigned i = 0; i < 5; i++) {
			process_name victim = inner_node(w, i % 2 == 0);

			w->helpers = i < 3;
			world_crash(w, victim);
			world_settle(w);
			assert_trees(w);
			if (i % 2 == 0)
				world_start(w, victim);
			world_settle(w);
			assert_trees(w);
		}
		world_begin(w);
		assert_trees(w);
		assert_elects(w);
		world_end(w);
	}
}

TEST(each_part_of_a_network_has_its_tree)
{
	for (uint64_t seed = 1; seed <= often(20); seed++) {
		struct world *w = begin(&algorithm_tree_echo, seed);

		for (process_name a = 1; a <= NODES / 2; a++) {
			for (process_name b = NODES / 2 + 1; b <= NODES; b++)
				world_cut(w, a, b);
		}
		world_settle(w);
		assert_trees(w);
		world_heal(w);
		world_settle(w);
		assert_trees(w);
		assert_leader(w, NODES);
		world_end(w);
	}
}

static uint64_t
changes_seen(struct world *w)
{
	uint64_t count = 0;

	for (process_name name = 1; name <= NODES; name++) {
		if (world_runs(w, name))
			count += world_counters(w, name)->changes;
	}
	return count;
}

#define RUNS 400

/* The leader dies, and the root with it or before, while every fifth
 * datagram is lost. That costs few terms. In hardly any run does a part of
 * the tree take a leader that the others do not have. */
TEST(death_of_leader_and_root_costs_few_terms)
{
	uint64_t terms = 0, split = 0;
	unsigned seeds = often(RUNS);
	const struct wire lossy = {
		.loss = 200, .delay_min = MSEC / 10, .delay_max = MSEC
	};

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct world *w = begin(&algorithm_tree, seed);
		uint64_t before, changes;

		if (seed % 2 == 0) {
			world_crash(w, inner_node(w, true));
			world_settle(w);
		}
		before = world_status(w, inner_node(w, true)).term;
		w->helpers = seed % 4 < 2;
		world_weather(w, &lossy);
		world_crash(w, NODES);
		changes = changes_seen(w);
		world_settle(w);
		changes = changes_seen(w) - changes;
		split += changes > running(w);
		terms += world_status(w, inner_node(w, true)).term - before;
		world_end(w);
		/* A few runs may have more than their share. */
		if (seed == seeds && split > seeds / 50)
			seeds = RUNS;
	}
	print_message("%.2f terms on average, %.3f of the runs split\n",
	    (double)terms / seeds, (double)split / seeds);
	assert_in_range(terms, seeds, 2 * seeds);
	assert_in_range(split, 0, seeds / 50);
}
