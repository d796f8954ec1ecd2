/* SPDX-License-Identifier: ISC */
/*
 * Topologies and the options of algorithms: settings arrive as configured, a
 * missing one has its default, and the printed form reads back as the same.
 */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/config/config_encode.h"
#include "daemon/config/settings.h"

#define HEAD "cluster = \"web\"; guarantee = \"component\";\n"
#define FOUR                                                                   \
	"nodes = ( { id = 7; address = \"192.0.2.17:7420\"; },\n"              \
	"  { id = 2; address = \"192.0.2.12:7420\"; },\n"                      \
	"  { id = 5; address = \"192.0.2.15:7420\"; },\n"                      \
	"  { id = 3; address = \"192.0.2.13:7420\"; } );\n"
#define ONE  "nodes = ( { id = 7; address = \"192.0.2.17:7420\"; } );\n"
#define SELF "id = 5; listen = \"192.0.2.15:7420\";\n"

static char *
print(const struct settings *settings)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	settings_print(settings, to);
	fclose(to);
	return text;
}

/* Parses a good text; its printed form is good, too, and means the same. */
static struct settings *
parse(const char *text)
{
	char *copy = strdup(text);
	struct settings *s = settings_parse("test", copy, NODE_NONE, stderr);
	struct settings *again;
	uint8_t digests[2][SALT_BYTES];
	char *printed[2];

	assert_non_null(s);
	printed[0] = print(s);
	free(copy);
	copy = strdup(printed[0]);
	again = settings_parse("printed", copy, NODE_NONE, stderr);
	assert_non_null(again);
	printed[1] = print(again);
	assert_string_equal(printed[0], printed[1]);
	config_digest(&s->shared, digests[0]);
	config_digest(&again->shared, digests[1]);
	assert_memory_equal(digests[0], digests[1], SALT_BYTES);
	settings_free(again);
	free(printed[0]);
	free(printed[1]);
	free(copy);
	return s;
}

/* True if exactly these lines refuse `text`. */
static void
assert_refused(const char *text, const char *expected)
{
	char *copy = strdup(text);
	char *errors;
	size_t size;
	FILE *to = open_memstream(&errors, &size);

	assert_null(settings_parse("test", copy, NODE_NONE, to));
	fclose(to);
	assert_string_equal(errors, expected);
	free(errors);
	free(copy);
}

/* True if these are the ids, written as "2 3". */
static void
assert_ids(const node_id *ids, size_t count, const char *expected)
{
	char text[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		    "%s%u", i == 0 ? "" : " ", ids[i]);
	assert_string_equal(text, expected);
}

/* Gives the nodes that `self` may take on either side. */
static void
assert_sides(const struct settings *settings, node_id self, const char *right,
    const char *left)
{
	struct settings_sides sides;

	assert_true(settings_ring(settings, self, &sides));
	assert_ids(sides.right, sides.right_count, right);
	assert_ids(sides.left, sides.left_count, left);
}

TEST(ring_goes_by_id_if_no_order_is_given)
{
	struct settings *s = parse(HEAD FOUR "algorithm = \"lelann\";");

	assert_int_equal(s->shared.topology, TOPOLOGY_RING);
	assert_false(s->shared.neighbours_only);
	assert_ids(s->shared.order, s->shared.order_count, "2 3 5 7");
	assert_sides(s, 2, "3 5 7", "7 5 3");
	assert_sides(s, 7, "2 3 5", "5 3 2");
	settings_free(s);
}

TEST(ring_goes_by_the_order_given)
{
	struct settings_sides sides;
	struct settings *s = parse(HEAD FOUR
	    "algorithm = \"lelann\";topology = { kind = \"ring\";  order = [5, 7, 2, 3]; };");

	assert_sides(s, 3, "5 7 2", "2 7 5");
	assert_false(settings_ring(s, 4, &sides));
	assert_int_equal(sides.right_count, 0);
	assert_true(settings_linked(s, 5, 3));
	assert_true(settings_linked(s, 3, 5));
	assert_false(settings_linked(s, 5, 2));
	assert_false(settings_linked(s, 5, 5));
	settings_free(s);
}

TEST(node_alone_has_no_sides_and_no_links)
{
	static const char *const names[] = { "lelann", "tree", "floodmax" };

	for (size_t i = 0; i < 3; i++) {
		char text[256];
		struct settings *s;

		snprintf(text, sizeof(text), HEAD ONE "algorithm = \"%s\";",
		    names[i]);
		s = parse(text);
		if (s->shared.topology == TOPOLOGY_RING)
			assert_sides(s, 7, "", "");
		assert_int_equal(s->shared.links_count, 0);
		assert_int_equal(s->shared.choices.diameter, 0);
		assert_false(settings_linked(s, 7, 7));
		settings_free(s);
	}
}

TEST(neighbours_of_a_ring_keep_their_order_on_each_side)
{
	struct settings_sides sides;
	struct settings *s = parse(HEAD SELF
	    "algorithm = \"chang-roberts\"; neighbours = (\n"
	    "{ id = 9; address = \"192.0.2.19:7420\"; side = \"left\"; },\n"
	    "{ id = 8; address = \"192.0.2.18:7420\"; side = \"right\"; },\n"
	    "{ id = 2; address = \"192.0.2.12:7420\"; side = \"right\"; },\n"
	    "{ id = 8; address = \"192.0.2.18:7420\"; side = \"left\"; } );");

	assert_true(s->shared.neighbours_only);
	assert_int_equal(s->shared.nodes_count, 4);
	assert_int_equal(s->shared.order_count, 0);
	assert_ids(s->ring.right, s->ring.right_count, "8 2");
	assert_sides(s, 5, "8 2", "9 8");
	assert_false(settings_ring(s, 8, &sides));
	assert_true(settings_linked(s, 5, 8));
	assert_true(settings_linked(s, 9, 5));
	assert_false(settings_linked(s, 5, 2));
	settings_free(s);
}

/* In a ring of two the other node is on both sides, and there once. */
TEST(neighbour_may_be_on_both_sides)
{
	struct settings *s = parse(HEAD SELF
	    "algorithm = \"lelann\"; neighbours = (\n"
	    "{ id = 2; address = \"192.0.2.12:7420\"; side = \"right\"; },\n"
	    "{ id = 2; address = \"192.0.2.12:7420\"; side = \"left\"; } );");

	assert_int_equal(s->shared.nodes_count, 2);
	assert_sides(s, 5, "2", "2");
	settings_free(s);
}

TEST(tree_has_its_links_sorted)
{
	struct settings *s = parse(HEAD FOUR
	    "algorithm = \"tree\"; topology = {  links = ([7, 2], (5, 2), [3, 5]); };");

	assert_int_equal(s->shared.topology, TOPOLOGY_TREE);
	assert_int_equal(s->shared.links_count, 3);
	assert_int_equal(s->shared.links[0].a, 2);
	assert_int_equal(s->shared.links[0].b, 5);
	assert_int_equal(s->shared.links[1].b, 7);
	assert_int_equal(s->shared.links[2].a, 3);
	assert_true(settings_linked(s, 7, 2));
	assert_false(settings_linked(s, 3, 2));
	assert_false(settings_linked(s, 2, 9));
	settings_free(s);
}

/* The nodes find a tree in them. */
TEST(links_of_a_tree_may_close_cycles)
{
	struct settings *s = parse(HEAD FOUR
	    "algorithm = \"tree\"; topology = { links = ([7, 2], [5, 2], [5, 7], [3, 5]); };");

	assert_int_equal(s->shared.links_count, 4);
	assert_true(settings_linked(s, 7, 5));
	assert_false(settings_linked(s, 3, 7));
	settings_free(s);
}

TEST(tree_without_links_has_every_pair)
{
	struct settings *s = parse(HEAD FOUR "algorithm = \"tree\";");

	assert_int_equal(s->shared.topology, TOPOLOGY_TREE);
	assert_int_equal(s->shared.links_count, 0);
	assert_true(settings_linked(s, 7, 5));
	assert_false(settings_linked(s, 7, 7));
	assert_false(settings_linked(s, 7, 9));
	settings_free(s);
}

TEST(tree_of_two_nodes_always_has_its_link)
{
	static const char *const links[] = {
		"",
		"topology = { links = ([2, 1]); };",
	};

	for (size_t i = 0; i < 2; i++) {
		char text[512];
		struct settings *s;

		snprintf(text, sizeof(text),
		    HEAD
		    "nodes = ( { id = 1; address = \"a:1\"; }, { id = 2; address = \"b:1\"; } ); algorithm = \"tree\"; %s",
		    links[i]);
		s = parse(text);
		assert_int_equal(s->shared.links_count, 0); /* every pair */
		assert_true(settings_linked(s, 1, 2));
		settings_free(s);
	}
}

/* No links are every pair, and every pair is no links. */
TEST(graph_without_links_has_every_pair)
{
	static const char *const every_pair =
	    "topology = { links = ([2, 3], [2, 5], [2, 7], [7, 3], [5, 3],  [5, 7]); };";
	const char *const links[] = {
		"",
		"topology = { kind = \"graph\"; };",
		every_pair,
	};

	for (size_t i = 0; i < 3; i++) {
		char text[512];
		struct settings *s;

		snprintf(text, sizeof(text),
		    HEAD FOUR "algorithm = \"floodmax\"; %s", links[i]);
		s = parse(text);
		assert_int_equal(s->shared.topology, TOPOLOGY_GRAPH);
		assert_int_equal(s->shared.links_count, 0);
		assert_true(settings_linked(s, 3, 7));
		assert_false(settings_linked(s, 3, 3));
		assert_false(settings_linked(s, 3, 4));
		settings_free(s);
	}
}

TEST(neighbours_in_a_tree_are_linked_to_us_alone)
{
	struct settings *s =
	    parse(HEAD SELF "algorithm = \"tree\"; neighbours = (\n"
			    "{ id = 9; address = \"192.0.2.19:7420\"; },\n"
			    "{ id = 2; address = \"192.0.2.12:7420\"; } );");

	assert_int_equal(s->shared.links_count, 2);
	assert_int_equal(s->shared.links[0].a, 2);
	assert_int_equal(s->shared.links[0].b, 5);
	assert_true(settings_linked(s, 9, 5));
	assert_false(settings_linked(s, 9, 2));
	settings_free(s);
}

/* Each algorithm on each kind: those that need a graph run on all of them. */
TEST(kinds_suit_by_what_an_algorithm_needs)
{
	static const char *const kinds[] = { "full", "ring", "tree", "graph" };

	for (size_t i = 0; algorithms[i] != NULL; i++) {
		for (unsigned kind = 0; kind < 4; kind++) {
			bool wanted = algorithms[i]->topology == kind ||
				      algorithms[i]->topology == TOPOLOGY_GRAPH;
			char text[512];
			struct settings *s;
			FILE *nowhere = fopen("/dev/null", "w");

			snprintf(text, sizeof(text),
			    HEAD FOUR
			    "algorithm = \"%s\"; topology = { kind = \"%s\";  %s };",
			    algorithms[i]->name, kinds[kind],
			    kind < 2 ? ""
				     : "links = ([2, 3], [2, 5], [2, 7]);");
			s = settings_parse("test", text, NODE_NONE, nowhere);
			fclose(nowhere);
			assert_int_equal(s != NULL, wanted);
			settings_free(s);
		}
	}
}

TEST(diameter_is_resolved)
{
	static const struct {
		const char *text;
		unsigned diameter;
	} cases[] = {
		{ HEAD FOUR "algorithm = \"floodmax\";", 3 },
		{ HEAD FOUR
		    "algorithm = \"floodmax\";topology = { kind = \"full\"; diameter = 1; };",
		    1 },
		{ HEAD FOUR
		    "algorithm = \"floodmax\";topology = { kind = \"ring\"; diameter = 0; };",
		    3 },
		{ HEAD FOUR
		    "algorithm = \"floodmax\";topology = { kind = \"ring\"; diameter = 2; };",
		    2 },
		{ HEAD FOUR "algorithm = \"bully\";", 0 },
		{ HEAD SELF
		    "algorithm = \"floodmax\"; topology = {  kind = \"graph\"; diameter = 9; };neighbours = ( { id = 2; address = \"a:1\"; } );",
		    9 },
		{ HEAD SELF
		    "algorithm = \"floodmax\"; topology = {  kind = \"full\"; };neighbours = ( { id = 2; address = \"a:1\"; } );",
		    1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings *s = parse(cases[i].text);

		assert_int_equal(s->shared.choices.diameter, cases[i].diameter);
		settings_free(s);
	}
}

TEST(entries_of_an_order_are_counted)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	fputs(HEAD "algorithm = \"lelann\"; nodes = (\n"
		   "{ id = 1; address = \"[::1]:1\"; },\n"
		   "{ id = 2; address = \"[::1]:2\"; } );\n"
		   "topology = { order = [1",
	    to);
	for (int i = 0; i < NODES_MAX; i++)
		fputs(", 2", to);
	fputs("]; };", to);
	fclose(to);
	assert_refused(text,
	    "test:5: topology.order: has 1025 entries; at most 1024 are allowed\n"
	    "test: 1 error\n");
	free(text);
}

/* Makes a path of the most nodes; `extra` goes into its topology. */
static char *
long_path(const char *extra)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	fputs(HEAD "algorithm = \"floodmax\"; nodes = (", to);
	for (int id = 1; id <= NODES_MAX; id++)
		fprintf(to, "%s{ id = %d; address = \"[::1]:%d\"; }",
		    id > 1 ? "," : "", id, id);
	fputs(");\ntopology = { links = (", to);
	for (int id = 1; id < NODES_MAX; id++)
		fprintf(to, "%s[%d, %d]", id > 1 ? "," : "", id, id + 1);
	fprintf(to, "); %s };", extra);
	fclose(to);
	return text;
}

TEST(diameter_of_a_long_path_is_found)
{
	char *good = long_path("diameter = 1023;");
	char *bad = long_path("diameter = 1022;");
	struct settings *s = parse(good);

	assert_int_equal(s->shared.choices.diameter, 1023);
	assert_int_equal(s->shared.links_count, 1023);
	assert_refused(bad,
	    "test:3: topology.diameter: 1022 is too small; must be at least 1023, the greatest number of links between two nodes while all are up\n"
	    "test: 1 error\n");
	settings_free(s);
	free(good);
	free(bad);
}

TEST(options_of_an_algorithm_arrive)
{
	struct settings *ring = parse(HEAD FOUR
	    "chang-roberts = { join = false;  variant = \"replace\"; };algorithm = \"chang-roberts\";");
	struct settings *plain = parse(
	    HEAD ONE "algorithm = \"tree\"; chang-roberts = { join = false; }");
	struct settings *echo = parse(HEAD ONE
	    "algorithm = \"tree-echo\"; preempt = \"never\";tree-echo = { announce = \"any\"; }");
	static const struct choices none;

	assert_true(ring->shared.choices.starters_only);
	assert_string_equal(
	    ring->shared.algorithm->variants[ring->shared.choices.variant],
	    "replace");
	assert_memory_equal(&plain->shared.choices, &none, sizeof(none));
	assert_true(echo->shared.choices.any_leader);
	settings_free(ring);
	settings_free(plain);
	settings_free(echo);
}
