/* SPDX-License-Identifier: ISC */
/* The graph of a scenario: from --topology, --nodes and --links. */
#include "tests/model/sim/run/scenario.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/sim/arguments.h"

enum shape {
	SCENARIO_RING,
	SCENARIO_FULL,
	SCENARIO_PATH,
	SCENARIO_STAR,
	SCENARIO_TREE,
	SCENARIO_GRAPH,
};

/* A topology from the options. */
struct graph_spec {
	enum shape shape;
	uint64_t width; /* of a grid, else 0 */
	uint64_t height;
	uint64_t edges;           /* of a random graph; 0: not given */
	struct graph_edge *links; /* allocated; NULL: not given */
	uint64_t links_count;
};

static const char *const topology_names[] = {
	[TOPOLOGY_FULL] = "full",
	[TOPOLOGY_RING] = "ring",
	[TOPOLOGY_TREE] = "tree",
	[TOPOLOGY_GRAPH] = "graph",
};

/* Reads "7x5" or "12": one or two numbers of at least 1, with `between` between
 * them. */
static bool
read_sizes(const char *text, char between, uint64_t *first, uint64_t *second)
{
	char copy[64];
	char *middle;
	size_t size = strlen(text) + 1;

	if (size > sizeof(copy))
		return false;
	memcpy(copy, text, size);
	middle = strchr(copy, between);
	if (middle == NULL)
		return false;
	*middle = '\0';
	return argument_number(copy, 1, UINT32_MAX, first) &&
	       argument_number(middle + 1, 1, UINT32_MAX, second);
}

static bool
spec_read_topology(struct graph_spec *spec, const char *text)
{
	static const char *const shapes[] = {
		[SCENARIO_RING] = "ring",
		[SCENARIO_FULL] = "full",
		[SCENARIO_PATH] = "path",
		[SCENARIO_STAR] = "star",
		[SCENARIO_TREE] = "tree",
		[SCENARIO_GRAPH] = "graph",
		NULL,
	};
	unsigned shape = SCENARIO_GRAPH;

	if (!argument_word(text, shapes, &shape) &&
	    !(strncmp(text, "grid:", 5) == 0 &&
		read_sizes(text + 5, 'x', &spec->width, &spec->height)) &&
	    !(strncmp(text, "random:", 7) == 0 &&
		argument_number(text + 7, 1, UINT32_MAX, &spec->edges))) {
		argument_complain(
		    "--topology is ring, full, path, star, tree, graph, grid:WxH or random:E, not \"%s\"",
		    text);
		return false;
	}
	spec->shape = (enum shape)shape;
	return true;
}

/* Reads "0-1", up to a comma or the end, to which *text then points. */
static bool
read_link(const char **text, struct graph_edge *edge)
{
	char *end;
	unsigned long a, b;

	if (**text < '0' || **text > '9')
		return false;
	a = strtoul(*text, &end, 10);
	if (*end != '-' || end[1] < '0' || end[1] > '9')
		return false;
	b = strtoul(end + 1, &end, 10);
	*text = end;
	*edge = (struct graph_edge){ .a = (uint32_t)a, .b = (uint32_t)b };
	return a > 0 && b > 0 && a <= NODE_ID_MAX && b <= NODE_ID_MAX &&
	       a != b && (*end == ',' || *end == '\0');
}

/* Orders pairs, to find any that occurs twice. A pair is one number, with its
 * lesser end first. */
static int
link_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool
links_are_distinct(const struct graph_edge *links, uint64_t count)
{
	uint64_t *pairs = malloc(count * sizeof(*pairs));
	bool distinct = pairs != NULL;

	for (uint64_t i = 0; pairs != NULL && i < count; i++) {
		uint32_t a = links[i].a, b = links[i].b;

		pairs[i] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
	}
	if (pairs != NULL)
		qsort(pairs, count, sizeof(*pairs), link_compare);
	for (uint64_t i = 1; distinct && i < count; i++)
		distinct = pairs[i] != pairs[i - 1];
	free(pairs);
	return distinct;
}

static bool
spec_read_links(struct graph_spec *spec, const char *text)
{
	const char *at = text;
	uint64_t most = 1;

	for (const char *c = text; *c != '\0'; c++)
		most += *c == ',';
	spec->links = malloc(most * sizeof(*spec->links));
	for (uint64_t *n = &spec->links_count; spec->links != NULL; at++) {
		if (!read_link(&at, &spec->links[(*n)++]))
			break;
		if (*at != '\0')
			continue;
		if (links_are_distinct(spec->links, *n))
			return true;
		break;
	}
	argument_complain(
	    "--links are pairs of ids, each pair once, as 1-2,2-3; not \"%s\"",
	    text);
	return false;
}

/* Without --topology the algorithm or --links decides. */
static bool
spec_read(struct graph_spec *spec, const struct scenario_options *options,
    enum topology needed)
{
	const char *topology = options->topology;

	if (topology == NULL && options->links != NULL &&
	    needed != TOPOLOGY_TREE)
		topology = "graph";
	if (topology == NULL)
		topology = topology_names[needed];
	if (!spec_read_topology(spec, topology))
		return false;
	if (options->links == NULL)
		return true;
	if (spec->width != 0 || spec->edges != 0 ||
	    (spec->shape != SCENARIO_TREE && spec->shape != SCENARIO_GRAPH)) {
		argument_complain(
		    "--links goes with --topology tree or graph, not %s",
		    topology);
		return false;
	}
	return spec_read_links(spec, options->links);
}

/* Gives how many nodes the other options name; 0: they do not say. */
static uint64_t
nodes_meant(
    const struct graph_spec *spec, const struct scenario_options *options)
{
	uint64_t nodes = 0;

	if (spec->width != 0)
		return spec->width * spec->height;
	if (options->ids != NULL && strchr(options->ids, ',') != NULL) {
		nodes = 1;
		for (const char *c = options->ids; *c != '\0'; c++)
			nodes += *c == ',';
		return nodes;
	}
	for (uint64_t i = 0; i < spec->links_count; i++) {
		const struct graph_edge *link = &spec->links[i];
		uint64_t last = link->a > link->b ? link->a : link->b;

		nodes = last > nodes ? last : nodes;
	}
	return nodes;
}

/* Gives 0, after a complaint, if the options disagree. */
static uint32_t
nodes_settle(
    const struct graph_spec *spec, const struct scenario_options *options)
{
	uint64_t meant = nodes_meant(spec, options);
	uint64_t nodes = options->nodes != 0 ? options->nodes : meant;

	if (nodes == 0)
		nodes = SCENARIO_NODES;
	if (nodes > GRAPH_NODES_MAX) {
		argument_complain("%" PRIu64 " nodes are more than %" PRIu32,
		    nodes, GRAPH_NODES_MAX);
		return 0;
	}
	if (spec->width != 0 && nodes != meant) {
		argument_complain("a grid of %" PRIu64 " by %" PRIu64
				  " has %" PRIu64 " nodes, not %" PRIu64,
		    spec->width, spec->height, meant, nodes);
		return 0;
	}
	return (uint32_t)nodes;
}

/* Makes the ids, and positions of those of the links. */
static int
links_place(struct graph_spec *spec, struct scenario *s, uint32_t nodes,
    const char *ids, struct random *random)
{
	int code = scenario_make_ids(s, nodes, ids, random);

	for (uint64_t i = 0; code == COMMAND_YES && i < spec->links_count;
	     i++) {
		struct graph_edge *link = &spec->links[i];
		const struct graph_edge named = *link;

		if (scenario_find(s, nodes, named.a, &link->a) &&
		    scenario_find(s, nodes, named.b, &link->b))
			continue;
		argument_complain("link %" PRIu32 "-%" PRIu32
				  ": one of them is the id of no node",
		    named.a, named.b);
		code = COMMAND_USAGE;
	}
	return code;
}

/* Gives a random graph's edges: twice the number of nodes, if there are as
 * many. */
static bool
edges_settle(struct graph_spec *spec, uint64_t nodes)
{
	uint64_t most = nodes * (nodes - 1) / 2;

	if (spec->edges == 0)
		spec->edges = 2 * nodes < most ? 2 * nodes : most;
	if (spec->edges >= nodes - 1 && spec->edges <= most)
		return true;
	argument_complain("a connected graph of %" PRIu64
			  " nodes has from %" PRIu64 " to %" PRIu64
			  " edges, not %" PRIu64,
	    nodes, nodes - 1, most, spec->edges);
	return false;
}

static bool
graph_build(struct graph *g, const struct graph_spec *spec, uint32_t nodes,
    struct random *random)
{
	if (spec->links != NULL)
		return graph_make(g,
		    spec->shape == SCENARIO_TREE ? TOPOLOGY_TREE
						 : TOPOLOGY_GRAPH,
		    nodes, spec->links, spec->links_count);
	if (spec->width != 0)
		return graph_make_grid(
		    g, (uint32_t)spec->width, (uint32_t)spec->height);
	switch (spec->shape) {
	case SCENARIO_RING:
		return graph_make_ring(g, nodes);
	case SCENARIO_FULL:
		return graph_make_full(g, nodes);
	case SCENARIO_PATH:
		return graph_make_path(g, nodes);
	case SCENARIO_STAR:
		return graph_make_star(g, nodes);
	case SCENARIO_TREE:
		return graph_make_random_tree(g, nodes, random);
	case SCENARIO_GRAPH:
		return graph_make_random(g, nodes, spec->edges, random);
	}
	return false;
}

static uint64_t
spec_edges(const struct graph_spec *spec, uint64_t nodes)
{
	if (spec->links != NULL)
		return spec->links_count;
	if (spec->width != 0)
		return 2 * nodes - spec->width - spec->height;
	if (spec->shape == SCENARIO_FULL)
		return nodes * (nodes - 1) / 2;
	if (spec->shape == SCENARIO_GRAPH)
		return spec->edges;
	return spec->shape == SCENARIO_RING ? nodes : nodes - 1;
}

/* Makes the graph, if such a size is possible. */
static int
spec_make(struct graph_spec *spec, struct scenario *s, uint32_t nodes,
    struct random *random)
{
	uint64_t edges = spec_edges(spec, nodes);

	if (edges > GRAPH_EDGES_MAX) {
		argument_complain("%" PRIu32 " nodes would have %" PRIu64
				  " links here; up to %" PRIu64
				  " are possible: --nodes gives fewer nodes",
		    nodes, edges, GRAPH_EDGES_MAX);
		return COMMAND_REFUSED;
	}
	if (graph_build(&s->graph, spec, nodes, random))
		return COMMAND_YES;
	argument_complain("no memory for %" PRIu32 " nodes and %" PRIu64
			  " links",
	    nodes, edges);
	return COMMAND_FAILED;
}

/* True if the given links join all nodes, and form a tree where that is needed.
 */
static bool
links_fit(const struct graph_spec *spec, const struct scenario *s)
{
	const struct graph *g = &s->graph;
	uint32_t unreached = graph_unreached(g);

	if (unreached < g->nodes) {
		argument_complain("--links leave node %" PRIu32
				  " unconnected: no way leads from %" PRIu32
				  " to it",
		    s->ranks[unreached].id, s->ranks[0].id);
		return false;
	}
	if (spec->shape == SCENARIO_TREE && g->edges + 1 != g->nodes) {
		argument_complain("--links are no tree: %" PRIu32
				  " nodes need %" PRIu32 " links",
		    g->nodes, g->nodes - 1);
		return false;
	}
	return true;
}

static int
spec_build(struct graph_spec *spec, struct scenario *s,
    const struct scenario_options *options, struct random *random)
{
	uint32_t nodes = nodes_settle(spec, options);
	int code;

	if (nodes == 0)
		return COMMAND_USAGE;
	if (spec->shape == SCENARIO_GRAPH && spec->width == 0 &&
	    spec->links == NULL && !edges_settle(spec, nodes))
		return COMMAND_USAGE;
	s->is_random =
	    spec->links == NULL && spec->width == 0 &&
	    (spec->shape == SCENARIO_TREE || spec->shape == SCENARIO_GRAPH);
	code = spec->links == NULL
		   ? COMMAND_YES
		   : links_place(spec, s, nodes, options->ids, random);
	if (code == COMMAND_YES)
		code = spec_make(spec, s, nodes, random);
	if (code == COMMAND_YES && spec->links != NULL && !links_fit(spec, s))
		code = COMMAND_USAGE;
	return code;
}

int
scenario_make_graph(struct scenario *s, const struct scenario_options *options,
    struct random *random)
{
	struct graph_spec spec = { 0 };
	int code = COMMAND_USAGE;

	if (spec_read(&spec, options, s->setup.algorithm->topology))
		code = spec_build(&spec, s, options, random);
	free(spec.links);
	return code;
}
