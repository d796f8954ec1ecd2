/* SPDX-License-Identifier: ISC */
/*
 * The links of nodes that no file lists: connected, of a small diameter and
 * degree, almost the same when a node comes, and seldom parted when many nodes
 * are gone.
 */
#include "common/config/circles.h"
#include "tests/lib/often.h"
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "common/util/random.h"

#define NODES 200

struct graph {
	node_id ids[NODES];
	unsigned count; /* of `ids` */
	bool is_gone[NODES];
	struct config_link links[NODES * 8];
	size_t links_count;
	unsigned near[NODES][32]; /* the neighbours, by index */
	unsigned degrees[NODES];
};

static unsigned
index_of(const struct graph *g, node_id id)
{
	unsigned i = 0;

	while (g->ids[i] != id)
		i++;
	return i;
}

/* Links the nodes, of which none is gone. */
static void
graph_link(struct graph *g, unsigned degree)
{
	memset(g->is_gone, 0, sizeof(g->is_gone));
	memset(g->degrees, 0, sizeof(g->degrees));
	g->links_count = circles(g->ids, g->count, degree, g->links);
	for (size_t i = 0; i < g->links_count; i++) {
		unsigned a = index_of(g, g->links[i].a);
		unsigned b = index_of(g, g->links[i].b);

		g->near[a][g->degrees[a]++] = b;
		g->near[b][g->degrees[b]++] = a;
	}
}

/* Adds nodes until there are `count`, with drawn ids. */
static void
graph_grow(struct graph *g, unsigned count, struct random *r)
{
	while (g->count < count)
		g->ids[g->count++] = (node_id)random_between(r, 1, NODE_ID_MAX);
}

/* How many nodes can be reached from the first that is not gone, and in how
 * many steps. */
static unsigned
reach(const struct graph *g, unsigned from, unsigned *steps)
{
	unsigned order[NODES], distance[NODES] = { 0 }, count = 0;
	bool is_seen[NODES] = { false };

	order[count++] = from;
	is_seen[from] = true;
	for (unsigned at = 0; at < count; at++) {
		*steps = distance[order[at]];
		for (unsigned i = 0; i < g->degrees[order[at]]; i++) {
			unsigned next = g->near[order[at]][i];

			if (is_seen[next] || g->is_gone[next])
				continue;
			is_seen[next] = true;
			distance[next] = *steps + 1;
			order[count++] = next;
		}
	}
	return count;
}

static unsigned
diameter(const struct graph *g)
{
	unsigned most = 0, steps = 0;

	for (unsigned i = 0; i < g->count; i++) {
		assert_int_equal(reach(g, i, &steps), g->count);
		most = steps > most ? steps : most;
	}
	return most;
}

/* 2 log2(n), at least. */
static unsigned
bound(unsigned n)
{
	unsigned steps = 0;

	while (n >> (steps + 1) != 0)
		steps++;
	return 2 * (steps + 1);
}

TEST(each_number_of_nodes_is_connected)
{
	struct graph g = { .count = 0 };
	struct random r;
	unsigned most[3] = { 0 };

	random_init(&r, 1);
	for (unsigned n = 1; n <= NODES; n++) {
		graph_grow(&g, n, &r);
		for (unsigned i = 0; i < 3; i++) {
			unsigned degree = 4 + 2 * i;

			graph_link(&g, degree);
			if (n <= degree + 1) {
				assert_int_equal(g.links_count, 0);
				continue;
			}
			most[i] = diameter(&g);
			assert_true(most[i] <= bound(n));
			for (unsigned j = 0; j < n; j++)
				assert_in_range(g.degrees[j], 2, degree);
		}
	}
	print_message("diameters of %u nodes: %u, %u, %u\n", NODES, most[0],
	    most[1], most[2]);
}

/* Ids that follow each other are no worse. */
TEST(small_ids_give_a_small_diameter_too)
{
	struct graph g = { .count = NODES };

	for (unsigned i = 0; i < NODES; i++)
		g.ids[i] = i + 1;
	graph_link(&g, 8);
	assert_true(diameter(&g) <= 5);
	assert_true(g.links_count > 3 * NODES);
}

TEST(order_of_the_ids_does_not_matter)
{
	struct graph g = { .count = 0 }, other;
	struct random r;

	random_init(&r, 2);
	graph_grow(&g, 50, &r);
	graph_link(&g, 8);
	other = g;
	for (unsigned i = 0; i < 50; i++)
		other.ids[i] = g.ids[49 - i];
	graph_link(&other, 8);
	assert_int_equal(g.links_count, other.links_count);
	assert_memory_equal(
	    g.links, other.links, g.links_count * sizeof(g.links[0]));
	for (size_t i = 0; i < g.links_count; i++) {
		assert_true(g.links[i].a < g.links[i].b);
		assert_true(i == 0 || config_link_compare(
					  &g.links[i - 1], &g.links[i]) < 0);
	}
}

/* Hosts of other releases find these, too. */
TEST(links_of_some_ids_are_known)
{
	static const node_id ids[] = { 1, 2, 3, 4, 5, 6 };
	static const struct config_link expected[] = { { 1, 2 }, { 1, 4 },
		{ 1, 5 }, { 1, 6 }, { 2, 3 }, { 2, 6 }, { 3, 4 }, { 3, 5 },
		{ 3, 6 }, { 4, 5 } };
	struct config_link links[12];

	assert_int_equal(
	    circles(ids, 6, 4, links), sizeof(expected) / sizeof(expected[0]));
	assert_memory_equal(links, expected, sizeof(expected));
}

/* Each circle loses one link, and has two others. */
TEST(joiner_changes_few_links)
{
	struct graph g = { .count = 0 }, before;
	struct random r;

	random_init(&r, 3);
	graph_grow(&g, 10, &r);
	for (unsigned n = 10; n < NODES; n++) {
		unsigned lost = 0;

		graph_link(&g, 8);
		before = g;
		graph_grow(&g, n + 1, &r);
		graph_link(&g, 8);
		for (size_t i = 0; i < before.links_count; i++)
			lost += bsearch(&before.links[i], g.links,
				    g.links_count, sizeof(g.links[0]),
				    config_link_compare) == NULL;
		assert_true(lost <= 4);
	}
}

/* In how many of `tries` the nodes that are left are in parts. */
static unsigned
parted(unsigned count, unsigned gone, unsigned degree, unsigned tries)
{
	unsigned parted = 0, steps;
	struct random r;

	random_init(&r, count);
	for (unsigned i = 0; i < tries; i++) {
		struct graph g = { .count = 0 };
		unsigned first = 0, left = gone;

		graph_grow(&g, count, &r);
		graph_link(&g, degree);
		while (left > 0) {
			unsigned who = (unsigned)random_below(&r, count);

			left -= !g.is_gone[who];
			g.is_gone[who] = true;
		}
		while (g.is_gone[first])
			first++;
		parted += reach(&g, first, &steps) < count - gone;
	}
	return parted;
}

/* electd.conf(5) has these figures. */
TEST(three_tenths_that_are_gone_seldom_part_the_rest)
{
	unsigned tries = often(2000);

	for (unsigned degree = 4; degree <= 8; degree += 2)
		print_message(
		    "degree %u, of %u: 5 of 16 part %u, 60 of 200 %u\n", degree,
		    tries, parted(16, 5, degree, tries),
		    parted(200, 60, degree, tries));
	assert_true(parted(16, 5, 8, tries) <= tries / 100);
	assert_true(parted(200, 60, 8, tries) <= tries / 50);
}
