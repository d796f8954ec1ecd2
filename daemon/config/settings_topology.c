/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_topology.h"

#include <stdlib.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_build.h"
#include "daemon/config/settings_value.h"

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
    unsigned what, char room[ALGORITHMS_BYTES])
{
	size_t used = 0;

	snprintf(room, ALGORITHMS_BYTES, "none");
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		if (passes != NULL && !passes(algorithms[i], what))
			continue;
		if (used < ALGORITHMS_BYTES)
			used += (size_t)snprintf(room + used,
			    ALGORITHMS_BYTES - used, "%s\"%s\"",
			    used == 0 ? "" : ", ", algorithms[i]->name);
	}
	return room;
}

/* Says so if a setting is given that this kind of topology does not have. */
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

/* The same of one that only `nodes` can have. */
static void
check_form(const struct topology_build *b, int line, const char *name, bool has)
{
	if (line == 0 || !has || b->draft->neighbours.line == 0)
		return;
	settings_errors_add(b->errors, line, name,
	    "cannot be given beside \"neighbours\" (line %d); leave it out",
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

	check_kind(b, draft->order.line, "topology.order", ring, "\"ring\"");
	check_kind(b, draft->links.line, "topology.links", linked,
	    "\"tree\" or \"graph\"");
	check_form(b, draft->order.line, "topology.order", ring);
	check_form(b, draft->links.line, "topology.links", linked);
	for (size_t i = 0; i < neighbours->count; i++) {
		const struct given *side = &neighbours->nodes[i].side;

		if (!side->valid)
			continue;
		snprintf(name, sizeof(name), "neighbours[%zu].side", i);
		check_kind(b, side->line, name, ring, "\"ring\"");
	}
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
	    "\"%s\" does not suit \"%s\", which needs \"%s\"; "
	    "algorithms for it: %s",
	    topology_words[kind], algorithm->name,
	    topology_words[algorithm->topology],
	    algorithms_list(algorithm_suits, (unsigned)kind, list));
}

/* Settles the kind; false if nothing good says which. */
static bool
build_kind(struct topology_build *b)
{
	const struct given *kind = &b->draft->kind;
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

/* The diameter while all live; 0: it cannot be told. */
static unsigned
diameter_least(const struct topology_build *b)
{
	if (!b->linked || b->known_count < 2)
		return 0;
	if (b->settings->topology == TOPOLOGY_RING)
		return (unsigned)b->known_count / 2;
	if (b->settings->links_count == 0)
		return 1;
	return topology_links_diameter(b);
}

/* Takes the diameter that is given, or the one that is always safe. */
static void
build_diameter_of(struct topology_build *b, const struct given *given)
{
	const struct draft_list *neighbours = &b->draft->neighbours;
	struct settings *s = b->settings;
	unsigned least = diameter_least(b);

	s->choices.diameter = (uint32_t)given->number;
	if (given->number > 0 && given->number < (int64_t)least)
		settings_errors_add(b->errors, given->line, "topology.diameter",
		    "%lld is too small; must be at least %u, the most links "
		    "that two nodes are apart while all are up",
		    (long long)given->number, least);
	if (given->number > 0)
		return;
	if (neighbours->line > 0 && s->topology != TOPOLOGY_FULL)
		settings_errors_add(b->errors,
		    given->line > 0 ? given->line : b->line,
		    "topology.diameter",
		    "is missing; \"%s\" must be told, where nodes know "
		    "their neighbours alone, how many links two nodes can be "
		    "apart",
		    s->algorithm->name);
	else if (neighbours->line > 0)
		s->choices.diameter = (uint32_t)neighbours->count;
	else if (b->known_count > 0)
		s->choices.diameter = (uint32_t)b->known_count - 1;
}

static void
build_diameter(struct topology_build *b)
{
	const struct given *given = &b->draft->diameter;
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

/* What runs in a simulator, but not where nodes come and go. */
static void
check_choices(struct topology_build *b)
{
	const struct draft_choices *from = &b->draft->choices;
	const struct settings *s = b->settings;
	char name[ENTRY_MAX_BYTES];

	if (s->choices.no_wakeup) {
		snprintf(name, sizeof(name), "%s.wakeup", s->algorithm->name);
		settings_errors_add(b->errors, from->wakeup.line, name,
		    "false is for electsim alone: here nothing else tells the "
		    "leaves to begin; leave it out");
	}
	if (s->choices.any_leader && s->preempt != PREEMPT_NEVER) {
		snprintf(name, sizeof(name), "%s.announce", s->algorithm->name);
		settings_errors_add(b->errors, from->announce.line, name,
		    "\"any\" needs preempt = \"never\"; else each better node "
		    "would take over again");
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
	build_links(&b);
	build_diameter(&b);
}
