/* SPDX-License-Identifier: ISC */
/* The links of trees and graphs. */
#include "daemon/config/settings_private.h"

#include <stdarg.h>
#include <stdlib.h>

#include "common/util/peer_set.h"
#include "daemon/config/settings_circles.h"

/* The connected parts of the nodes, which are known by their index: a
 * union-find structure. */
struct parts {
	size_t parent[NODES_MAX]; /* a part's head is its own parent */
};

static size_t
parts_head(struct parts *parts, size_t node)
{
	while (parts->parent[node] != node) {
		parts->parent[node] = parts->parent[parts->parent[node]];
		node = parts->parent[node];
	}
	return node;
}

/* Joins the parts of two nodes. */
static void
parts_join(struct parts *parts, size_t a, size_t b)
{
	size_t head_a = parts_head(parts, a);
	size_t head_b = parts_head(parts, b);

	parts->parent[head_b] = head_a;
}

/* Sorts by pair, and within a pair by index. */
static int
draft_compare(const void *a, const void *b)
{
	const struct draft_link *x = a;
	const struct draft_link *y = b;
	int order = settings_link_compare(&(struct settings_link){ x->a, x->b },
	    &(struct settings_link){ y->a, y->b });

	if (order != 0)
		return order;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int
index_compare(const void *a, const void *b)
{
	const struct draft_link *x = a;
	const struct draft_link *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* Adds an error about one link. */
__attribute__((format(printf, 3, 4))) static void
link_refuse(struct topology_build *b, const struct draft_link *link,
    const char *format, ...)
{
	char name[ENTRY_MAX_BYTES];
	char text[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	snprintf(name, sizeof(name), "topology.links[%zu]", link->index);
	settings_errors_add(b->errors, link->line, name, "%s", text);
	b->linked = false;
}

/* Adds an error unless the ends are two different nodes. */
static bool
link_check(struct topology_build *b, const struct draft_link *link)
{
	const node_id ends[] = { link->a, link->b };

	if (link->a == link->b) {
		link_refuse(
		    b, link, "links %u with itself; name two nodes", link->a);
		return false;
	}
	for (size_t i = 0; b->complete && i < 2; i++) {
		if (topology_index(b, ends[i]) < b->known_count)
			continue;
		link_refuse(b, link,
		    "%u is not among the nodes; name two of those", ends[i]);
		return false;
	}
	return true;
}

/*
 * Copies the links that are valid by themselves to `links`, the smaller id
 * first. Returns their number.
 */
static size_t
links_copy(struct topology_build *b, struct draft_link *links)
{
	const struct draft_links *from = &b->draft->topology.links;
	size_t count = 0;

	for (size_t i = 0; i < from->count; i++) {
		const struct draft_link *link = &from->links[i];
		struct settings_link pair = settings_link_of(link->a, link->b);

		if (link->a == NODE_NONE || !link_check(b, link))
			continue;
		links[count] = *link;
		links[count].a = pair.a;
		links[count].b = pair.b;
		count++;
	}
	return count;
}

/* Refuses and drops repeated links. Leaves the rest in the file's order and
 * returns their number. */
static size_t
links_drop_copies(
    struct topology_build *b, struct draft_link *links, size_t count)
{
	size_t kept = 0;

	qsort(links, count, sizeof(links[0]), draft_compare);
	for (size_t i = 0; i < count; i++) {
		const struct draft_link *last = &links[kept - (kept > 0)];

		if (kept == 0 || last->a != links[i].a || last->b != links[i].b)
			links[kept++] = links[i];
		else
			link_refuse(b, &links[i],
			    "%u and %u are already linked in line %d; remove it",
			    last->a, last->b, last->line);
	}
	qsort(links, kept, sizeof(links[0]), index_compare);
	return kept;
}

/* Adds an error unless all nodes are connected. */
static void
links_check_shape(
    struct topology_build *b, const struct draft_link *links, size_t count)
{
	bool whole = b->linked;
	struct parts parts;

	for (size_t i = 0; i < b->known_count; i++)
		parts.parent[i] = i;
	for (size_t i = 0; i < count; i++)
		parts_join(&parts, topology_index(b, links[i].a),
		    topology_index(b, links[i].b));
	for (size_t i = 1; whole && i < b->known_count; i++) {
		if (parts_head(&parts, i) == parts_head(&parts, 0))
			continue;
		settings_errors_add(b->errors, b->draft->topology.links.line,
		    "topology.links",
		    "%u cannot be reached from %u; link every node",
		    b->known[i], b->known[0]);
		b->linked = false;
		return;
	}
}

/* Sets the links, which are valid. All possible ones are stored as none, which
 * means the same; but for a tree of two nodes, as the release before this one
 * has it. */
static void
links_make(
    struct topology_build *b, const struct draft_link *links, size_t count)
{
	struct settings *s = b->settings;
	size_t pairs = b->known_count * (b->known_count - 1) / 2;

	if (count == pairs && (s->topology == TOPOLOGY_GRAPH || count > 1))
		return;
	s->links = calloc(count + 1, sizeof(s->links[0]));
	if (s->links == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	s->links_count = count;
	for (size_t i = 0; i < count; i++)
		s->links[i] = settings_link_of(links[i].a, links[i].b);
	qsort(s->links, count, sizeof(s->links[0]), settings_link_compare);
}

/* Without links, every pair is linked. */
static void
links_default(struct topology_build *b)
{
	struct draft_link link;

	b->linked = b->complete;
	if (b->known_count != 2)
		return;
	link = (struct draft_link){ .a = b->known[0], .b = b->known[1] };
	links_make(b, &link, 1);
}

/* Sets the links of nodes that no file lists. */
static void
links_draw(struct topology_build *b)
{
	struct settings *s = b->settings;

	s->links =
	    calloc(b->known_count * s->degree / 2 + 1, sizeof(s->links[0]));
	if (s->links == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	b->linked = b->complete;
	s->links_count =
	    settings_circles(b->known, b->known_count, s->degree, s->links);
}

void
topology_build_links(struct topology_build *b)
{
	const struct draft_links *from = &b->draft->topology.links;
	struct draft_link *links;
	size_t count;

	if (b->settings->degree > 0) {
		links_draw(b);
		return;
	}
	if (from->line == 0) {
		links_default(b);
		return;
	}
	links = calloc(from->count + 1, sizeof(links[0]));
	if (links == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	b->linked = b->complete && from->valid;
	count = links_copy(b, links);
	count = links_drop_copies(b, links, count);
	if (b->complete)
		links_check_shape(b, links, count);
	if (b->linked)
		links_make(b, links, count);
	free(links);
}

void
topology_build_star(struct topology_build *b)
{
	const struct draft_list *list = &b->draft->neighbours;
	struct settings *s = b->settings;

	s->links = calloc(list->count + 1, sizeof(s->links[0]));
	if (s->links == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	s->links_count = list->count;
	for (size_t i = 0; i < list->count; i++)
		s->links[i] =
		    settings_link_of(s->id, (node_id)list->nodes[i].id.number);
	qsort(s->links, s->links_count, sizeof(s->links[0]),
	    settings_link_compare);
}

/* Adds all neighbours of node `i` to `set`. Nodes are known by their index. */
static void
add_neighbours(struct peer_set *set, const struct peer_set *links, unsigned i)
{
	for (size_t w = 0; w < NODES_MAX / PEER_SET_WORD; w++)
		set->words[w] |= links[i].words[w];
}

/* Removes from `set` what is in `reached`, and adds the rest to `reached`.
 * Returns false if nothing is left. */
static bool
keep_new(struct peer_set *set, struct peer_set *reached)
{
	bool any = false;

	for (size_t i = 0; i < NODES_MAX / PEER_SET_WORD; i++) {
		set->words[i] &= ~reached->words[i];
		reached->words[i] |= set->words[i];
		any |= set->words[i] != 0;
	}
	return any;
}

/* The number of steps from node `start` to the farthest one: breadth first. */
static unsigned
steps_from(const struct peer_set *links, unsigned start)
{
	struct peer_set reached = { { 0 } };
	struct peer_set last = { { 0 } };
	unsigned steps = 0;

	peer_set_add(&reached, start);
	peer_set_add(&last, start);
	for (;;) {
		struct peer_set next = { { 0 } };
		unsigned i = peer_set_next(&last, 0);

		for (; i < NODES_MAX; i = peer_set_next(&last, i + 1))
			add_neighbours(&next, links, i);
		if (!keep_new(&next, &reached))
			return steps;
		last = next;
		steps++;
	}
}

unsigned
topology_links_diameter(const struct topology_build *b)
{
	const struct settings *s = b->settings;
	struct peer_set *links = calloc(NODES_MAX, sizeof(links[0]));
	unsigned most = 0;

	if (links == NULL) {
		b->errors->out_of_memory = true;
		return 0;
	}
	for (size_t i = 0; i < s->links_count; i++) {
		unsigned x = (unsigned)topology_index(b, s->links[i].a);
		unsigned y = (unsigned)topology_index(b, s->links[i].b);

		peer_set_add(&links[x], y);
		peer_set_add(&links[y], x);
	}
	for (unsigned i = 0; i < b->known_count; i++) {
		unsigned steps = steps_from(links, i);

		most = steps > most ? steps : most;
	}
	free(links);
	return most;
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
settings_linked(const struct settings *settings, node_id a, node_id b)
{
	const struct settings *s = settings;
	struct settings_link link = settings_link_of(a, b);
	bool every = s->links_count == 0;

	if (s->topology == TOPOLOGY_RING)
		return ring_linked(s, a, b) || ring_linked(s, b, a);
	if (every)
		return a != b && settings_node(s, a) != NULL &&
		       settings_node(s, b) != NULL;
	return s->links_count > 0 &&
	       bsearch(&link, s->links, s->links_count, sizeof(s->links[0]),
		   settings_link_compare) != NULL;
}
