/* SPDX-License-Identifier: ISC */
/* Graphs of the simulator: their links, their diameter, and which algorithms
 * suit them. */
#include "tests/model/sim/graph/graph.h"
#include "tests/unit/group.h"

/* Every link leads to one that leads back, and none to its own node. */
static void
assert_links_pair(const struct graph *g)
{
	assert_int_equal(g->first[g->nodes], 2 * g->edges);
	for (uint32_t i = 0; i < g->nodes; i++) {
		for (uint64_t e = g->first[i]; e < g->first[i + 1]; e++) {
			const struct graph_end *to = &g->ends[e];
			uint64_t back = g->first[to->node] + to->link;

			assert_int_not_equal(to->node, i);
			assert_true(back < g->first[to->node + 1]);
			assert_int_equal(g->ends[back].node, i);
			assert_int_equal(g->ends[back].link, e - g->first[i]);
		}
	}
}

static uint32_t
leads_to(const struct graph *g, uint32_t node, uint32_t link)
{
	return g->ends[g->first[node] + link].node;
}

static void
assert_shape(struct graph *g, uint64_t edges, uint32_t diameter)
{
	assert_links_pair(g);
	assert_int_equal(g->edges, edges);
	assert_true(graph_is_connected(g));
	assert_int_equal(graph_diameter(g), diameter);
	graph_free(g);
}

TEST(ring_links_are_right_and_left)
{
	struct graph g;

	assert_true(graph_make_ring(&g, 5));
	assert_int_equal(leads_to(&g, 0, RING_RIGHT), 1);
	assert_int_equal(leads_to(&g, 4, RING_RIGHT), 0);
	assert_int_equal(leads_to(&g, 0, RING_LEFT), 4);
	assert_int_equal(leads_to(&g, 4, RING_LEFT), 3);
	assert_shape(&g, 5, 2);
}

/* The two links of a ring of two must not be confused. */
TEST(ring_of_two_has_two_edges)
{
	struct graph g;

	assert_true(graph_make_ring(&g, 2));
	assert_int_equal(g.ends[g.first[0] + RING_RIGHT].link, RING_LEFT);
	assert_false(graph_suits(&g, TOPOLOGY_FULL));
	assert_false(graph_suits(&g, TOPOLOGY_TREE));
	assert_shape(&g, 2, 1);
}

TEST(one_node_suits_everything_but_needs_a_ring_to_be_one)
{
	struct graph g;

	assert_true(graph_make_ring(&g, 1));
	assert_true(graph_suits(&g, TOPOLOGY_RING));
	assert_true(graph_suits(&g, TOPOLOGY_FULL));
	assert_true(graph_suits(&g, TOPOLOGY_TREE));
	assert_true(graph_suits(&g, TOPOLOGY_GRAPH));
	assert_shape(&g, 0, 0);
	assert_true(graph_make_full(&g, 1));
	assert_false(graph_suits(&g, TOPOLOGY_RING));
	assert_shape(&g, 0, 0);
}

TEST(shapes_have_their_edges_and_diameter)
{
	struct graph g;

	assert_true(graph_make_full(&g, 6));
	assert_shape(&g, 15, 1);
	assert_true(graph_make_path(&g, 7));
	assert_shape(&g, 6, 6);
	assert_true(graph_make_star(&g, 7));
	assert_shape(&g, 6, 2);
	assert_true(graph_make_grid(&g, 4, 3));
	assert_shape(&g, 17, 5);
	assert_true(graph_make_grid(&g, 1, 3));
	assert_true(graph_suits(&g, TOPOLOGY_TREE));
	assert_shape(&g, 2, 2);
}

TEST(links_are_in_the_order_of_the_edges)
{
	static const struct graph_edge edges[] = { { 2, 1 }, { 0, 2 },
		{ 2, 3 } };
	struct graph g;

	assert_true(graph_make(&g, TOPOLOGY_GRAPH, 4, edges, 3));
	assert_int_equal(leads_to(&g, 2, 0), 1);
	assert_int_equal(leads_to(&g, 2, 1), 0);
	assert_int_equal(leads_to(&g, 2, 2), 3);
	assert_true(graph_suits(&g, TOPOLOGY_TREE));
	assert_false(graph_suits(&g, TOPOLOGY_RING));
	assert_shape(&g, 3, 2);
}

TEST(graph_in_two_pieces_suits_nobody)
{
	static const struct graph_edge edges[] = { { 0, 1 }, { 1, 2 },
		{ 0, 2 } };
	struct graph g;

	assert_true(graph_make(&g, TOPOLOGY_GRAPH, 4, edges, 3));
	assert_false(graph_is_connected(&g));
	assert_false(graph_suits(&g, TOPOLOGY_TREE));
	assert_false(graph_suits(&g, TOPOLOGY_GRAPH));
	graph_free(&g);
}

/* The longest of the shortest paths, found by walking from every node. */
static uint32_t
diameter_of_all(const struct graph *g)
{
	uint32_t far[32][32], widest = 0;

	for (uint32_t i = 0; i < g->nodes; i++) {
		for (uint32_t j = 0; j < g->nodes; j++)
			far[i][j] = i == j ? 0 : 100;
		for (uint64_t e = g->first[i]; e < g->first[i + 1]; e++)
			far[i][g->ends[e].node] = 1;
	}
	for (uint32_t k = 0; k < g->nodes; k++) {
		for (uint32_t i = 0; i < g->nodes; i++) {
			for (uint32_t j = 0; j < g->nodes; j++) {
				uint32_t d = far[i][k] + far[k][j];

				far[i][j] = d < far[i][j] ? d : far[i][j];
			}
		}
	}
	for (uint32_t i = 0; i < g->nodes; i++) {
		for (uint32_t j = 0; j < g->nodes; j++)
			widest = far[i][j] > widest ? far[i][j] : widest;
	}
	return widest;
}

TEST(random_graphs_are_whole_and_as_wide_as_walked)
{
	struct random r;
	struct graph g;

	random_init(&r, 7);
	for (uint32_t i = 0; i < 300; i++) {
		uint32_t n = (uint32_t)random_between(&r, 2, 32);
		uint64_t most = (uint64_t)n * (n - 1) / 2;
		uint64_t edges = random_between(&r, n - 1, most);

		if (i % 2 == 0) {
			edges = n - 1;
			assert_true(graph_make_random_tree(&g, n, &r));
		} else {
			assert_true(graph_make_random(&g, n, edges, &r));
		}
		assert_shape(&g, edges, diameter_of_all(&g));
	}
}

TEST(little_work_gives_a_bound_of_the_diameter)
{
	struct random r;
	struct graph g;
	uint32_t bound;

	random_init(&r, 3);
	assert_true(graph_make_random(&g, 500, 1000, &r));
	assert_false(graph_diameter_within(&g, 1, &bound));
	assert_true(bound > graph_diameter(&g));
	assert_true(bound <= 2 * graph_diameter(&g));
	graph_free(&g);
}

TEST(same_seed_draws_the_same_graph)
{
	struct graph a, b;
	struct random r;

	random_init(&r, 11);
	assert_true(graph_make_random(&a, 50, 120, &r));
	random_init(&r, 11);
	assert_true(graph_make_random(&b, 50, 120, &r));
	assert_memory_equal(a.ends, b.ends, 240 * sizeof(*a.ends));
	graph_free(&a);
	graph_free(&b);
}

TEST(listed_edges_make_the_same_graph_again)
{
	struct graph_edge edges[60];
	struct graph a, b;
	struct random r;

	random_init(&r, 5);
	for (uint32_t n = 1; n <= 20; n++) {
		uint64_t most = (uint64_t)n * (n - 1) / 2;
		uint64_t count = 3 * n < most ? 3 * n : most;

		assert_true(graph_make_random(&a, n, count, &r));
		assert_true(graph_list_edges(&a, edges));
		assert_true(graph_make(&b, TOPOLOGY_GRAPH, n, edges, count));
		assert_memory_equal(
		    a.ends, b.ends, 2 * count * sizeof(*a.ends));
		graph_free(&a);
		graph_free(&b);
	}
	assert_true(graph_make_ring(&a, 3));
	assert_false(graph_list_edges(&a, edges));
	graph_free(&a);
}

TEST(node_that_is_not_reached_is_named)
{
	static const struct graph_edge edges[] = { { 0, 3 }, { 1, 2 } };
	struct graph g;

	assert_true(graph_make(&g, TOPOLOGY_GRAPH, 4, edges, 2));
	assert_int_equal(graph_unreached(&g), 1);
	graph_free(&g);
	assert_true(graph_make_path(&g, 4));
	assert_int_equal(graph_unreached(&g), 4);
	graph_free(&g);
}
