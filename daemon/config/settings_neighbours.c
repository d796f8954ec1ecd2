/* SPDX-License-Identifier: ISC */
/* What a host knows that knows its neighbours only. */
#include "daemon/config/settings_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/config/circles.h"
#include "common/config/config_value.h"
#include "daemon/config/settings_value.h"

enum side {
	SIDE_LEFT, /* in the order of side_words */
	SIDE_RIGHT,
};

/* True if the entries are the same neighbour on both sides of a ring. */
static bool
is_twin(const struct draft_node *x, const struct draft_node *y)
{
	return x->id.valid && y->id.valid && x->id.number == y->id.number &&
	       x->side.valid && y->side.valid &&
	       x->side.number != y->side.number;
}

/* True if an entry before entry `i` is the same neighbour on the same side. */
static bool
is_repeated(const struct draft_node *nodes, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		if (nodes[j].id.valid && nodes[i].id.valid &&
		    nodes[j].id.number == nodes[i].id.number &&
		    !is_twin(&nodes[i], &nodes[j]))
			return true;
	}
	return false;
}

size_t
neighbours_find_twin(const struct shared_build *b, size_t i)
{
	const struct draft_node *nodes = b->list->nodes;
	size_t j = 0;
	char name[ENTRY_MAX_BYTES];

	if (is_repeated(nodes, i))
		return i;
	while (j < i && !is_twin(&nodes[i], &nodes[j]))
		j++;
	if (j == i || !nodes[i].address.valid || !nodes[j].address.valid ||
	    strcmp(nodes[j].canonical, nodes[i].canonical) == 0)
		return j;
	snprintf(name, sizeof(name), "%s[%zu].address", b->list_name, i);
	settings_errors_add(b->errors, nodes[i].address.line, name,
	    "\"%s\" differs from the address of the same node in line %d; give the same address on both sides",
	    nodes[i].address.text, nodes[j].address.line);
	return j;
}

/* Refuses a neighbour with our own id or address. */
static void
check_neighbour(const struct shared_build *b, size_t i)
{
	const struct draft_node *node = &b->list->nodes[i];
	const struct given *listen = &b->draft->listen;
	node_id self = b->settings->id;
	char name[ENTRY_MAX_BYTES], own[ADDRESS_MAX_BYTES];

	if (self != NODE_NONE && node->id.valid &&
	    node->id.number == (int64_t)self) {
		snprintf(name, sizeof(name), "neighbours[%zu].id", i);
		settings_errors_add(b->errors, node->id.line, name,
		    "%u is this node's own; list the others", self);
	}
	if (listen->valid && node->address.valid &&
	    address_fault(listen->text, own) == NULL &&
	    strcmp(own, node->canonical) == 0) {
		snprintf(name, sizeof(name), "neighbours[%zu].address", i);
		settings_errors_add(b->errors, node->address.line, name,
		    "\"%s\" is this node's own (listen); list the others",
		    node->address.text);
	}
}

void
neighbours_check(const struct shared_build *b)
{
	node_id self = b->settings->id;

	if (self == NODE_NONE && b->draft->id.line == 0)
		settings_errors_add(b->errors, b->list->line, "id",
		    "is missing; a node that knows only its neighbours needs its own id, here or by electd -i");
	else if (self > NODE_ID_MAX)
		settings_errors_add(b->errors, 0, "id",
		    "%u, from the command line, is out of range; must be 1 to %u",
		    self, NODE_ID_MAX);
	if (b->draft->listen.line == 0)
		settings_errors_add(b->errors, b->list->line, "listen",
		    "is missing; a node that knows only its neighbours needs its own address");
	if (b->list->count >= NODES_MAX)
		settings_errors_add(b->errors, b->list->line, "neighbours",
		    "has %zu entries; at most %d are allowed", b->list->count,
		    NODES_MAX - 1);
	for (size_t i = 0; i < b->list->count; i++)
		check_neighbour(b, i);
}

/* Returns the neighbours on one side, as listed, allocated, or NULL after
 * adding an error if there is no memory. */
static node_id *
side_make(const struct shared_build *b, enum side side, size_t *count)
{
	node_id *ids = calloc(b->list->count + 1, sizeof(ids[0]));

	*count = 0;
	if (ids == NULL) {
		b->errors->out_of_memory = true;
		return NULL;
	}
	for (size_t i = 0; i < b->list->count; i++) {
		const struct draft_node *node = &b->list->nodes[i];

		if (node->side.valid && node->side.number == (int64_t)side)
			ids[(*count)++] = (node_id)node->id.number;
	}
	return ids;
}

/* Adds an error for each neighbour without a side. Returns true if all have a
 * valid one. */
static bool
check_sides(const struct shared_build *b)
{
	bool is_ring = b->config->topology == TOPOLOGY_RING, is_right = true;
	char name[ENTRY_MAX_BYTES];

	for (size_t i = 0; i < b->list->count; i++) {
		const struct draft_node *node = &b->list->nodes[i];

		snprintf(name, sizeof(name), "neighbours[%zu].side", i);
		is_right &= node->side.valid;
		if (is_ring && node->side.line == 0)
			settings_errors_add(b->errors, node->line, name,
			    "is missing; in a ring, say which side of this node it is on, \"left\" or \"right\"");
		else if (!is_ring && node->side.valid)
			settings_errors_add(b->errors, node->side.line, name,
			    "is not for kind \"%s\"; only \"ring\" has it",
			    topology_words[b->config->topology]);
	}
	return is_right && is_ring;
}

void
neighbours_build_sides(struct shared_build *b)
{
	struct settings_ring *ring = &b->settings->ring;
	enum side lacking = SIDE_LEFT;

	if (!check_sides(b) || b->list->count == 0)
		return;
	ring->left = side_make(b, SIDE_LEFT, &ring->left_count);
	ring->right = side_make(b, SIDE_RIGHT, &ring->right_count);
	if (ring->left_count > 0 && ring->right_count > 0)
		return;
	if (ring->right_count == 0)
		lacking = SIDE_RIGHT;
	settings_errors_add(b->errors, b->list->line, "neighbours",
	    "none is on the %s; a ring needs one on each side; with only two nodes, list the other one for both",
	    side_words[lacking]);
}

void
neighbours_add_self(struct shared_build *b)
{
	const struct settings *s = b->settings;
	struct config *c = b->config;
	struct config_node *self = &c->nodes[c->nodes_count];

	if (c->topology == TOPOLOGY_TREE || c->topology == TOPOLOGY_GRAPH) {
		for (size_t i = 0; i < c->nodes_count; i++)
			c->links[i] = config_link_of(s->id, c->nodes[i].id);
		c->links_count = c->nodes_count;
	}
	*self = (struct config_node){ .id = s->id };
	snprintf(self->address, sizeof(self->address), "%s", s->listen);
	c->nodes_count++;
}

/* The sides of the node at `index` in the whole ring's order. */
static void
sides_of_order(
    const struct config *c, size_t index, struct settings_sides *sides)
{
	size_t count = c->order_count;

	for (size_t i = 1; i < count; i++) {
		sides->right[i - 1] = c->order[(index + i) % count];
		sides->left[i - 1] = c->order[(index + count - i) % count];
	}
	sides->right_count = sides->left_count = count - 1;
}

bool
settings_ring(
    const struct settings *settings, node_id self, struct settings_sides *sides)
{
	const struct settings_ring *ring = &settings->ring;
	const struct config *c = &settings->shared;
	size_t index = config_order_index(c, self);

	sides->right_count = sides->left_count = 0;
	if (c->topology != TOPOLOGY_RING)
		return false;
	if (index < c->order_count) {
		sides_of_order(c, index, sides);
		return true;
	}
	if (!c->neighbours_only || self != settings->id)
		return false;
	sides->right_count = ring->right_count;
	sides->left_count = ring->left_count;
	memcpy(sides->right, ring->right, ring->right_count * sizeof(node_id));
	memcpy(sides->left, ring->left, ring->left_count * sizeof(node_id));
	return true;
}

/* True if `b` is next to `a` in the ring, and we know the sides of `a`. */
static bool
ring_linked(const struct settings *settings, node_id a, node_id b)
{
	struct settings_sides sides;

	return settings_ring(settings, a, &sides) && sides.right_count > 0 &&
	       (sides.right[0] == b || sides.left[0] == b);
}

bool
settings_linked(const struct settings *s, node_id a, node_id b)
{
	return s->shared.topology == TOPOLOGY_RING
		   ? ring_linked(s, a, b) || ring_linked(s, b, a)
		   : config_has_link(&s->shared, a, b);
}
