/* SPDX-License-Identifier: ISC */
/* The place of this node in the tree: a line of `status`, and the drawing of
 * `peers --tree`. */
#include "daemon/electctl/electctl.h"

#define INDENT 4 /* columns for each level of the drawing */

/* The name of the node whose id this is. */
static const char *
name_of(const json_t *answer, const json_t *id, char text[PLAIN_TEXT_MAX])
{
	char number[PLAIN_TEXT_MAX];

	return name_text(answer, plain_text(id, number), text);
}

static json_int_t
level_of(const json_t *tree)
{
	return json_integer_value(field(tree, "level"));
}

void
print_tree_line(const json_t *answer)
{
	const json_t *tree = field(answer, "tree");
	size_t children = json_array_size(field(tree, "children"));
	struct line line = { .size = 0 };
	char text[PLAIN_TEXT_MAX];

	if (!json_is_object(tree))
		return;
	line_add(&line, "tree     level %" JSON_INTEGER_FORMAT, level_of(tree));
	if (json_is_integer(field(tree, "parent")))
		line_add(&line, ", parent %s",
		    name_of(answer, field(tree, "parent"), text));
	else
		line_add(&line, ", the root");
	for (size_t i = 0; i < children; i++) {
		if (i == 0)
			line_add(&line, ", %s ",
			    children == 1 ? "child" : "children");
		else
			line_add(&line, ", ");
		line_add(&line, "%s",
		    name_of(answer, json_array_get(field(tree, "children"), i),
			text));
	}
	if (json_is_true(field(tree, "forming")))
		line_add(&line, ", still forming");
	line_print(&line);
}

/* Draws one node, below the one before if `depth` is above 0. */
static void
draw(int depth, bool is_last, const char *name, const char *remark)
{
	if (depth > 0)
		printf("%*s%s", (depth - 1) * INDENT, "",
		    is_last ? "`-- " : "|-- ");
	printf("%s%s%s\n", name, remark[0] != '\0' ? "  " : "", remark);
}

/* Draws what is above this node, and gives the depth of this node. A node knows
 * its root and its parent, and how many nodes are between. */
static int
draw_above(const json_t *answer, const json_t *tree)
{
	json_int_t level = level_of(tree);
	char name[PLAIN_TEXT_MAX], between[PLAIN_TEXT_MAX];
	int depth = 0;

	if (level == 0)
		return 0;
	draw(depth++, true, name_of(answer, field(tree, "root"), name), "root");
	if (level == 1)
		return depth;
	if (level > 2) {
		snprintf(between, sizeof(between),
		    "(%" JSON_INTEGER_FORMAT " node%s)", level - 2,
		    plural(level - 2));
		draw(depth++, true, between, "");
	}
	draw(depth++, true, name_of(answer, field(tree, "parent"), name), "");
	return depth;
}

void
print_tree(json_t *answer)
{
	const json_t *tree = field(answer, "tree");
	const json_t *children = field(tree, "children");
	size_t count = json_array_size(children);
	char name[PLAIN_TEXT_MAX];
	int depth;

	add_names(answer);
	if (!json_is_object(tree)) {
		printf("no tree: the topology is %s\n",
		    plain_text(field(answer, "topology"), name));
		return;
	}
	if (json_is_true(field(tree, "forming")))
		puts("The tree is still forming.");
	depth = draw_above(answer, tree);
	draw(depth, true, name_of(answer, field(answer, "self"), name),
	    depth == 0 ? "this node, root" : "this node");
	for (size_t i = 0; i < count; i++)
		draw(depth + 1, i + 1 == count,
		    name_of(answer, json_array_get(children, i), name), "");
}
