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

static bool
is_same_value(const struct config_row *row, const void *a, const void *b)
{
	const struct config *x = a, *y = b;

	if (row->kind == CONFIG_NAME || row->kind == CONFIG_ADDRESS)
		return strcmp((const char *)a + row->at,
			   (const char *)b + row->at) == 0;
	if (row->kind == CONFIG_ALGORITHM)
		return x->algorithm == y->algorithm;
	return config_value(row, a) == config_value(row, b);
}

static bool
is_same_order(const struct config *a, const struct config *b)
{
	return a->order_count == b->order_count &&
	       memcmp(a->order, b->order,
		   a->order_count * sizeof(a->order[0])) == 0;
}

static bool
is_same_links(const struct config *a, const struct config *b)
{
	return a->degree > 0 ||
	       (a->links_count == b->links_count &&
		   memcmp(a->links, b->links,
		       a->links_count * sizeof(a->links[0])) == 0);
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

/* Tells of a node: `what` is as "address of ". */
static void
tell_node(const struct comparison *c, enum change change, const char *what,
    const struct config_node *node)
{
	char text[CHANGE_TEXT_MAX];

	snprintf(text, sizeof(text), "%s%s", what, node->name);
	c->take(c->context, change, text);
}

static void
compare_node(const struct comparison *c, const struct config_node *a,
    const struct config_node *b)
{
	for (const struct config_row *r = config_node_rows; r->name; r++) {
		enum change change = r->change;

		if (is_same_value(r, a, b))
			continue;
		if (change == CHANGE_CLUSTER)
			change = change_of_nodes(c);
		if (r->kind == CONFIG_ADDRESS && a->id == c->bound)
			change = CHANGE_RESTART;
		tell_node(c, change, r->name, a);
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
			tell_node(
			    c, change_of_nodes(c), "nodes: without ", one);
			i++;
		} else if (one == NULL || other->id < one->id) {
			tell_node(c, change_of_nodes(c), "nodes: also ", other);
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
	if (row->kind == CONFIG_ORDER)
		return !is_same_kind || is_same_order(a, b);
	if (row->kind == CONFIG_LINKS)
		return !is_same_kind || is_same_links(a, b);
	if (row->needs_same_kind && !is_same_kind)
		return true;
	return is_same_value(row, a, b);
}

void
config_compare(const struct config *running, const struct config *wanted,
    node_id bound, change_taker *take, void *context)
{
	const struct comparison c = { running, wanted, bound, take, context };
	const char *told = "";

	for (const struct config_row *row = config_rows; row->name; row++) {
		if (row->kind == CONFIG_NODES) {
			compare_nodes(&c);
		} else if (!is_same_row(&c, row) &&
			   strcmp(told, row->name) != 0) {
			take(context, row->change, row->name);
			told = row->name;
		}
	}
}
