/* SPDX-License-Identifier: ISC */
#include "common/config/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/config/circles.h"
#include "common/util/arena.h"
#include "common/util/sort.h"

const char *const guarantee_words[] = { "component", "quorum", NULL };
const char *const prefer_words[] = { "highest", "lowest", NULL };
const char *const preempt_words[] = { "always", "never", "after", NULL };
const char *const role_words[] = { "candidate", "voter", "observer", NULL };
const char *const announce_words[] = { "best", "any", NULL };
const char *const topology_words[] = { "full", "ring", "tree", "graph", NULL };

size_t
config_size(size_t nodes, size_t links)
{
	assert(nodes <= NODES_MAX);
	return arena_aligned((nodes + 1) * sizeof(struct config_node)) +
	       arena_aligned((nodes + 1) * sizeof(node_id)) +
	       arena_aligned((links + 1) * sizeof(struct config_link));
}

void
config_place(struct config *c, void *memory, size_t nodes, size_t links)
{
	uint8_t *at = memory;

	c->nodes = arena_carve(&at, (nodes + 1) * sizeof(c->nodes[0]));
	c->order = arena_carve(&at, (nodes + 1) * sizeof(c->order[0]));
	c->links = arena_carve(&at, (links + 1) * sizeof(c->links[0]));
	c->nodes_count = c->order_count = c->links_count = 0;
}

static void
copy(void *to, const void *from, size_t size)
{
	if (size > 0) /* else there may be no array */
		memcpy(to, from, size);
}

void
config_copy(struct config *to, const struct config *from)
{
	struct config_node *nodes = to->nodes;
	node_id *order = to->order;
	struct config_link *links = to->links;

	*to = *from;
	to->nodes = nodes;
	to->order = order;
	to->links = links;
	copy(nodes, from->nodes, from->nodes_count * sizeof(nodes[0]));
	copy(order, from->order, from->order_count * sizeof(order[0]));
	copy(links, from->links, from->links_count * sizeof(links[0]));
}

size_t
config_links_most(const struct config *c, size_t nodes)
{
	return c->degree > 0 ? nodes * c->degree / 2 : c->links_count;
}

static int
node_compare(const void *a, const void *b)
{
	const struct config_node *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void
complete_order(struct config *c)
{
	size_t count = c->nodes_count, first = 0;
	node_id given[NODES_MAX];

	if (c->order_count == 0) {
		for (size_t i = 0; i < count; i++)
			c->order[i] = c->nodes[i].id;
		c->order_count = count;
		return;
	}
	assert(c->order_count == count);
	memcpy(given, c->order, count * sizeof(given[0]));
	while (first < count && given[first] != c->nodes[0].id)
		first++;
	assert(first < count);
	for (size_t i = 0; i < count; i++)
		c->order[i] = given[(first + i) % count];
}

/* All possible links are stored as none, which means the same. */
static void
complete_links(struct config *c)
{
	size_t pairs = c->nodes_count * (c->nodes_count - 1) / 2;
	node_id ids[NODES_MAX];

	if (c->degree > 0) {
		for (size_t i = 0; i < c->nodes_count; i++)
			ids[i] = c->nodes[i].id;
		c->links_count =
		    circles(ids, c->nodes_count, c->degree, c->links);
		return;
	}
	for (size_t i = 0; i < c->links_count; i++)
		c->links[i] = config_link_of(c->links[i].a, c->links[i].b);
	sort(
	    c->links, c->links_count, sizeof(c->links[0]), config_link_compare);
	if (c->links_count == pairs && !c->neighbours_only)
		c->links_count = 0;
}

static void
complete_nodes(struct config *c)
{
	for (size_t i = 0; i < c->nodes_count; i++) {
		struct config_node *node = &c->nodes[i];

		if (node->name[0] == '\0')
			snprintf(node->name, sizeof(node->name), "%" PRIu32,
			    node->id);
		/* Then no file lists any. */
		node->is_discovered |=
		    c->discovers && c->guarantee == GUARANTEE_COMPONENT;
	}
}

void
config_complete(struct config *c)
{
	assert(c->nodes_count <= NODES_MAX);
	complete_nodes(c);
	sort(c->nodes, c->nodes_count, sizeof(c->nodes[0]), node_compare);
	if (c->nodes_count == 0)
		return;
	if (c->topology == TOPOLOGY_RING && !c->neighbours_only)
		complete_order(c);
	if (c->topology == TOPOLOGY_TREE || c->topology == TOPOLOGY_GRAPH)
		complete_links(c);
	if ((c->algorithm->choices & CHOICE_DIAMETER) != 0 &&
	    c->choices.diameter == 0)
		c->choices.diameter = (uint32_t)c->nodes_count - 1;
}

const struct config_node *
config_find(const struct config *c, node_id id)
{
	const struct config_node key = { .id = id };
	size_t i = sort_find(
	    c->nodes, c->nodes_count, sizeof(key), &key, node_compare);

	return i < c->nodes_count && c->nodes[i].id == id ? &c->nodes[i] : NULL;
}

const struct config_node *
config_named(const struct config *c, const char *word)
{
	for (size_t i = 0; i < c->nodes_count; i++) {
		const struct config_node *node = &c->nodes[i];
		char id[ID_TEXT_MAX];

		snprintf(id, sizeof(id), "%" PRIu32, node->id);
		if (strcmp(word, node->name) == 0 || strcmp(word, id) == 0)
			return node;
	}
	return NULL;
}

bool
config_has_document(const struct config *c)
{
	return !c->neighbours_only;
}

enum role
config_discovered_role(const struct config *c, enum role said)
{
	return c->guarantee == GUARANTEE_QUORUM ? ROLE_OBSERVER : said;
}

size_t
config_order_index(const struct config *c, node_id id)
{
	size_t i = 0;

	while (i < c->order_count && c->order[i] != id)
		i++;
	return i;
}

bool
config_has_link(const struct config *c, node_id a, node_id b)
{
	const struct config_link link = config_link_of(a, b);
	size_t i;

	if (c->links_count == 0)
		return a != b && config_find(c, a) != NULL &&
		       config_find(c, b) != NULL;
	i = sort_find(
	    c->links, c->links_count, sizeof(link), &link, config_link_compare);
	return i < c->links_count &&
	       config_link_compare(&c->links[i], &link) == 0;
}
