/* SPDX-License-Identifier: ISC */
/* The place of this node in the tree, as `peers --tree` draws it. */
#include <stdio.h>

#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"

#define INDENT 4 /* columns for each level of the drawing */

void
add_names(json_t *answer)
{
	json_t *names = json_object();
	char id[PLAIN_TEXT_MAX];
	json_t *node = json_object_get(answer, "node"), *peer;
	size_t i;

	json_object_set(names, plain_text(field(node, "id"), id),
	    json_object_get(node, "name"));
	json_array_foreach(field(answer, "peers"), i, peer)
	    json_object_set(names, plain_text(field(peer, "id"), id),
		json_object_get(peer, "name"));
	json_object_set_new(answer, "names", names);
}

/* Draws a node, which the text names, and what the remark says of it, below the
 * one before if `depth` is above 0. */
static void
draw(const json_t *answer, const json_t *object, int depth, bool is_last,
    const char *text)
{
	struct line line = { .names = field(answer, "names") };

	if (depth > 0)
		line_add(&line, "%*s%s", (depth - 1) * INDENT, "",
		    is_last ? "`-- " : "|-- ");
	line_fill(&line, object, text);
	puts(line.text);
}

/* Draws what is above this node, and gives the depth of this node. A node knows
 * its root and its parent, and how many nodes are between. */
static int
draw_above(const json_t *answer, json_t *tree)
{
	json_int_t level = number(tree, "level");
	int depth = 0;

	if (level == 0)
		return 0;
	draw(answer, tree, depth++, true, "{root node}  root");
	if (level == 1)
		return depth;
	json_object_set_new(tree, "between", json_integer(level - 2));
	if (level > 2)
		draw(
		    answer, tree, depth++, true, "({between} node{between s})");
	draw(answer, tree, depth++, true, "{parent node}");
	return depth;
}

void
print_tree(json_t *answer)
{
	json_t *tree = json_object_get(answer, "tree");
	const json_t *children = field(tree, "children");
	size_t count = json_array_size(children);
	int depth;

	add_names(answer);
	if (!json_is_object(tree)) {
		print_text(answer, "no tree: the topology is {topology}");
		return;
	}
	if (flag(tree, "forming"))
		puts("The tree is still forming.");
	depth = draw_above(answer, tree);
	draw(answer, answer, depth, true,
	    depth == 0 ? "{self node}  this node, root"
		       : "{self node}  this node");
	for (size_t i = 0; i < count; i++)
		draw(answer, json_array_get(children, i), depth + 1,
		    i + 1 == count, "{ node}");
}
