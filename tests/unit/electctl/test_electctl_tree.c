/* SPDX-License-Identifier: ISC */
/* The place in a tree, as `status` and `peers --tree` show it. */
#include "tests/unit/group.h"

#include "daemon/electctl/print/print.h"
#include "tests/lib/capture.h"

/* Node 4, "four", whose children are 5 and 6; node 1 is the root. */
static json_t *
make_answer(int level, int parent)
{
	json_t *answer = json_pack(
	    "{s:s,s:i,s:{s:i,s:s},s:{s:b,s:i,s:i,s:[i,i]},"
	    "s:[{s:i,s:s},{s:i,s:s},{s:i,s:s},{s:i,s:s}]}",
	    "topology", "tree", "self", 4, "node", "id", 4, "name", "four",
	    "tree", "forming", 0, "root", level == 0 ? 4 : 1, "level", level,
	    "children", 5, 6, "peers", "id", 1, "name", "one", "id", 2, "name",
	    "two", "id", 5, "name", "five", "id", 6, "name", "six");

	json_object_set_new(json_object_get(answer, "tree"), "parent",
	    parent == 0 ? json_null() : json_integer(parent));
	return answer;
}

static const char *
drawn(json_t *answer)
{
	capture_stdout();
	print_tree(answer);
	json_decref(answer);
	return captured();
}

static const char *
told(json_t *answer)
{
	capture_stdout();
	add_names(answer);
	print_tree_line(answer);
	json_decref(answer);
	return captured();
}

TEST(root_is_drawn_above_its_children)
{
	assert_string_equal(drawn(make_answer(0, 0)), "four  this node, root\n"
						      "|-- five\n"
						      "`-- six\n");
}

TEST(node_is_drawn_below_its_parent)
{
	assert_string_equal(drawn(make_answer(1, 1)), "one  root\n"
						      "`-- four  this node\n"
						      "    |-- five\n"
						      "    `-- six\n");
	assert_string_equal(drawn(make_answer(2, 2)),
	    "one  root\n"
	    "`-- two\n"
	    "    `-- four  this node\n"
	    "        |-- five\n"
	    "        `-- six\n");
}

/* A node knows only how many are between its parent and the root. */
TEST(nodes_between_are_counted)
{
	assert_string_equal(drawn(make_answer(4, 2)),
	    "one  root\n"
	    "`-- (2 nodes)\n"
	    "    `-- two\n"
	    "        `-- four  this node\n"
	    "            |-- five\n"
	    "            `-- six\n");
}

TEST(tree_that_is_forming_says_so)
{
	json_t *answer = make_answer(1, 1);

	json_object_set_new(
	    json_object_get(answer, "tree"), "forming", json_true());
	assert_string_equal(told(json_incref(answer)),
	    "tree     level 1, parent one, children five, six, still forming\n");
	assert_non_null(strstr(drawn(answer), "The tree is still forming.\n"));
}

TEST(status_has_a_line_of_the_tree)
{
	json_t *answer = make_answer(0, 0);

	json_object_set_new(
	    json_object_get(answer, "tree"), "children", json_pack("[i]", 5));
	assert_string_equal(
	    told(answer), "tree     level 0, the root, child five\n");
}

TEST(other_topologies_have_no_tree)
{
	json_t *answer = make_answer(0, 0);

	json_object_set_new(answer, "tree", json_null());
	json_object_set_new(answer, "topology", json_string("ring"));
	assert_string_equal(told(json_incref(answer)), "");
	assert_string_equal(drawn(answer), "no tree: the topology is ring\n");
}
