/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_topology.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_build.h"
#include "daemon/config/settings_value.h"

enum side {
	SIDE_LEFT, /* as in side_words */
	SIDE_RIGHT,
};

/* Is entry `i` an id of a node, and the first of it? Else says so. */
static void
order_check_entry(struct topology_build *b, size_t i)
{
	const struct draft_id *ids = b->draft->order.ids;
	const char *wrong = NULL;
	char name[ENTRY_MAX_BYTES];
	size_t first = 0;

	if (ids[i].id == NODE_NONE)
		return;
	while (ids[first].id != ids[i].id)
		first++;
	if (b->complete && topology_index(b, ids[i].id) == b->known_count)
		wrong = "is not among the nodes";
	else if (first < i)
		wrong = "is listed already";
	if (wrong == NULL)
		return;
	b->linked = false;
	snprintf(name, sizeof(name), "topology.order[%zu]", i);
	settings_errors_add(b->errors, ids[i].line, name,
	    "%u %s; list every node once", ids[i].id, wrong);
}

/* Says so if the order, whose every entry is an id, leaves nodes out. */
static void
order_check_missing(struct topology_build *b)
{
	const struct draft_order *order = &b->draft->order;
	bool listed[NODES_MAX] = { false };
	node_id first = NODE_NONE;
	size_t missing = 0;
	char more[32] = "";

	for (size_t i = 0; i < order->count; i++) {
		size_t index = topology_index(b, order->ids[i].id);

		if (index < b->known_count)
			listed[index] = true;
	}
	for (size_t i = b->known_count; i-- > 0;) {
		if (listed[i])
			continue;
		missing++;
		first = b->known[i];
	}
	if (missing == 0)
		return;
	b->linked = false;
	if (missing > 1)
		snprintf(more, sizeof(more), " and %zu more", missing - 1);
	settings_errors_add(b->errors, order->line, "topology.order",
	    "leaves out %u%s; list every node once", first, more);
}

void
topology_build_order(struct topology_build *b)
{
	const struct draft_order *order = &b->draft->order;
	struct settings *s = b->settings;

	b->linked = b->complete && (order->line == 0 || order->valid);
	for (size_t i = 0; i < order->count; i++)
		order_check_entry(b, i);
	if (b->complete && order->valid)
		order_check_missing(b);
	if (!b->linked)
		return;
	s->order = calloc(b->known_count, sizeof(s->order[0]));
	if (s->order == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	s->order_count = b->known_count;
	for (size_t i = 0; i < s->order_count; i++)
		s->order[i] = order->line > 0 ? order->ids[i].id : b->known[i];
}

/* The neighbours on one side, as listed; allocated; NULL: no memory. */
static node_id *
side_make(const struct topology_build *b, enum side side, size_t *count)
{
	const struct draft_list *list = &b->draft->neighbours;
	node_id *ids = calloc(list->count + 1, sizeof(ids[0]));

	*count = 0;
	if (ids == NULL) {
		b->errors->out_of_memory = true;
		return NULL;
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct draft_node *node = &list->nodes[i];

		if (node->side.valid && node->side.number == (int64_t)side)
			ids[(*count)++] = (node_id)node->id.number;
	}
	return ids;
}

/* Says so of each neighbour without a side; true if all have a good one. */
static bool
sides_check(const struct topology_build *b)
{
	const struct draft_list *list = &b->draft->neighbours;
	char name[ENTRY_MAX_BYTES];
	bool good = true;

	for (size_t i = 0; i < list->count; i++) {
		const struct draft_node *node = &list->nodes[i];

		good &= node->side.valid;
		if (node->side.line > 0)
			continue;
		snprintf(name, sizeof(name), "neighbours[%zu].side", i);
		settings_errors_add(b->errors, node->line, name,
		    "is missing; in a ring, say which side of this node it "
		    "is on, \"left\" or \"right\"");
	}
	return good;
}

void
topology_build_sides(struct topology_build *b)
{
	const struct draft_list *list = &b->draft->neighbours;
	struct settings *s = b->settings;
	enum side lacking = SIDE_LEFT;

	if (!sides_check(b) || list->count == 0)
		return;
	s->left = side_make(b, SIDE_LEFT, &s->left_count);
	s->right = side_make(b, SIDE_RIGHT, &s->right_count);
	if (s->left_count > 0 && s->right_count > 0)
		return;
	if (s->right_count == 0)
		lacking = SIDE_RIGHT;
	settings_errors_add(b->errors, list->line, "neighbours",
	    "none is on the %s; a ring needs one on each side, and where "
	    "there are but two nodes the other is listed for both",
	    side_words[lacking]);
}

/* The sides of the node at `place` of a ring's whole order. */
static void
sides_of_order(
    const struct settings *s, size_t place, struct settings_sides *sides)
{
	size_t count = s->order_count;

	for (size_t i = 1; i < count; i++) {
		sides->right[i - 1] = s->order[(place + i) % count];
		sides->left[i - 1] = s->order[(place + count - i) % count];
	}
	sides->right_count = sides->left_count = count - 1;
}

bool
settings_ring(
    const struct settings *settings, node_id self, struct settings_sides *sides)
{
	const struct settings *s = settings;

	sides->right_count = sides->left_count = 0;
	if (s->topology != TOPOLOGY_RING)
		return false;
	for (size_t i = 0; i < s->order_count; i++) {
		if (s->order[i] != self)
			continue;
		sides_of_order(s, i, sides);
		return true;
	}
	if (!s->neighbours_only || self != s->id)
		return false;
	sides->right_count = s->right_count;
	sides->left_count = s->left_count;
	memcpy(sides->right, s->right, s->right_count * sizeof(node_id));
	memcpy(sides->left, s->left, s->left_count * sizeof(node_id));
	return true;
}
