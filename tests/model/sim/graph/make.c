/* SPDX-License-Identifier: ISC */
/* The shapes of graphs: regular ones, and random ones drawn from a seed. */
#include "tests/model/sim/graph/private.h"

#include <stdlib.h>

bool
graph_make_ring(struct graph *g, uint32_t nodes)
{
	if (!graph_allocate(g, TOPOLOGY_RING, nodes, nodes == 1 ? 0 : nodes))
		return false;
	for (uint32_t i = 0; i < nodes && nodes > 1; i++) {
		uint32_t right = i + 1 < nodes ? i + 1 : 0;

		g->first[i + 1] = (uint64_t)RING_LINKS * (i + 1);
		g->ends[RING_LINKS * (uint64_t)i + RING_RIGHT] =
		    (struct graph_end){ .node = right, .link = RING_LEFT };
		g->ends[RING_LINKS * (uint64_t)right + RING_LEFT] =
		    (struct graph_end){ .node = i, .link = RING_RIGHT };
	}
	return true;
}

/* Links of a node lead to all others in order of position. */
bool
graph_make_full(struct graph *g, uint32_t nodes)
{
	uint64_t others = nodes - 1;
	struct graph_end *end;

	if (!graph_allocate(g, TOPOLOGY_FULL, nodes, nodes * others / 2))
		return false;
	end = g->ends;
	for (uint32_t i = 0; i < nodes; i++) {
		g->first[i + 1] = others * (i + 1);
		for (uint32_t j = 0; j < nodes; j++) {
			if (j != i)
				*end++ = (struct graph_end){
					.node = j,
					.link = i < j ? i : i - 1,
				};
		}
	}
	return true;
}

static struct graph_edge *
edges_allocate(uint64_t count)
{
	return malloc((count > 0 ? count : 1) * sizeof(struct graph_edge));
}

/* Makes the graph and frees the edges; `edges` may be NULL, for lack of memory.
 */
static bool
graph_make_of(struct graph *g, enum topology kind, uint32_t nodes,
    struct graph_edge *edges, uint64_t count)
{
	bool made = false;

	*g = (struct graph){ 0 };
	if (edges != NULL)
		made = graph_make(g, kind, nodes, edges, count);
	free(edges);
	return made;
}

bool
graph_make_path(struct graph *g, uint32_t nodes)
{
	struct graph_edge *edges = edges_allocate(nodes - 1);

	for (uint32_t i = 0; edges != NULL && i + 1 < nodes; i++)
		edges[i] = (struct graph_edge){ .a = i, .b = i + 1 };
	return graph_make_of(g, TOPOLOGY_TREE, nodes, edges, nodes - 1);
}

/* Position 0 is the middle. */
bool
graph_make_star(struct graph *g, uint32_t nodes)
{
	struct graph_edge *edges = edges_allocate(nodes - 1);

	for (uint32_t i = 0; edges != NULL && i + 1 < nodes; i++)
		edges[i] = (struct graph_edge){ .a = 0, .b = i + 1 };
	return graph_make_of(g, TOPOLOGY_TREE, nodes, edges, nodes - 1);
}

/* Goes row by row; a single row or column is a path, and so a tree. */
bool
graph_make_grid(struct graph *g, uint32_t width, uint32_t height)
{
	uint64_t nodes = (uint64_t)width * height;
	uint64_t count = 2 * nodes - width - height, i = 0;
	struct graph_edge *edges = edges_allocate(count);

	assert(nodes > 0 && nodes <= GRAPH_NODES_MAX);
	for (uint32_t at = 0; edges != NULL && at < nodes; at++) {
		if (at % width + 1 < width)
			edges[i++] = (struct graph_edge){ at, at + 1 };
		if (at / width + 1 < height)
			edges[i++] = (struct graph_edge){ at, at + width };
	}
	return graph_make_of(g,
	    width == 1 || height == 1 ? TOPOLOGY_TREE : TOPOLOGY_GRAPH,
	    (uint32_t)nodes, edges, count);
}

/* Gives the positions in a random order; NULL: there is no memory. */
static uint32_t *
positions_shuffle(uint32_t nodes, struct random *r)
{
	uint32_t *order = malloc(nodes * sizeof(*order));

	for (uint32_t i = 0; order != NULL && i < nodes; i++) {
		uint32_t j = (uint32_t)random_below(r, (uint64_t)i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	return order;
}

/* Makes the nodes - 1 edges of a tree: each node joins an earlier one. */
static bool
edges_draw_tree(struct graph_edge *edges, uint32_t nodes, struct random *r)
{
	uint32_t *order = positions_shuffle(nodes, r);

	for (uint32_t i = 1; order != NULL && i < nodes; i++)
		edges[i - 1] = (struct graph_edge){
			.a = order[random_below(r, i)],
			.b = order[i],
		};
	free(order);
	return order != NULL;
}

bool
graph_make_random_tree(struct graph *g, uint32_t nodes, struct random *r)
{
	struct graph_edge *edges = edges_allocate(nodes - 1);

	if (edges != NULL && !edges_draw_tree(edges, nodes, r)) {
		free(edges);
		edges = NULL;
	}
	return graph_make_of(g, TOPOLOGY_TREE, nodes, edges, nodes - 1);
}

/*
 * A set of pairs of nodes: a hash table with open addressing, at most half
 * full. A pair is a * 2^32 + b with a < b, so no pair is 0.
 */
struct pairs {
	uint64_t *slots;
	uint64_t mask;
};

static bool
pairs_init(struct pairs *pairs, uint64_t count)
{
	uint64_t size = 16;

	while (size < 2 * count)
		size *= 2;
	pairs->mask = size - 1;
	pairs->slots = calloc(size, sizeof(*pairs->slots));
	return pairs->slots != NULL;
}

/* Adds a pair; false if the set has it already. */
static bool
pairs_add(struct pairs *pairs, const struct graph_edge *edge)
{
	bool is_sorted = edge->a < edge->b;
	uint64_t low = is_sorted ? edge->a : edge->b;
	uint64_t high = is_sorted ? edge->b : edge->a;
	uint64_t pair = low << 32 | high;
	uint64_t i = pair * UINT64_C(0x9e3779b97f4a7c15) >> 20;

	for (i &= pairs->mask; pairs->slots[i] != 0;
	     i = (i + 1) & pairs->mask) {
		if (pairs->slots[i] == pair)
			return false;
	}
	pairs->slots[i] = pair;
	return true;
}

/* Makes a random tree, and then joins any pairs that are not joined yet. */
static bool
edges_draw(
    struct graph_edge *edges, uint32_t nodes, uint64_t count, struct random *r)
{
	struct pairs pairs;
	uint64_t drawn = 0;

	if (!edges_draw_tree(edges, nodes, r) || !pairs_init(&pairs, count))
		return false;
	while (drawn + 1 < nodes)
		pairs_add(&pairs, &edges[drawn++]);
	while (drawn < count) {
		uint32_t a = (uint32_t)random_below(r, nodes);
		uint32_t b = (uint32_t)random_below(r, nodes);

		edges[drawn] = (struct graph_edge){ .a = a, .b = b };
		if (a != b && pairs_add(&pairs, &edges[drawn]))
			drawn++;
	}
	free(pairs.slots);
	return true;
}

bool
graph_make_random(
    struct graph *g, uint32_t nodes, uint64_t edges_count, struct random *r)
{
	uint64_t n = nodes;
	struct graph_edge *edges = edges_allocate(edges_count);

	assert(edges_count >= n - 1 && edges_count <= n * (n - 1) / 2);
	if (edges != NULL && !edges_draw(edges, nodes, edges_count, r)) {
		free(edges);
		edges = NULL;
	}
	return graph_make_of(g, TOPOLOGY_GRAPH, nodes, edges, edges_count);
}
