/* SPDX-License-Identifier: ISC */
/* Graphs of the simulator: their links, their diameter, and which algorithms
 * suit them. */
#include "tests/sim/graph/graph.h"
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

static void
ring_links_are_right_and_left(void **state)
{
	struct graph g;

	(void)state;
	assert_true(graph_make_ring(&g, 5));
	assert_int_equal(leads_to(&g, 0, RING_RIGHT), 1);
	assert_int_equal(leads_to(&g, 4, RING_RIGHT), 0);
	assert_int_equal(leads_to(&g, 0, RING_LEFT), 4);
	assert_int_equal(leads_to(&g, 4, RING_LEFT), 3);
	assert_shape(&g, 5, 2);
}

/* The two links of a ring of two must not be confused. */
static void
ring_of_two_has_two_edges(void **state)
{
	struct graph g;

	(void)state;
	assert_true(graph_make_ring(&g, 2));
	assert_int_equal(g.ends[g.first[0] + RING_RIGHT].link, RING_LEFT);
	assert_false(graph_suits(&g, TOPOLOGY_FULL));
	assert_false(graph_suits(&g, TOPOLOGY_TREE));
	assert_shape(&g, 2, 1);
}

static void
one_node_suits_everything_but_needs_a_ring_to_be_one(void **state)
{
	struct graph g;

	(void)state;
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

static void
shapes_have_their_edges_and_diameter(void **state)
{
	struct graph g;

	(void)state;
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

static void
links_are_in_the_order_of_the_edges(void **state)
{
	static const struct graph_edge edges[] = { { 2, 1 }, { 0, 2 },
		{ 2, 3 } };
	struct graph g;

	(void)state;
	assert_true(graph_make(&g, TOPOLOGY_GRAPH, 4, edges, 3));
	assert_int_equal(leads_to(&g, 2, 0), 1);
	assert_int_equal(leads_to(&g, 2, 1), 0);
	assert_int_equal(leads_to(&g, 2, 2), 3);
	assert_true(graph_suits(&g, TOPOLOGY_TREE));
	assert_false(graph_suits(&g, TOPOLOGY_RING));
	assert_shape(&g, 3, 2);
}

static void
graph_in_two_pieces_suits_nobody(void **state)
{
	static const struct graph_edge edges[] = { { 0, 1 }, { 1, 2 },
		{ 0, 2 } };
	struct graph g;

	(void)state;
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

static void
random_graphs_are_whole_and_as_wide_as_walked(void **state)
{
	struct random r;
	struct graph g;

	(void)state;
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

static void
little_work_gives_a_bound_of_the_diameter(void **state)
{
	struct random r;
	struct graph g;
	uint32_t bound;

	(void)state;
	random_init(&r, 3);
	assert_true(graph_make_random(&g, 500, 1000, &r));
	assert_false(graph_diameter_within(&g, 1, &bound));
	assert_true(bound > graph_diameter(&g));
	assert_true(bound <= 2 * graph_diameter(&g));
	graph_free(&g);
}

static void
same_seed_draws_the_same_graph(void **state)
{
	struct graph a, b;
	struct random r;

	(void)state;
	random_init(&r, 11);
	assert_true(graph_make_random(&a, 50, 120, &r));
	random_init(&r, 11);
	assert_true(graph_make_random(&b, 50, 120, &r));
	assert_memory_equal(a.ends, b.ends, 240 * sizeof(*a.ends));
	graph_free(&a);
	graph_free(&b);
}

static void
listed_edges_make_the_same_graph_again(void **state)
{
	struct graph_edge edges[60];
	struct graph a, b;
	struct random r;

	(void)state;
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

static void
node_that_is_not_reached_is_named(void **state)
{
	static const struct graph_edge edges[] = { { 0, 3 }, { 1, 2 } };
	struct graph g;

	(void)state;
	assert_true(graph_make(&g, TOPOLOGY_GRAPH, 4, edges, 2));
	assert_int_equal(graph_unreached(&g), 1);
	graph_free(&g);
	assert_true(graph_make_path(&g, 4));
	assert_int_equal(graph_unreached(&g), 4);
	graph_free(&g);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ring_links_are_right_and_left),
	cmocka_unit_test(ring_of_two_has_two_edges),
	cmocka_unit_test(one_node_suits_everything_but_needs_a_ring_to_be_one),
	cmocka_unit_test(shapes_have_their_edges_and_diameter),
	cmocka_unit_test(links_are_in_the_order_of_the_edges),
	cmocka_unit_test(graph_in_two_pieces_suits_nobody),
	cmocka_unit_test(random_graphs_are_whole_and_as_wide_as_walked),
	cmocka_unit_test(little_work_gives_a_bound_of_the_diameter),
	cmocka_unit_test(same_seed_draws_the_same_graph),
	cmocka_unit_test(listed_edges_make_the_same_graph_again),
	cmocka_unit_test(node_that_is_not_reached_is_named),
};

GROUP(tests);
