/* SPDX-License-Identifier: ISC */
/* The topology, the sides of rings, the diameter, the choices. */
#include "daemon/config/settings_private.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_value.h"

enum side {
	SIDE_LEFT, /* in the order of side_words */
	SIDE_RIGHT,
};

static bool
algorithm_suits(const struct algorithm *algorithm, unsigned kind)
{
	return (unsigned)algorithm->topology == kind ||
	       algorithm->topology == TOPOLOGY_GRAPH;
}

static bool
algorithm_has(const struct algorithm *algorithm, unsigned choice)
{
	return (algorithm->choices & choice) != 0;
}

const char *
algorithms_list(bool (*passes)(const struct algorithm *, unsigned),
    unsigned what, char buffer[ALGORITHMS_BYTES])
{
	size_t used = 0;

	snprintf(buffer, ALGORITHMS_BYTES, "none");
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		if (passes != NULL && !passes(algorithms[i], what))
			continue;
		if (used < ALGORITHMS_BYTES)
			used += (size_t)snprintf(buffer + used,
			    ALGORITHMS_BYTES - used, "%s\"%s\"",
			    used == 0 ? "" : ", ", algorithms[i]->name);
	}
	return buffer;
}

/* Refuses a setting that this kind of topology does not have. */
static void
check_kind(const struct topology_build *b, int line, const char *name, bool has,
    const char *kinds)
{
	if (line == 0 || has)
		return;
	settings_errors_add(b->errors, line, name,
	    "is not for kind \"%s\"; only %s has it",
	    topology_words[b->settings->topology], kinds);
}

/* Refuses a setting that needs `nodes`. */
static void
check_form(const struct topology_build *b, int line, const char *name, bool has)
{
	if (line == 0 || !has || b->draft->neighbours.line == 0)
		return;
	settings_errors_add(b->errors, line, name,
	    "cannot be given together with \"neighbours\" (line %d); remove it",
	    b->draft->neighbours.line);
}

static void
check_parts(const struct topology_build *b)
{
	const struct draft *draft = b->draft;
	const struct draft_list *neighbours = &draft->neighbours;
	enum topology kind = b->settings->topology;
	bool ring = kind == TOPOLOGY_RING;
	bool linked = kind == TOPOLOGY_TREE || kind == TOPOLOGY_GRAPH;
	char name[ENTRY_MAX_BYTES];

	check_kind(
	    b, draft->topology.order.line, "topology.order", ring, "\"ring\"");
	check_kind(b, draft->topology.links.line, "topology.links", linked,
	    "\"tree\" or \"graph\"");
	check_form(b, draft->topology.order.line, "topology.order", ring);
	check_form(b, draft->topology.links.line, "topology.links", linked);
	for (size_t i = 0; i < neighbours->count; i++) {
		const struct given *side = &neighbours->nodes[i].side;

		if (!side->valid)
			continue;
		snprintf(name, sizeof(name), "neighbours[%zu].side", i);
		check_kind(b, side->line, name, ring, "\"ring\"");
	}
}

/* Sets the degree, which only nodes that no file lists have. */
static void
build_degree(struct topology_build *b)
{
	const struct draft *draft = b->draft;
	const struct given *degree = &draft->topology.degree;
	struct settings *s = b->settings;
	bool linked =
	    s->topology == TOPOLOGY_TREE || s->topology == TOPOLOGY_GRAPH;

	check_kind(b, degree->line, "topology.degree", linked,
	    "\"tree\" or \"graph\"");
	if (!linked || !degree->valid)
		return;
	if (degree->number % 2 != 0)
		settings_errors_add(b->errors, degree->line, "topology.degree",
		    "%lld is odd; must be even", (long long)degree->number);
	else if (s->discovery.is_on)
		s->degree = (unsigned)degree->number;
	else if (degree->line > 0)
		settings_errors_add(b->errors, degree->line, "topology.degree",
		    "is for discovery only; remove it, or give topology.links");
}

static void
check_suits(const struct topology_build *b)
{
	const struct algorithm *algorithm = b->settings->algorithm;
	enum topology kind = b->settings->topology;
	char list[ALGORITHMS_BYTES];

	if (algorithm == NULL || algorithm_suits(algorithm, (unsigned)kind))
		return;
	settings_errors_add(b->errors, b->line, "topology.kind",
	    "\"%s\" does not suit \"%s\", which needs \"%s\"; algorithms for it: %s",
	    topology_words[kind], algorithm->name,
	    topology_words[algorithm->topology],
	    algorithms_list(algorithm_suits, (unsigned)kind, list));
}

/* Sets the kind. Returns false if neither it nor the algorithm is valid. */
static bool
build_kind(struct topology_build *b)
{
	const struct given *kind = &b->draft->topology.kind;
	struct settings *s = b->settings;

	if (kind->valid)
		s->topology = (enum topology)kind->number;
	else if (kind->line == 0 && s->algorithm != NULL)
		s->topology = s->algorithm->topology;
	else
		return false;
	b->line = kind->line;
	if (b->line == 0)
		b->line = b->draft->algorithm.line;
	if (b->line == 0)
		b->line = 1;
	return true;
}

static int
id_compare(const void *a, const void *b)
{
	const node_id *x = a;
	const node_id *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
build_known(struct topology_build *b)
{
	const struct draft_list *nodes = &b->draft->nodes;
	size_t count = 0;

	b->complete = nodes->count > 0;
	for (size_t i = 0; i < nodes->count; i++) {
		const struct given *id = &nodes->nodes[i].id;

		if (id->valid)
			b->known[count++] = (node_id)id->number;
		else
			b->complete = false;
	}
	qsort(b->known, count, sizeof(b->known[0]), id_compare);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || b->known[i] != b->known[i - 1])
			b->known[b->known_count++] = b->known[i];
	}
}

size_t
topology_index(const struct topology_build *b, node_id id)
{
	const node_id *found = bsearch(
	    &id, b->known, b->known_count, sizeof(b->known[0]), id_compare);

	return found == NULL ? b->known_count : (size_t)(found - b->known);
}

/* Adds an error unless entry `i` is a node's id, for the first time. */
static void
order_check_entry(struct topology_build *b, size_t i)
{
	const struct draft_id *ids = b->draft->topology.order.ids;
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
		wrong = "is already listed";
	if (wrong == NULL)
		return;
	b->linked = false;
	snprintf(name, sizeof(name), "topology.order[%zu]", i);
	settings_errors_add(b->errors, ids[i].line, name,
	    "%u %s; list every node once", ids[i].id, wrong);
}

/* Adds an error if the order, whose entries are all ids, leaves nodes out. */
static void
order_check_missing(struct topology_build *b)
{
	const struct draft_order *order = &b->draft->topology.order;
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

static void
topology_build_order(struct topology_build *b)
{
	const struct draft_order *order = &b->draft->topology.order;
	struct settings *s = b->settings;

	b->linked = b->complete && (order->line == 0 || order->valid);
	for (size_t i = 0; i < order->count; i++)
		order_check_entry(b, i);
	if (b->complete && order->valid)
		order_check_missing(b);
	if (!b->linked)
		return;
	s->ring.order = calloc(b->known_count, sizeof(s->ring.order[0]));
	if (s->ring.order == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	s->ring.order_count = b->known_count;
	for (size_t i = 0; i < s->ring.order_count; i++)
		s->ring.order[i] =
		    order->line > 0 ? order->ids[i].id : b->known[i];
}

/* Returns the neighbours on one side, as listed, allocated, or NULL after
 * adding an error if there is no memory. */
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

/* Adds an error for each neighbour without a side. Returns true if all have a
 * valid one. */
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
		    "is missing; in a ring, say which side of this node it is on, \"left\" or \"right\"");
	}
	return good;
}

static void
topology_build_sides(struct topology_build *b)
{
	const struct draft_list *list = &b->draft->neighbours;
	struct settings *s = b->settings;
	enum side lacking = SIDE_LEFT;

	if (!sides_check(b) || list->count == 0)
		return;
	s->ring.left = side_make(b, SIDE_LEFT, &s->ring.left_count);
	s->ring.right = side_make(b, SIDE_RIGHT, &s->ring.right_count);
	if (s->ring.left_count > 0 && s->ring.right_count > 0)
		return;
	if (s->ring.right_count == 0)
		lacking = SIDE_RIGHT;
	settings_errors_add(b->errors, list->line, "neighbours",
	    "none is on the %s; a ring needs one on each side; with only two nodes, list the other one for both",
	    side_words[lacking]);
}

static void
build_links(struct topology_build *b)
{
	bool neighbours = b->draft->neighbours.line > 0;

	switch (b->settings->topology) {
	case TOPOLOGY_FULL:
		break;
	case TOPOLOGY_RING:
		if (neighbours)
			topology_build_sides(b);
		else
			topology_build_order(b);
		break;
	case TOPOLOGY_TREE:
	case TOPOLOGY_GRAPH:
		if (!neighbours)
			topology_build_links(b);
		else if (!settings_errors_any(b->errors))
			topology_build_star(b);
		break;
	}
}

/* The diameter while all nodes are up; 0: unknown. */
static unsigned
diameter_least(const struct topology_build *b)
{
	if (!b->linked || b->known_count < 2)
		return 0;
	if (b->settings->topology == TOPOLOGY_RING)
		return (unsigned)b->known_count / 2;
	/* The tree that the nodes find in a graph may be a path. */
	if (b->settings->topology == TOPOLOGY_TREE &&
	    b->settings->links_count != b->known_count - 1)
		return (unsigned)b->known_count - 1;
	if (b->settings->links_count == 0)
		return 1;
	return topology_links_diameter(b);
}

/* Sets the diameter that is given, or the greatest possible one. */
static void
build_diameter_of(struct topology_build *b, const struct given *given)
{
	const struct draft_list *neighbours = &b->draft->neighbours;
	struct settings *s = b->settings;
	unsigned least = diameter_least(b);

	s->choices.diameter = (uint32_t)given->number;
	if (given->number > 0 && given->number < (int64_t)least)
		settings_errors_add(b->errors, given->line, "topology.diameter",
		    "%lld is too small; must be at least %u, the greatest number of links between two nodes while all are up",
		    (long long)given->number, least);
	if (given->number > 0)
		return;
	if (neighbours->line > 0 && s->topology != TOPOLOGY_FULL)
		settings_errors_add(b->errors,
		    given->line > 0 ? given->line : b->line,
		    "topology.diameter",
		    "is missing; \"%s\" needs the greatest number of links between two nodes, where they know only their neighbours",
		    s->algorithm->name);
	else if (neighbours->line > 0)
		s->choices.diameter = (uint32_t)neighbours->count;
	else if (b->known_count > 0)
		s->choices.diameter = (uint32_t)b->known_count - 1;
}

static void
build_diameter(struct topology_build *b)
{
	const struct given *given = &b->draft->topology.diameter;
	const struct algorithm *algorithm = b->settings->algorithm;
	char list[ALGORITHMS_BYTES];

	if (algorithm == NULL || (given->line > 0 && !given->valid))
		return;
	if (algorithm_has(algorithm, CHOICE_DIAMETER))
		build_diameter_of(b, given);
	else if (given->line > 0)
		settings_errors_add(b->errors, given->line, "topology.diameter",
		    "is not for \"%s\"; algorithms that have it: %s",
		    algorithm->name,
		    algorithms_list(algorithm_has, CHOICE_DIAMETER, list));
}

static void
build_choices(struct topology_build *b)
{
	const struct draft_choices *from = &b->draft->choices;
	struct choices *to = &b->settings->choices;

	if (from->variant.valid)
		to->variant = (uint8_t)from->variant.number;
	to->starters_only = from->join.valid && from->join.number == 0;
	to->no_wakeup = from->wakeup.valid && from->wakeup.number == 0;
	to->any_leader = from->announce.valid && from->announce.number == 1;
}

/* Refuses options that work in the simulator, but not where nodes come and
 * go. */
static void
check_choices(struct topology_build *b)
{
	const struct draft_choices *from = &b->draft->choices;
	const struct settings *s = b->settings;
	char name[ENTRY_MAX_BYTES];

	if (s->choices.no_wakeup) {
		snprintf(name, sizeof(name), "%s.wakeup", s->algorithm->name);
		settings_errors_add(b->errors, from->wakeup.line, name,
		    "false is for electsim only: in electd nothing else starts the leaves; remove it");
	}
	if (s->choices.any_leader && s->preempt != PREEMPT_NEVER) {
		snprintf(name, sizeof(name), "%s.announce", s->algorithm->name);
		settings_errors_add(b->errors, from->announce.line, name,
		    "\"any\" needs preempt = \"never\"; otherwise each better node would take over again");
	}
}

void
settings_build_topology(struct settings *settings, const struct draft *draft,
    struct settings_errors *errors)
{
	struct topology_build b = {
		.draft = draft,
		.settings = settings,
		.errors = errors,
	};

	settings->neighbours_only = draft->neighbours.line > 0;
	build_choices(&b);
	if (!build_kind(&b))
		return;
	check_choices(&b);
	build_known(&b);
	b.linked = b.complete;
	check_suits(&b);
	check_parts(&b);
	build_degree(&b);
	build_links(&b);
	build_diameter(&b);
}

/* The sides of the node at `index` in the whole ring's order. */
static void
sides_of_order(
    const struct settings *s, size_t index, struct settings_sides *sides)
{
	size_t count = s->ring.order_count;

	for (size_t i = 1; i < count; i++) {
		sides->right[i - 1] = s->ring.order[(index + i) % count];
		sides->left[i - 1] = s->ring.order[(index + count - i) % count];
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
	for (size_t i = 0; i < s->ring.order_count; i++) {
		if (s->ring.order[i] != self)
			continue;
		sides_of_order(s, i, sides);
		return true;
	}
	if (!s->neighbours_only || self != s->id)
		return false;
	sides->right_count = s->ring.right_count;
	sides->left_count = s->ring.left_count;
	memcpy(
	    sides->right, s->ring.right, s->ring.right_count * sizeof(node_id));
	memcpy(sides->left, s->ring.left, s->ring.left_count * sizeof(node_id));
	return true;
}
