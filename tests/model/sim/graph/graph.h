/* SPDX-License-Identifier: ISC */
/*
 * The graph of a simulated election. Nodes have positions from 0. Each node has
 * links, numbered as in its view. Every edge is two links, one at each end;
 * those of a ring are RING_RIGHT and RING_LEFT.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_GRAPH_GRAPH_H
#define ELECTD_TESTS_MODEL_SIM_GRAPH_GRAPH_H

#include "common/election/algorithm.h"
#include "common/util/random.h"

#define GRAPH_NODES_MAX ((uint32_t)1 << 24)
#define GRAPH_EDGES_MAX ((uint64_t)UINT32_MAX / 2) /* 32 bits for links */

/* The end of a link: the other node, and the number of the link there. */
struct graph_end {
	uint32_t node;
	uint32_t link;
};

/*
 * Links of node i are ends[first[i]] to ends[first[i + 1] - 1]. `kind` says
 * which algorithms suit the graph.
 */
struct graph {
	enum topology kind;
	uint32_t nodes;
	uint64_t edges;
	uint64_t *first;        /* nodes + 1 of them; allocated */
	struct graph_end *ends; /* allocated */
};

struct graph_edge {
	uint32_t a;
	uint32_t b;
};

/*
 * Each makes a graph; false: there is no memory. graph_make() takes the edges
 * of any simple graph; the links of a node are in the order of the edges.
 */
bool graph_make(struct graph *g, enum topology kind, uint32_t nodes,
    const struct graph_edge *edges, uint64_t edges_count);
bool graph_make_ring(struct graph *g, uint32_t nodes);
bool graph_make_full(struct graph *g, uint32_t nodes);
bool graph_make_path(struct graph *g, uint32_t nodes);
bool graph_make_star(struct graph *g, uint32_t nodes);
bool graph_make_grid(struct graph *g, uint32_t width, uint32_t height);

/* Make a random tree (each node joins an earlier one, and positions are
 * shuffled), or a random connected graph with `edges` edges, nodes - 1 or more.
 */
bool graph_make_random_tree(struct graph *g, uint32_t nodes, struct random *r);
bool graph_make_random(
    struct graph *g, uint32_t nodes, uint64_t edges, struct random *r);

/*
 * Lists the edges in an order from which graph_make() makes the very same
 * graph, each node's links in their order. `edges` has space for g->edges.
 * False: there is no memory, or no such order, as for a ring.
 */
bool graph_list_edges(const struct graph *g, struct graph_edge *edges);

/* Frees it; a zeroed graph is allowed. */
void graph_free(struct graph *g);

bool graph_is_connected(const struct graph *g);

/* Gives the first node that cannot be reached from node 0; g->nodes if there is
 * none, 0 if there is no memory. */
uint32_t graph_unreached(const struct graph *g);

/* The longest of all shortest paths; 0 for one node. The graph is connected.
 * O(nodes * edges) at worst; regular graphs and trees take far less. */
uint32_t graph_diameter(const struct graph *g);

/* The same, but looks at about `links_max` links at most. False: that was not
 * enough, and the result is an upper bound. */
bool graph_diameter_within(
    const struct graph *g, uint64_t links_max, uint32_t *diameter);

/*
 * True if an algorithm that needs `wanted` can run on this graph: on a ring, a
 * complete graph, a graph that is a tree, or any connected graph.
 */
bool graph_suits(const struct graph *g, enum topology wanted);

#endif
