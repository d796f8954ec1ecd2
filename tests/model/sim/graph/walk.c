/* SPDX-License-Identifier: ISC */
/* Distances in a graph: whether it is connected, and its diameter. */
#include "tests/model/sim/graph/graph.h"

#include <stdlib.h>

#define FAR UINT32_MAX

/* One breadth-first walk: its memory and its results. */
struct walk {
	uint32_t *distance; /* from the first node; FAR: not reached */
	uint32_t *order;    /* the nodes reached, the nearest first */
	uint32_t reached;
};

static bool
walk_init(struct walk *w, uint32_t nodes)
{
	w->distance = malloc(nodes * sizeof(*w->distance));
	w->order = malloc(nodes * sizeof(*w->order));
	return w->distance != NULL && w->order != NULL;
}

static void
walk_free(struct walk *w)
{
	free(w->distance);
	free(w->order);
}

/* Walks all of it; gives the distance of the farthest node. */
static uint32_t
walk_from(struct walk *w, const struct graph *g, uint32_t begin)
{
	for (uint32_t i = 0; i < g->nodes; i++)
		w->distance[i] = FAR;
	w->distance[begin] = 0;
	w->order[0] = begin;
	w->reached = 1;
	for (uint32_t i = 0; i < w->reached; i++) {
		uint32_t at = w->order[i];

		for (uint64_t e = g->first[at]; e < g->first[at + 1]; e++) {
			uint32_t to = g->ends[e].node;

			if (w->distance[to] != FAR)
				continue;
			w->distance[to] = w->distance[at] + 1;
			w->order[w->reached++] = to;
		}
	}
	return w->distance[w->order[w->reached - 1]];
}

uint32_t
graph_unreached(const struct graph *g)
{
	struct walk w;
	uint32_t node = 0;

	if (walk_init(&w, g->nodes)) {
		walk_from(&w, g, 0);
		while (node < g->nodes && w.distance[node] != FAR)
			node++;
	}
	walk_free(&w);
	return node;
}

bool
graph_is_connected(const struct graph *g)
{
	return graph_unreached(g) == g->nodes;
}

/*
 * The bounds of each node's eccentricity, its distance to the farthest. Every
 * walk narrows them for all; most graphs need few walks. F. W. Takes and W. A.
 * Kosters, "Determining the diameter of small world networks", 2011.
 */
struct bounds {
	uint32_t *low;
	uint32_t *high;
	uint32_t low_max;  /* the diameter is at least this */
	uint32_t high_max; /* and at most this */
};

static uint32_t
larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void
bounds_narrow(struct bounds *b, const struct walk *w, uint32_t nodes,
    uint32_t eccentricity)
{
	b->high_max = 0;
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t d = w->distance[i];

		b->low[i] = larger(b->low[i], larger(d, eccentricity - d));
		if (b->high[i] > eccentricity + d)
			b->high[i] = eccentricity + d;
		b->low_max = larger(b->low_max, b->low[i]);
		b->high_max = larger(b->high_max, b->high[i]);
	}
}

/* Chooses where to walk from: a node that may be the farthest out, or one that
 * may be in the middle. */
static uint32_t
bounds_pick(const struct bounds *b, uint32_t nodes, bool is_wide)
{
	uint32_t pick = nodes;

	for (uint32_t i = 0; i < nodes; i++) {
		if (b->low[i] == b->high[i])
			continue;
		if (pick == nodes || (is_wide ? b->high[i] > b->high[pick]
					      : b->low[i] < b->low[pick]))
			pick = i;
	}
	return pick;
}

/* Walks until the bounds meet, or the limit of links is reached. */
static void
bounds_search(
    struct bounds *b, struct walk *w, const struct graph *g, uint64_t links_max)
{
	uint64_t links = 0;
	uint32_t from = 0;
	bool is_wide = true;

	for (uint32_t i = 0; i < g->nodes; i++)
		b->high[i] = FAR;
	for (;;) {
		bounds_narrow(b, w, g->nodes, walk_from(w, g, from));
		links += g->nodes + 2 * g->edges;
		if (b->low_max == b->high_max || links >= links_max)
			return;
		from = bounds_pick(b, g->nodes, is_wide);
		is_wide = !is_wide;
	}
}

bool
graph_diameter_within(
    const struct graph *g, uint64_t links_max, uint32_t *diameter)
{
	struct bounds b = { .high_max = g->nodes - 1 };
	struct walk w = { 0 };

	if (g->kind == TOPOLOGY_RING || g->nodes == 1) {
		*diameter = g->nodes / 2; /* of one: 0 */
		return true;
	}
	if (g->kind == TOPOLOGY_FULL) {
		*diameter = 1;
		return true;
	}
	b.low = calloc(g->nodes, sizeof(*b.low));
	b.high = malloc(g->nodes * sizeof(*b.high));
	if (walk_init(&w, g->nodes) && b.low != NULL && b.high != NULL)
		bounds_search(&b, &w, g, links_max);
	walk_free(&w);
	free(b.low);
	free(b.high);
	*diameter = b.high_max;
	return b.low_max == b.high_max;
}

uint32_t
graph_diameter(const struct graph *g)
{
	uint32_t diameter;

	graph_diameter_within(g, UINT64_MAX, &diameter);
	return diameter;
}
