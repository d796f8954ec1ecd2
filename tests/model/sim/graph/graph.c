/* SPDX-License-Identifier: ISC */
/* Graphs of a simulated election: from edges to links, and which algorithms
 * suit which graph. */
#include "tests/model/sim/graph/graph.h"

#include <stdlib.h>

#include "tests/model/sim/graph/private.h"

bool
graph_allocate(
    struct graph *g, enum topology kind, uint32_t nodes, uint64_t edges)
{
	assert(nodes > 0);
	*g = (struct graph){ .kind = kind, .nodes = nodes, .edges = edges };
	if (edges > GRAPH_EDGES_MAX)
		return false;
	g->first = calloc((size_t)nodes + 1, sizeof(*g->first));
	g->ends = malloc((edges > 0 ? 2 * edges : 1) * sizeof(*g->ends));
	if (g->first != NULL && g->ends != NULL)
		return true;
	graph_free(g);
	return false;
}

/* Adds both ends of an edge; `taken` counts the links of each node so far. */
static void
graph_join(struct graph *g, const struct graph_edge *edge, uint32_t *taken)
{
	uint32_t a = taken[edge->a]++;
	uint32_t b = taken[edge->b]++;

	g->ends[g->first[edge->a] + a] =
	    (struct graph_end){ .node = edge->b, .link = b };
	g->ends[g->first[edge->b] + b] =
	    (struct graph_end){ .node = edge->a, .link = a };
}

bool
graph_make(struct graph *g, enum topology kind, uint32_t nodes,
    const struct graph_edge *edges, uint64_t edges_count)
{
	uint32_t *taken;

	if (!graph_allocate(g, kind, nodes, edges_count))
		return false;
	taken = calloc(nodes, sizeof(*taken));
	if (taken == NULL) {
		graph_free(g);
		return false;
	}
	for (uint64_t i = 0; i < edges_count; i++) {
		assert(edges[i].a < nodes && edges[i].b < nodes);
		assert(edges[i].a != edges[i].b);
		g->first[edges[i].a + 1]++;
		g->first[edges[i].b + 1]++;
	}
	for (uint32_t i = 0; i < nodes; i++)
		g->first[i + 1] += g->first[i];
	for (uint64_t i = 0; i < edges_count; i++)
		graph_join(g, &edges[i], taken);
	free(taken);
	return true;
}

/* Gives the node's next edge, if it is the next at its other end as well. */
static bool
graph_next_edge(const struct graph *g, uint32_t *taken, uint32_t node,
    struct graph_edge *edge)
{
	const struct graph_end *to = &g->ends[g->first[node] + taken[node]];

	if (g->first[node] + taken[node] == g->first[node + 1] ||
	    taken[to->node] != to->link)
		return false;
	*edge = (struct graph_edge){ .a = node, .b = to->node };
	taken[node]++;
	taken[to->node]++;
	return true;
}

bool
graph_list_edges(const struct graph *g, struct graph_edge *edges)
{
	uint32_t *taken = calloc(g->nodes, sizeof(*taken));
	uint64_t count = 0, before;

	if (taken == NULL)
		return false;
	do {
		before = count;
		for (uint32_t i = 0; i < g->nodes; i++) {
			while (count < g->edges &&
			       graph_next_edge(g, taken, i, &edges[count]))
				count++;
		}
	} while (count > before);
	free(taken);
	return count == g->edges;
}

void
graph_free(struct graph *g)
{
	free(g->first);
	free(g->ends);
	*g = (struct graph){ 0 };
}

bool
graph_suits(const struct graph *g, enum topology wanted)
{
	uint64_t n = g->nodes;

	switch (wanted) {
	case TOPOLOGY_RING:
		return g->kind == TOPOLOGY_RING;
	case TOPOLOGY_FULL:
		/* A ring of two has its one edge twice. */
		return g->edges == n * (n - 1) / 2;
	case TOPOLOGY_TREE:
		return g->edges == n - 1 && graph_is_connected(g);
	case TOPOLOGY_GRAPH:
		return graph_is_connected(g);
	}
	return false;
}
