/* SPDX-License-Identifier: ISC */
#include "tests/lib/shapes.h"

#include "algorithms/registry.h"
#include "tests/model/world/drive/drive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SHAPES_MAX 64

static const char *const kinds[] = {
	[TOPOLOGY_FULL] = "full",
	[TOPOLOGY_RING] = "a ring",
	[TOPOLOGY_TREE] = "a tree",
	[TOPOLOGY_GRAPH] = "a graph",
};

static const node_id ring[SHAPE_NODES] = { 3, 7, 1, 8, 5, 2, 6, 4 };

/* Sorts the links, so that they rise with the ids at their ends, as in whole
 * nodes. */
static const struct world_link tree[] = { { 1, 4 }, { 2, 5 }, { 2, 7 },
	{ 3, 4 }, { 4, 5 }, { 5, 8 }, { 6, 8 } };
static const struct world_link graph[] = { { 1, 2 }, { 1, 4 }, { 2, 5 },
	{ 2, 7 }, { 3, 4 }, { 3, 6 }, { 4, 5 }, { 5, 8 }, { 6, 8 }, { 7, 8 } };

static struct shape shapes[SHAPES_MAX];
static size_t shapes_count;
static const struct shape *present; /* the shape that runs */

static void
shape_add(const struct algorithm *a, unsigned variant, enum topology kind)
{
	struct shape *l = &shapes[shapes_count++];
	const char *name = a->variants[0] != NULL ? a->variants[variant] : "";

	assert(shapes_count < SHAPES_MAX);
	*l = (struct shape){
		.setup = { .nodes = SHAPE_NODES,
		    .algorithm = a,
		    .topology = kind,
		    .order = kind == TOPOLOGY_RING ? ring : NULL,
		    .choices = { .variant = (uint8_t)variant } },
		.is_random = strcmp(name, "bidirectional") == 0,
	};
	if (a->choices & CHOICE_DIAMETER)
		l->setup.choices.diameter = SHAPE_NODES - 1;
	if (kind == TOPOLOGY_TREE) {
		l->setup.links = tree;
		l->setup.links_count = sizeof(tree) / sizeof(tree[0]);
	} else if (kind == TOPOLOGY_GRAPH) {
		l->setup.links = graph;
		l->setup.links_count = sizeof(graph) / sizeof(graph[0]);
	}
	snprintf(l->name, sizeof(l->name), "%s%s%s on %s", a->name,
	    name[0] != '\0' ? " " : "", name, kinds[kind]);
}

static void
shape_add_variants(const struct algorithm *a, enum topology kind)
{
	unsigned variant = 0;

	do
		shape_add(a, variant, kind);
	while (a->variants[variant] != NULL && a->variants[++variant] != NULL);
}

const struct shape *
shape_first(void)
{
	shapes_count = 0;
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		const struct algorithm *a = algorithms[i];

		for (unsigned kind = 0; kind <= TOPOLOGY_GRAPH; kind++) {
			if (a->topology == kind ||
			    a->topology == TOPOLOGY_GRAPH)
				shape_add_variants(a, kind);
		}
	}
	return &shapes[0];
}

const struct shape *
shape_next(const struct shape *last)
{
	size_t next = (size_t)(last - shapes) + 1;

	return next < shapes_count ? &shapes[next] : NULL;
}

static void
shape_fails_case(struct world *w, const char *why)
{
	fprintf(stderr, "%s:\n", present->name);
	world_fails_case(w, why);
}

struct world *
shape_world(const struct shape *shape)
{
	struct world_setup setup = shape->setup;

	present = shape;
	setup.seed = 1;
	setup.failed = shape_fails_case;
	return world_with(setup);
}

struct world *
shape_settled(const struct shape *shape)
{
	struct world *w = shape_world(shape);

	world_start_all(w);
	world_settle(w);
	return w;
}

/* Positions are ids less one; in a ring they follow its order. */
static void
shape_graph(const struct shape *shape, struct graph *g)
{
	struct graph_edge edges[SHAPE_NODES * SHAPE_NODES];
	const struct world_setup *s = &shape->setup;
	bool is_made;

	for (unsigned i = 0; i < s->links_count; i++)
		edges[i] =
		    (struct graph_edge){ s->links[i].a - 1, s->links[i].b - 1 };
	if (s->topology == TOPOLOGY_RING)
		is_made = graph_make_ring(g, s->nodes);
	else if (s->topology == TOPOLOGY_FULL)
		is_made = graph_make_full(g, s->nodes);
	else
		is_made =
		    graph_make(g, s->topology, s->nodes, edges, s->links_count);
	assert_true(is_made);
}

struct run_result
shape_run(const struct shape *shape, node_id starter, enum schedule schedule,
    uint64_t seed)
{
	const struct world_setup *s = &shape->setup;
	struct rank ranks[SHAPE_NODES];
	bool starters[SHAPE_NODES];
	struct run_result result = { 0 };
	struct graph g = { 0 };
	struct run_setup setup = {
		.algorithm = s->algorithm,
		.graph = &g,
		.ranks = ranks,
		.choices = s->choices,
		.starters = starters,
		.schedule = schedule,
		.check = true,
		.seed = seed,
	};

	for (unsigned i = 0; i < s->nodes; i++) {
		node_id id = s->order != NULL ? s->order[i] : i + 1;

		ranks[i] = (struct rank){ .is_eligible = true, .id = id };
		starters[i] = id == starter;
	}
	shape_graph(shape, &g);
	assert_true(run_election(&setup, &result));
	graph_free(&g);
	return result;
}

unsigned
shape_neighbours(const struct world *w, node_id id)
{
	node_id right[WORLD_NODES_MAX], left[WORLD_NODES_MAX];

	if (w->setup.topology != TOPOLOGY_RING)
		return w->shape.linked[id];
	world_side(w, id, RING_RIGHT, right);
	world_side(w, id, RING_LEFT, left);
	return 1u << right[0] | 1u << left[0];
}
