/* SPDX-License-Identifier: ISC */
#include "tests/model/world/draw.h"

#include "algorithms/registry.h"

#define NODES_FEW 7 /* the most that most worlds have */

static bool
one_in(struct random *random, unsigned n)
{
	return random_below(random, n) == 0;
}

/* Draws a tree of links, and a few more links for a graph, and for half of the
 * trees, in which the nodes then find a tree. */
static void
draw_links(
    struct world_setup *setup, struct world_link *links, struct random *random)
{
	unsigned count = 0;
	bool has_cycles =
	    setup->topology == TOPOLOGY_GRAPH ||
	    (setup->topology == TOPOLOGY_TREE && one_in(random, 2));

	for (node_id id = 2; id <= setup->nodes; id++)
		links[count++] = (struct world_link){
			(node_id)random_between(random, 1, id - 1), id
		};
	for (unsigned i = 0; has_cycles && i < setup->nodes; i++) {
		node_id a = (node_id)random_between(random, 1, setup->nodes);
		node_id b = (node_id)random_between(random, 1, setup->nodes);

		if (a != b)
			links[count++] = (struct world_link){ a, b };
	}
	setup->links = links;
	setup->links_count = count;
}

static void
draw_order(struct world_setup *setup, node_id *order, struct random *random)
{
	for (unsigned i = 0; i < setup->nodes; i++) {
		unsigned at = (unsigned)random_below(random, i + 1);

		order[i] = i + 1;
		order[i] = order[at];
		order[at] = i + 1;
	}
	setup->order = order;
}

/* Draws an algorithm, with its choices, and a topology that suits it. */
static void
draw_algorithm(struct world_setup *setup, struct random *random)
{
	const struct algorithm *a;
	unsigned count = 0, variants = 0;

	while (algorithms[count] != NULL)
		count++;
	count = (unsigned)random_below(random, count);
	a = setup->algorithm != NULL ? setup->algorithm : algorithms[count];
	while (a->variants[variants] != NULL)
		variants++;
	setup->algorithm = a;
	setup->topology = a->topology;
	if (a->topology == TOPOLOGY_GRAPH && one_in(random, 2))
		setup->topology =
		    (enum topology)random_below(random, TOPOLOGY_GRAPH);
	if (variants > 0)
		setup->choices.variant =
		    (uint8_t)random_below(random, variants);
	if (a->choices & CHOICE_JOIN)
		setup->choices.starters_only = one_in(random, 4);
	if (a->choices & CHOICE_ANNOUNCE)
		setup->choices.any_leader = one_in(random, 4);
}

/* A world of 18 nodes costs as much as forty of five, so few are large. */
static unsigned
draw_size(struct random *random)
{
	if (one_in(random, 2))
		return 5;
	if (one_in(random, 32))
		return (unsigned)random_between(
		    random, NODES_FEW, WORLD_NODES_MAX);
	return (unsigned)random_between(random, 1, NODES_FEW);
}

void
world_draw(
    struct world_setup *setup, struct world_drawn *drawn, struct random *random)
{
	unsigned size = draw_size(random);

	if (setup->nodes == 0)
		setup->nodes = size;
	draw_algorithm(setup, random);
	draw_order(setup, drawn->order, random);
	draw_links(setup, drawn->links, random);
}
