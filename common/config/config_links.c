/* SPDX-License-Identifier: ISC */
/* The checks of rings, trees and graphs. */
#include "common/config/config_private.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/config/circles.h"
#include "common/util/sort.h"

#define ORDER_ADVICE "list every node once"

static bool
is_linked_kind(const struct config *c)
{
	return c->topology == TOPOLOGY_TREE || c->topology == TOPOLOGY_GRAPH;
}

static int
id_compare(const void *a, const void *b)
{
	const node_id *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Finds the ids that there are. True if no node lacks one: then an id that is
 * not among them is wrong. */
static bool
work_begin(struct config_work *w, const struct config *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->nodes_count; i++) {
		if (c->nodes[i].id != NODE_NONE)
			w->ids[count++] = c->nodes[i].id;
	}
	sort(w->ids, count, sizeof(w->ids[0]), id_compare);
	w->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || w->ids[i] != w->ids[w->count - 1])
			w->ids[w->count++] = w->ids[i];
	}
	for (size_t i = 0; i < w->count; i++)
		w->next[i] = (struct peer_set){ .used = 0 };
	return count > 0 && count == c->nodes_count;
}

/* The index of an id; count: it is none of these. */
static size_t
index_of(const struct config_work *w, node_id id)
{
	size_t i = sort_find(w->ids, w->count, sizeof(id), &id, id_compare);

	return i < w->count && w->ids[i] == id ? i : w->count;
}

/* A setting that another kind of topology has. */
static void
refuse_kind(struct checker *k, const char *at, const char *kinds)
{
	fault_add(k, fault_at(at, NULL),
	    "is not for kind \"%s\"; only %s has it",
	    topology_words[k->config->topology], kinds);
}

/* Checks that entry `i` is a node's id, for the first time. */
static void
check_order_entry(struct checker *k, size_t i, bool is_complete)
{
	const node_id *order = k->config->order;
	size_t first = 0;

	if (order[i] == NODE_NONE)
		return;
	while (order[first] != order[i])
		first++;
	if (is_complete && index_of(k->work, order[i]) == k->work->count)
		fault_add(k,
		    fault_in("topology.order[]", i, NO_ENTRY, ORDER_ADVICE),
		    "%" PRIu32 " is not among the nodes", order[i]);
	else if (first < i)
		fault_add(k,
		    fault_in("topology.order[]", i, NO_ENTRY, ORDER_ADVICE),
		    "%" PRIu32 " is already listed", order[i]);
}

/* Checks that the order, whose entries are all ids, leaves no node out. */
static void
check_order_missing(struct checker *k)
{
	const struct config *c = k->config;
	node_id first = NODE_NONE;
	size_t missing = 0;
	char more[32] = "";

	for (size_t i = k->work->count; i-- > 0;) {
		if (config_order_index(c, k->work->ids[i]) < c->order_count)
			continue;
		missing++;
		first = k->work->ids[i];
	}
	if (missing > 1)
		snprintf(more, sizeof(more), " and %zu more", missing - 1);
	if (missing > 0)
		fault_add(k, fault_at("topology.order[]", ORDER_ADVICE),
		    "leaves out %" PRIu32 "%s", first, more);
}

static void
check_order(struct checker *k, bool is_complete)
{
	const struct config *c = k->config;
	bool has_all = is_complete;

	for (size_t i = 0; i < c->order_count; i++) {
		check_order_entry(k, i, is_complete);
		has_all &= c->order[i] != NODE_NONE;
	}
	if (has_all)
		check_order_missing(k);
}

/* The link before entry `i` that has the same ends: there is one. */
static size_t
link_before(const struct config *c, size_t i)
{
	const struct config_link link =
	    config_link_of(c->links[i].a, c->links[i].b);

	for (size_t j = 0;; j++) {
		const struct config_link other =
		    config_link_of(c->links[j].a, c->links[j].b);

		assert(j < i);
		if (config_link_compare(&link, &other) == 0)
			return j;
	}
}

/* Checks a link, both of whose ends are ids, and takes it to the work. */
static void
check_link(struct checker *k, size_t i, bool is_complete)
{
	const struct config_link *link = &k->config->links[i];
	struct config_work *w = k->work;
	size_t a = index_of(w, link->a), b = index_of(w, link->b), other;

	if (link->a == link->b) {
		fault_add(k,
		    fault_in("topology.links[]", i, NO_ENTRY, "name two nodes"),
		    "links %" PRIu32 " with itself", link->a);
		return;
	}
	if (a == w->count || b == w->count) {
		if (is_complete)
			fault_add(k,
			    fault_in("topology.links[]", i, NO_ENTRY,
				"name two of those"),
			    "%" PRIu32 " is not among the nodes",
			    a == w->count ? link->a : link->b);
		return;
	}
	if (peer_set_has(&w->next[a], (unsigned)b)) {
		struct config_fault fault =
		    fault_in("topology.links[]", i, NO_ENTRY, "remove it");
		const struct config_link pair =
		    config_link_of(link->a, link->b);

		other = link_before(k->config, i);
		fault.other = other;
		fault_add(k, fault,
		    "%" PRIu32 " and %" PRIu32 " are already linked", pair.a,
		    pair.b);
	}
	peer_set_add(&w->next[a], (unsigned)b);
	peer_set_add(&w->next[b], (unsigned)a);
}

/* Removes from `set` what is in `reached`, and adds the rest to `reached`.
 * Returns false if nothing is left. */
static bool
keep_new(struct peer_set *set, struct peer_set *reached)
{
	peer_set_leave(set, reached);
	peer_set_join(reached, set);
	return set->used != 0;
}

/* The number of steps from node `start` to the farthest one, breadth first, and
 * whom they reach. */
static unsigned
steps_from(
    const struct config_work *w, unsigned start, struct peer_set *reached)
{
	struct peer_set last = { .used = 0 };
	unsigned steps = 0;

	*reached = last;
	peer_set_add(reached, start);
	peer_set_add(&last, start);
	for (;;) {
		struct peer_set next = { .used = 0 };
		unsigned i = peer_set_next(&last, 0);

		for (; i < NODES_MAX; i = peer_set_next(&last, i + 1))
			peer_set_join(&next, &w->next[i]);
		if (!keep_new(&next, reached))
			return steps;
		last = next;
		steps++;
	}
}

/* Checks that the links, which are right, connect all nodes. */
static void
check_connected(struct checker *k)
{
	const struct config_work *w = k->work;
	struct peer_set reached;

	(void)steps_from(w, 0, &reached);
	for (unsigned i = 1; i < w->count; i++) {
		if (peer_set_has(&reached, i))
			continue;
		fault_add(k, fault_at("topology.links[]", "link every node"),
		    "%" PRIu32 " cannot be reached from %" PRIu32, w->ids[i],
		    w->ids[0]);
		return;
	}
}

static void
check_links_given(struct checker *k, bool is_complete)
{
	const struct config *c = k->config;
	bool was_right = k->is_right;

	k->is_right = is_complete;
	for (size_t i = 0; i < c->links_count; i++) {
		if (c->links[i].a != NODE_NONE && c->links[i].b != NODE_NONE)
			check_link(k, i, is_complete);
		else
			k->is_right = false; /* a file gives it wrong */
	}
	if (k->is_right)
		check_connected(k);
	k->is_right = k->is_right && was_right;
}

/* What discovery finds by itself. */
static void
check_discovery(struct checker *k)
{
	const struct config *c = k->config;

	if (c->order_count > 0)
		fault_add(k, fault_at("topology.order[]", "remove it"),
		    "cannot be given together with discovery: the ring is in the order of the ids");
	if (c->links_count > 0)
		fault_add(k, fault_at("topology.links[]", "remove it"),
		    "cannot be given together with discovery");
}

static void
check_degree(struct checker *k)
{
	const struct config *c = k->config;

	if (c->degree == 0)
		return;
	if (!is_linked_kind(c))
		refuse_kind(k, "topology.degree", "\"tree\" or \"graph\"");
	else if (c->degree % 2 != 0)
		fault_add(k, fault_at("topology.degree", "must be even"),
		    "%u is odd", c->degree);
	else if (!c->discovers)
		fault_add(k,
		    fault_at(
			"topology.degree", "remove it, or give topology.links"),
		    "is for discovery only");
}

void
check_links(struct checker *k)
{
	const struct config *c = k->config;
	bool is_complete = work_begin(k->work, c);

	check_degree(k);
	if (c->order_count > 0 && c->topology != TOPOLOGY_RING)
		refuse_kind(k, "topology.order[]", "\"ring\"");
	if (c->links_count > 0 && !is_linked_kind(c))
		refuse_kind(k, "topology.links[]", "\"tree\" or \"graph\"");
	if (c->discovers) {
		check_discovery(k);
		return;
	}
	if (c->order_count > 0 && c->topology == TOPOLOGY_RING)
		check_order(k, is_complete);
	if (c->links_count > 0 && is_linked_kind(c))
		check_links_given(k, is_complete);
}

/* The diameter while all nodes are up; 0: unknown. */
static unsigned
diameter_least(struct checker *k)
{
	const struct config *c = k->config;
	struct config_work *w = k->work;
	unsigned most = 0;
	struct peer_set reached;

	if (c->neighbours_only || c->nodes_count < 2)
		return 0;
	if (c->topology == TOPOLOGY_RING)
		return (unsigned)c->nodes_count / 2;
	/* The tree that the nodes find in a graph may be a path. */
	if (c->topology == TOPOLOGY_TREE && c->nodes_count > 2 &&
	    c->links_count != c->nodes_count - 1)
		return (unsigned)c->nodes_count - 1;
	if (c->links_count == 0)
		return 1;
	(void)work_begin(w, c);
	for (size_t i = 0; i < c->links_count; i++) {
		size_t a = index_of(w, c->links[i].a);
		size_t b = index_of(w, c->links[i].b);

		peer_set_add(&w->next[a], (unsigned)b);
		peer_set_add(&w->next[b], (unsigned)a);
	}
	for (unsigned i = 0; i < w->count; i++) {
		unsigned steps = steps_from(w, i, &reached);

		most = steps > most ? steps : most;
	}
	return most;
}

void
check_diameter(struct checker *k)
{
	const struct config *c = k->config;
	uint32_t given = c->choices.diameter;
	unsigned least;

	/* No two nodes are farther apart than all in a row. */
	if (!algorithm_has(c->algorithm, CHOICE_DIAMETER) ||
	    given + 1 >= c->nodes_count)
		return;
	least = diameter_least(k);
	if (given < least)
		fault_add(k, fault_at("topology.diameter", NULL),
		    "%" PRIu32
		    " is too small; must be at least %u, the greatest number of links between two nodes while all are up",
		    given, least);
}
