/* SPDX-License-Identifier: ISC */
/* What a host knows that knows its neighbours only. */
#include "daemon/config/settings_private.h"

#include <string.h>

#include "common/config/circles.h"

/* True if the entries are the same neighbour on both sides of a ring. */
static bool
is_twin(const struct neighbour *x, const struct neighbour *y)
{
	return x->side != SIDE_NONE && y->side != SIDE_NONE &&
	       x->side != y->side;
}

/* Finds the entry before entry `i` that is the same neighbour on the other
 * side of a ring; `i`: there is none, or the neighbour is repeated. Adds an
 * error if they have different addresses. */
static size_t
find_twin(struct parse *p, size_t i)
{
	const struct neighbour *n = p->neighbours;
	size_t twin = i;
	char name[SETTING_MAX_BYTES];
	int line;

	for (size_t j = i; j-- > 0;) {
		if (n[i].id == NODE_NONE || n[j].id != n[i].id)
			continue;
		if (!is_twin(&n[i], &n[j]))
			return i;
		twin = j;
	}
	if (twin == i || n[i].address[0] == '\0' ||
	    n[twin].address[0] == '\0' ||
	    strcmp(n[twin].address, n[i].address) == 0)
		return twin;
	line = parse_line(p, member_name("neighbours", twin, "address", name));
	parse_complain(p, member_name("neighbours", i, "address", name),
	    "\"%s\" differs from the address of the same node in line %d; give the same address on both sides",
	    n[i].address, line);
	return twin;
}

/* Refuses a neighbour with our own id or address. */
static void
check_neighbour(struct parse *p, size_t i)
{
	const struct neighbour *n = &p->neighbours[i];
	const struct settings *s = p->settings;
	char name[SETTING_MAX_BYTES];

	if (s->id != NODE_NONE && n->id == s->id)
		parse_complain(p, member_name("neighbours", i, "id", name),
		    "%u is this node's own; list the others", s->id);
	if (n->address[0] != '\0' && strcmp(s->listen, n->address) == 0)
		parse_complain(p, member_name("neighbours", i, "address", name),
		    "\"%s\" is this node's own (listen); list the others",
		    n->address);
}

/* Refuses a list that lacks what it needs. */
static void
check_list(struct parse *p)
{
	node_id self = p->settings->id;
	int line = parse_line(p, "neighbours");

	if (self == NODE_NONE && parse_line(p, "id") == 0)
		settings_errors_add(p->errors, line, "id",
		    "is missing; a node that knows only its neighbours needs its own id, here or by electd -i");
	else if (self > NODE_ID_MAX)
		settings_errors_add(p->errors, 0, "id",
		    "%u, from the command line, is out of range; must be 1 to %u",
		    self, NODE_ID_MAX);
	if (parse_line(p, "listen") == 0)
		settings_errors_add(p->errors, line, "listen",
		    "is missing; a node that knows only its neighbours needs its own address");
	if (p->neighbours_count >= NODES_MAX)
		parse_complain(p, "neighbours",
		    "has %zu entries; at most %d are allowed",
		    p->neighbours_count, NODES_MAX - 1);
}

void
neighbours_build_nodes(struct parse *p)
{
	struct config *c = &p->settings->shared;

	for (size_t i = 0; i < p->neighbours_count; i++) {
		const struct neighbour *n = &p->neighbours[i];
		struct config_node *node = &c->nodes[c->nodes_count];

		if (find_twin(p, i) < i)
			continue;
		node->id = n->id;
		memcpy(node->address, n->address, sizeof(node->address));
		p->entries[c->nodes_count++] = i;
	}
	check_list(p);
	for (size_t i = 0; i < p->neighbours_count; i++)
		check_neighbour(p, i);
}

/* Adds an error for each neighbour without a side. Returns true if all have a
 * valid one. */
static bool
check_sides(struct parse *p)
{
	enum topology kind = p->settings->shared.topology;
	bool is_right = kind == TOPOLOGY_RING;
	char name[SETTING_MAX_BYTES];

	for (size_t i = 0; i < p->neighbours_count; i++) {
		bool has_side = p->neighbours[i].side != SIDE_NONE;

		is_right &= has_side;
		member_name("neighbours", i, "side", name);
		if (kind == TOPOLOGY_RING && parse_line(p, name) == 0)
			parse_complain(p, name,
			    "is missing; in a ring, say which side of this node it is on, \"left\" or \"right\"");
		else if (kind != TOPOLOGY_RING && has_side)
			parse_complain(p, name,
			    "is not for kind \"%s\"; only \"ring\" has it",
			    topology_words[kind]);
	}
	return is_right;
}

void
neighbours_build_sides(struct parse *p)
{
	struct settings_sides *ring = &p->settings->ring;

	if (!check_sides(p) || p->neighbours_count == 0)
		return;
	for (size_t i = 0; i < p->neighbours_count; i++) {
		const struct neighbour *n = &p->neighbours[i];

		if (n->side == SIDE_LEFT)
			ring->left[ring->left_count++] = n->id;
		else
			ring->right[ring->right_count++] = n->id;
	}
	if (ring->left_count == 0 || ring->right_count == 0)
		parse_complain(p, "neighbours",
		    "none is on the %s; a ring needs one on each side; with only two nodes, list the other one for both",
		    side_words[ring->right_count == 0 ? SIDE_RIGHT
						      : SIDE_LEFT]);
}

void
neighbours_add_self(struct settings *s)
{
	struct config *c = &s->shared;
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
	*sides = settings->ring;
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
