/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/explore/world.h"

#include <stdio.h>
#include <string.h>

#define EDGES_MAX (EXPLORE_LINKS_MAX / 2)

static uint64_t
power(uint64_t base, uint32_t exponent)
{
	uint64_t result = 1;

	while (exponent-- > 0)
		result *= base;
	return result;
}

static uint64_t
factorial(uint64_t number)
{
	uint64_t product = 1;

	for (; number > 1; number--)
		product *= number;
	return product;
}

static uint64_t
graphs_count(enum topology kind, uint32_t nodes)
{
	switch (kind) {
	case TOPOLOGY_FULL:
		return 1;
	case TOPOLOGY_RING:
		return factorial(nodes - 1);
	case TOPOLOGY_TREE:
		return nodes < 3 ? 1 : power(nodes, nodes - 2);
	case TOPOLOGY_GRAPH:
		return power(2, nodes * (nodes - 1) / 2);
	}
	return 0;
}

/* Where lots are drawn, every node is lucky in one world and not in another:
 * 2^nodes worlds to a graph. */
uint64_t
explore_worlds_count(enum topology kind, uint32_t nodes, bool with_lots)
{
	assert(nodes >= 1);
	assert(nodes <= EXPLORE_NODES_MAX);
	return graphs_count(kind, nodes) * (with_lots ? power(2, nodes) : 1);
}

/* The number's digits, with falling bases, choose one by one which of the
 * remaining ids comes next round the ring. */
static void
ring_ranks(struct rank *ranks, uint32_t nodes, uint64_t number)
{
	for (uint32_t i = 1; i < nodes; i++) {
		uint32_t left = nodes - i;
		uint32_t pick = i + (uint32_t)(number % left);
		node_id id = ranks[pick].id;

		number /= left;
		ranks[pick].id = ranks[i].id;
		ranks[i].id = id;
	}
}

/* Makes the tree of a Pruefer sequence: the number's digits to the base
 * `nodes`. */
static uint32_t
tree_edges(struct graph_edge *edges, uint32_t nodes, uint64_t number)
{
	uint32_t degree[EXPLORE_NODES_MAX], sequence[EXPLORE_NODES_MAX];
	uint32_t count = 0, last = nodes - 1;

	for (uint32_t i = 0; i < nodes; i++)
		degree[i] = 1;
	for (uint32_t i = 0; i + 2 < nodes; i++) {
		sequence[i] = (uint32_t)(number % nodes);
		degree[sequence[i]]++;
		number /= nodes;
	}
	for (uint32_t i = 0; i + 2 < nodes; i++) {
		uint32_t leaf = 0;

		while (degree[leaf] != 1)
			leaf++;
		edges[count++] = (struct graph_edge){ leaf, sequence[i] };
		degree[leaf] = 0;
		degree[sequence[i]]--;
	}
	/* Two nodes are left; the last node always is one of them. */
	for (uint32_t i = 0; i < last; i++) {
		if (degree[i] == 1)
			edges[count++] = (struct graph_edge){ i, last };
	}
	return count;
}

/* Each bit of the number stands for one of all possible edges. */
static uint32_t
graph_edges(struct graph_edge *edges, uint32_t nodes, uint64_t number)
{
	uint32_t count = 0;

	for (uint32_t b = 1; b < nodes; b++) {
		for (uint32_t a = 0; a < b; a++, number >>= 1) {
			if ((number & 1) != 0)
				edges[count++] = (struct graph_edge){ a, b };
		}
	}
	return count;
}

static bool
world_make_graph(
    struct graph *g, enum topology kind, uint32_t nodes, uint64_t number)
{
	struct graph_edge edges[EDGES_MAX];
	uint32_t count;

	switch (kind) {
	case TOPOLOGY_FULL:
		return graph_make_full(g, nodes);
	case TOPOLOGY_RING:
		return graph_make_ring(g, nodes);
	case TOPOLOGY_TREE:
		count = tree_edges(edges, nodes, number);
		return graph_make(g, kind, nodes, edges, count);
	case TOPOLOGY_GRAPH:
		count = graph_edges(edges, nodes, number);
		return graph_make(g, kind, nodes, edges, count);
	}
	return false;
}

/*
 * Gives the seed of a node with this luck: one whose first draw is even
 * or odd, and small or large, with its luck, however a coin is made of it.
 */
static uint64_t
seed_of(bool luck)
{
	for (uint64_t seed = 1;; seed++) {
		struct random r;
		uint64_t draw;

		random_init(&r, seed);
		draw = random_next(&r);
		if ((draw & 1) == luck && draw >> 63 == luck)
			return seed;
	}
}

bool
explore_world_make(struct explore_world *world, enum topology kind,
    uint32_t nodes, bool with_lots, uint64_t number, bool *exists)
{
	uint64_t graphs = graphs_count(kind, nodes);

	assert(number < explore_worlds_count(kind, nodes, with_lots));
	*world = (struct explore_world){ 0 };
	for (uint32_t i = 0; i < nodes; i++) {
		world->ranks[i].is_eligible = true;
		world->ranks[i].id = i + 1;
		world->seeds[i] = seed_of((number / graphs >> i & 1) != 0);
	}
	if (!world_make_graph(&world->graph, kind, nodes, number % graphs))
		return false;
	if (kind == TOPOLOGY_RING)
		ring_ranks(world->ranks, nodes, number % graphs);
	*exists = graph_is_connected(&world->graph);
	if (!*exists)
		explore_world_free(world);
	return true;
}

uint64_t
explore_orders_count(const struct explore_world *world)
{
	const struct graph *g = &world->graph;
	uint64_t count = 1;

	if (g->kind == TOPOLOGY_RING)
		return 1;
	for (uint32_t node = 0; node < g->nodes; node++)
		count *= factorial(g->first[node + 1] - g->first[node]);
	return count;
}

/* Puts a node's links into the order of this number, and updates their other
 * ends. */
static void
order_links(struct graph *g, uint32_t node, uint64_t number)
{
	struct graph_end *links = &g->ends[g->first[node]];
	uint32_t count = (uint32_t)(g->first[node + 1] - g->first[node]);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t pick = i + (uint32_t)(number % (count - i));
		struct graph_end link = links[pick];

		number /= count - i;
		links[pick] = links[i];
		links[i] = link;
	}
	for (uint32_t i = 0; i < count; i++)
		g->ends[g->first[links[i].node] + links[i].link].link = i;
}

void
explore_world_order(struct explore_world *world, uint64_t number)
{
	struct graph *g = &world->graph;

	assert(number < explore_orders_count(world));
	for (uint32_t node = 0; node < g->nodes && number > 0; node++) {
		uint64_t orders =
		    factorial(g->first[node + 1] - g->first[node]);

		order_links(g, node, number % orders);
		number /= orders;
	}
}

void
explore_world_free(struct explore_world *world)
{
	graph_free(&world->graph);
	*world = (struct explore_world){ 0 };
}

/* Appends to a text that has used `used` of its `size` bytes; gives the number
 * used then, at most size - 1. */
static size_t
append(char *text, size_t size, size_t used, const char *before, node_id id)
{
	int length = snprintf(
	    text + used, size - used, "%s%lu", before, (unsigned long)id);

	assert(length >= 0);
	return (size_t)length < size - used ? used + (size_t)length : size - 1;
}

static void
edges_text(const struct explore_world *world, char *text, size_t size)
{
	const struct graph *g = &world->graph;
	size_t used = strlen(text);

	for (uint32_t node = 0; node < g->nodes; node++) {
		for (uint64_t i = g->first[node]; i < g->first[node + 1]; i++) {
			uint32_t other = g->ends[i].node;

			if (other < node)
				continue;
			used = append(
			    text, size, used, " ", world->ranks[node].id);
			used = append(
			    text, size, used, "-", world->ranks[other].id);
		}
	}
}

static void
ranks_text(const struct explore_world *world, char *text, size_t size)
{
	size_t used = strlen(text);

	for (uint32_t i = 0; i < world->graph.nodes; i++)
		used = append(text, size, used, " ", world->ranks[i].id);
}

static void
abstaining_text(const struct explore_world *world, char *text, size_t size)
{
	const char *before = "; abstaining: ";
	size_t used = strlen(text);

	for (uint32_t i = 0; i < world->graph.nodes; i++) {
		if (world->ranks[i].is_eligible)
			continue;
		used = append(text, size, used, before, world->ranks[i].id);
		before = " ";
	}
}

char *
explore_world_text(const struct explore_world *world, char *text, size_t size)
{
	static const char *const names[] = {
		[TOPOLOGY_FULL] = "complete graph",
		[TOPOLOGY_RING] = "ring, to the right",
		[TOPOLOGY_TREE] = "tree",
		[TOPOLOGY_GRAPH] = "graph",
	};
	enum topology kind = world->graph.kind;
	bool has_edges = kind == TOPOLOGY_TREE || kind == TOPOLOGY_GRAPH;

	assert(size > 0);
	snprintf(text, size, "%s:", names[kind]);
	if (has_edges && world->graph.nodes > 1)
		edges_text(world, text, size);
	else
		ranks_text(world, text, size);
	abstaining_text(world, text, size);
	return text;
}
