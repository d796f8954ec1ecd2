/* SPDX-License-Identifier: ISC */
#include "common/config/config_compare.h"

#include <stdio.h>
#include <string.h>

/* A comparison under way: a is what runs, b what is wanted. */
struct comparison {
	const struct config *a;
	const struct config *b;
	node_id bound;
	change_taker *take;
	void *context;
};

bool
config_is_same(const struct config_row *row, const void *a, const void *b)
{
	const char *x = (const char *)a + row->at,
		   *y = (const char *)b + row->at;
	size_t count = config_count(row, a);

	if (row->count_at != 0)
		return count == config_count(row, b) &&
		       (count == 0 || memcmp(config_entry(row, a, 0),
					  config_entry(row, b, 0),
					  count * row->size) == 0);
	if (row->kind == CONFIG_TEXT || row->kind == CONFIG_ADDRESS)
		return strcmp(x, y) == 0;
	if (row->kind == CONFIG_ALGORITHM)
		return ((const struct config *)a)->algorithm ==
		       ((const struct config *)b)->algorithm;
	return memcmp(x, y, config_bytes(row)) == 0;
}

/* What a change of the nodes needs: hosts that know only their neighbours need
 * not agree on them. */
static enum change
change_of_nodes(const struct comparison *c)
{
	return c->a->neighbours_only && c->b->neighbours_only &&
		       c->a->topology != TOPOLOGY_FULL
		   ? CHANGE_RESTART
		   : CHANGE_CLUSTER;
}

/* Tells of a node: `what` is as "address of". */
static void
tell_node(const struct comparison *c, enum change change, const char *what,
    const struct config_node *node)
{
	char text[CHANGE_TEXT_MAX];

	snprintf(text, sizeof(text), "%s %s", what, node->name);
	c->take(c->context, change, text);
}

static void
compare_node(const struct comparison *c, const struct config_node *a,
    const struct config_node *b)
{
	for (const struct config_row *r = config_node_rows; r->name; r++) {
		enum change change = r->change;
		char what[32];

		if (config_is_same(r, a, b))
			continue;
		if (change == CHANGE_CLUSTER)
			change = change_of_nodes(c);
		if (r->kind == CONFIG_ADDRESS && a->id == c->bound)
			change = CHANGE_RESTART;
		snprintf(what, sizeof(what), "%s%s", r->name,
		    r->is_hidden ? "" : " of");
		tell_node(c, change, what, a);
	}
}

/* Both lists are sorted by id. */
static void
compare_nodes(const struct comparison *c)
{
	const struct config *a = c->a, *b = c->b;
	size_t i = 0, j = 0;

	while (i < a->nodes_count || j < b->nodes_count) {
		const struct config_node *one =
		    i < a->nodes_count ? &a->nodes[i] : NULL;
		const struct config_node *other =
		    j < b->nodes_count ? &b->nodes[j] : NULL;

		if (other == NULL || (one != NULL && one->id < other->id)) {
			tell_node(c, change_of_nodes(c), "nodes: without", one);
			i++;
		} else if (one == NULL || other->id < one->id) {
			tell_node(c, change_of_nodes(c), "nodes: also", other);
			j++;
		} else {
			compare_node(c, one, other);
			i++;
			j++;
		}
	}
}

static bool
is_same_row(const struct comparison *c, const struct config_row *row)
{
	const struct config *a = c->a, *b = c->b;
	bool is_same_kind = a->topology == b->topology;

	if (row->is_counted)
		return true;
	if (row->needs_same_kind && !is_same_kind)
		return true;
	if (row->kind == CONFIG_PAIRS && a->degree > 0)
		return true; /* they follow from the nodes */
	return config_is_same(row, a, b);
}

/* What a row is called: the group of an algorithm has no name of its own. */
static const char *
row_text(const struct config_row *row)
{
	return row->name[0] == '*' ? "options of the algorithm" : row->name;
}

void
config_compare(const struct config *running, const struct config *wanted,
    node_id bound, change_taker *take, void *context)
{
	const struct comparison c = { running, wanted, bound, take, context };
	const char *told = "";

	for (const struct config_row *row = config_rows; row->name; row++) {
		if (row->kind == CONFIG_SECTIONS) {
			compare_nodes(&c);
		} else if (!is_same_row(&c, row) &&
			   strcmp(told, row_text(row)) != 0) {
			told = row_text(row);
			take(context, row->change, told);
		}
	}
}
