/* SPDX-License-Identifier: ISC */
/* From a draft to the configuration that all hosts share, and to which node of
 * it this host is. */
#include "daemon/config/settings_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/config/circles.h"
#include "common/config/config_check.h"
#include "common/config/config_value.h"
#include "daemon/config/settings_value.h"

#define LEASE_DEFAULT (2 * SEC) /* longer if the heartbeats need it */

static bool
draft_discovers(const struct draft *draft)
{
	return draft->discovery.valid && draft->discovery.number != 0;
}

/* The line of the entry of the list that node `i` is from. */
static const struct draft_node *
entry_of(const struct shared_build *b, size_t i)
{
	return &b->list->nodes[b->entries[i]];
}

/* Where the kind of the topology was chosen. */
static int
kind_line(const struct draft *draft)
{
	if (draft->topology.kind.line > 0)
		return draft->topology.kind.line;
	return draft->algorithm.line > 0 ? draft->algorithm.line : 1;
}

/* The line of a fault at this entry of its list; NO_ENTRY: at the whole. */
static int
fault_line(const struct shared_build *b, enum config_at at, size_t entry)
{
	const struct draft *d = b->draft;
	const struct draft_topology *t = &d->topology;

	switch (at) {
	case AT_NODES:
		return b->list->line;
	case AT_NODE_ID:
		return entry_of(b, entry)->id.line;
	case AT_NODE_NAME:
		return entry_of(b, entry)->name.line;
	case AT_NODE_ADDRESS:
		return entry_of(b, entry)->address.line;
	case AT_NODE_DISCOVERED:
		return entry_of(b, entry)->line;
	case AT_ALGORITHM:
		return d->algorithm.line;
	case AT_KIND:
		return kind_line(d);
	case AT_ORDER:
		return entry == NO_ENTRY ? t->order.line
					 : t->order.ids[entry].line;
	case AT_LINKS:
		return entry == NO_ENTRY ? t->links.line
					 : t->links.links[entry].line;
	case AT_DEGREE:
		return t->degree.line;
	case AT_DIAMETER:
		return t->diameter.line > 0 ? t->diameter.line : kind_line(d);
	case AT_WAKEUP:
		return d->choices.wakeup.line;
	case AT_ANNOUNCE:
		return d->choices.announce.line;
	case AT_LEASE:
		return d->lease.line;
	case AT_GENERATION:
		return d->generation.line;
	}
	return 0;
}

/* Adds a fault of the configuration as an error of the file. */
static void
take_fault(void *context, const struct config_fault *fault)
{
	struct shared_build *b = context;
	struct config_fault at = *fault;
	char name[FAULT_NAME_MAX], other[32] = "";

	if (fault->other != NO_ENTRY)
		snprintf(other, sizeof(other), " in line %d",
		    fault_line(b, fault->at, fault->other));
	if (fault->at <= AT_NODE_DISCOVERED && fault->entry != NO_ENTRY)
		at.entry = b->entries[fault->entry];
	config_fault_name(b->config, &at, b->list_name, name);
	settings_errors_add(b->errors, fault_line(b, fault->at, fault->entry),
	    name, "%s%s%s%s", fault->text, other,
	    fault->advice != NULL ? "; " : "",
	    fault->advice != NULL ? fault->advice : "");
}

static void
build_guarantee(struct shared_build *b)
{
	const struct draft *draft = b->draft;
	const struct given *given = &draft->guarantee;

	if (!given->valid)
		return;
	b->config->guarantee = (enum guarantee)given->number;
	if (b->config->guarantee == GUARANTEE_QUORUM &&
	    draft->neighbours.line > 0 && draft->nodes.line == 0)
		settings_errors_add(b->errors, given->line, "guarantee",
		    "\"quorum\" needs every voter to be known; list them all in \"nodes\", instead of \"neighbours\" (line %d)",
		    draft->neighbours.line);
}

static void
build_algorithm(struct shared_build *b)
{
	const struct given *given = &b->draft->algorithm;
	char list[ALGORITHMS_BYTES];
	char value[QUOTED_MAX];

	if (!given->valid)
		return;
	b->config->algorithm = algorithm_find(given->text);
	if (b->config->algorithm == NULL)
		settings_errors_add(b->errors, given->line, "algorithm",
		    "%s is unknown; known are: %s", quoted(given->text, value),
		    algorithms_list(algorithms, NULL, 0, list));
}

/* Reads the delay of "after 300s". Returns false if it is not 1 ms to 30 d. */
static bool
preempt_read_delay(const char *text, nsec_t *delay)
{
	const char word[] = "after ";

	return strncmp(text, word, sizeof(word) - 1) == 0 &&
	       duration_read(text + sizeof(word) - 1, delay) &&
	       *delay >= PREEMPT_MIN && *delay <= PREEMPT_MAX;
}

static void
build_preempt(struct shared_build *b)
{
	const struct given *given = &b->draft->preempt;
	struct config *c = b->config;
	char value[QUOTED_MAX];
	nsec_t delay;
	int index;

	if (!given->valid)
		return;
	index = word_find(preempt_words, given->text);
	if (index == PREEMPT_ALWAYS || index == PREEMPT_NEVER) {
		c->preempt = (enum preempt)index;
	} else if (preempt_read_delay(given->text, &delay)) {
		c->preempt = PREEMPT_AFTER;
		c->preempt_after = delay;
	} else {
		settings_errors_add(b->errors, given->line, "preempt",
		    "%s is unknown; must be \"always\", \"never\", or \"after \" and a delay of 1ms to 30d, as in \"after 300s\"",
		    quoted(given->text, value));
	}
}

/* Zero stands for a value that is wrong. */
static void
build_timing(struct shared_build *b)
{
	const struct draft *draft = b->draft;
	struct timing *t = &b->config->timing;
	nsec_t least;

	if (draft->heartbeat.valid)
		t->heartbeat = (nsec_t)draft->heartbeat.number;
	if (draft->misses.valid)
		t->misses = (unsigned)draft->misses.number;
	t->startup = (nsec_t)draft->startup.number;
	least = config_lease_least(t);
	if (draft->lease.valid)
		t->lease = (nsec_t)draft->lease.number;
	else if (draft->lease.line == 0)
		t->lease = least > LEASE_DEFAULT ? least : LEASE_DEFAULT;
}

static void
build_discovery(struct shared_build *b)
{
	struct config *c = b->config;

	c->generation = (uint32_t)b->draft->generation.number;
	c->discovers = draft_discovers(b->draft);
	if (!c->discovers)
		return;
	/* One that is wrong has its error. */
	c->forget = b->draft->forget.valid ? (nsec_t)b->draft->forget.number
					   : FORGET_MIN;
	c->base_generation = c->generation;
}

/* Picks the list. Adds an error unless exactly one of the two is given. */
static void
pick_list(struct shared_build *b)
{
	const struct draft_list *nodes = &b->draft->nodes;
	const struct draft_list *neighbours = &b->draft->neighbours;
	bool discovers = draft_discovers(b->draft);
	bool is_quorum = b->config->guarantee == GUARANTEE_QUORUM;

	b->list = nodes;
	b->list_name = "nodes";
	if (nodes->line > 0 && neighbours->line > 0) {
		settings_errors_add(b->errors, neighbours->line, "neighbours",
		    "cannot be given together with \"nodes\" (line %d); keep one of the two",
		    nodes->line);
		return;
	}
	if (neighbours->line > 0) {
		b->list = neighbours;
		b->list_name = "neighbours";
	}
	if (b->list->line == 0 && discovers && !is_quorum)
		return; /* electd adds this host's own */
	if (b->list->line == 0 && discovers)
		settings_errors_add(b->errors, 1, "nodes",
		    "is missing; list every voter of the cluster: discovery finds observers only under guarantee \"quorum\"");
	else if (b->list->line == 0)
		settings_errors_add(b->errors, 1, "nodes",
		    "is missing; list every node of the cluster, or find them by discovery = true");
	else if (b->list->nodes != NULL && b->list->count == 0)
		settings_errors_add(b->errors, b->list->line, b->list_name,
		    "is empty; list at least one node");
	else if (discovers && !is_quorum && b->list == nodes)
		settings_errors_add(b->errors, nodes->line, "nodes",
		    "cannot be given together with discovery, which finds them; remove the list, or discovery");
}

/* What is wrong stays zero. */
static struct config_node
node_make(const struct draft_node *from)
{
	struct config_node node = {
		.priority = (int32_t)from->priority.number,
		.role = (enum role)from->role.number,
	};

	if (from->id.valid)
		node.id = (node_id)from->id.number;
	if (from->address.valid)
		memcpy(node.address, from->canonical, sizeof(node.address));
	if (from->name.valid)
		snprintf(node.name, sizeof(node.name), "%s", from->name.text);
	return node;
}

static void
build_nodes(struct shared_build *b)
{
	struct config *c = b->config;

	for (size_t i = 0; i < b->list->count; i++) {
		const struct draft_node *from = &b->list->nodes[i];

		if (neighbours_find_twin(b, i) < i)
			continue;
		b->entries[c->nodes_count] = i;
		c->nodes[c->nodes_count] = node_make(from);
		/* Like a role that is wrong: the node may be meant to lead. */
		if (!from->role.valid)
			c->nodes[c->nodes_count].role = ROLE_CANDIDATE;
		c->nodes_count++;
	}
}

static void
pick_self(struct shared_build *b, node_id id)
{
	struct settings *s = b->settings;

	b->is_id_from_option = id != NODE_NONE;
	if (id != NODE_NONE)
		s->id = id;
	else if (b->draft->id.valid)
		s->id = (node_id)b->draft->id.number;
	if (b->draft->listen.valid)
		snprintf(
		    s->listen, sizeof(s->listen), "%s", b->draft->listen.text);
}

/* True if a node has this id, or may be meant to. */
static bool
may_have(const struct config *c, node_id id)
{
	for (size_t i = 0; i < c->nodes_count; i++) {
		if (c->nodes[i].id == id || c->nodes[i].id == NODE_NONE)
			return true;
	}
	return c->nodes_count == 0;
}

/* Adds an error if no node has our own id. */
static void
check_self(const struct shared_build *b)
{
	node_id self = b->settings->id;

	if (self == NODE_NONE || may_have(b->config, self) ||
	    b->config->discovers || b->list == &b->draft->neighbours)
		return;
	settings_errors_add(b->errors,
	    b->is_id_from_option ? 0 : b->draft->id.line, "id",
	    "%u%s is not among the nodes; give the id of one of them", self,
	    b->is_id_from_option ? ", from the command line," : "");
}

/* One socket serves all. */
static void
check_listen(const struct shared_build *b)
{
	const struct given *listen = &b->draft->listen;
	size_t first = config_first_family(b->config);
	char own[ADDRESS_MAX_BYTES];
	enum family family;

	if (!listen->valid || first == b->config->nodes_count ||
	    address_fault(listen->text, own) != NULL)
		return;
	family = address_family(own);
	if (family != FAMILY_ANY &&
	    family != address_family(b->config->nodes[first].address))
		settings_errors_add(b->errors, listen->line, "listen",
		    "\"%s\" is %s, not %s as the address in line %d; all must be of one family",
		    listen->text, family_words[family],
		    family_words[address_family(
			b->config->nodes[first].address)],
		    entry_of(b, first)->address.line);
}

/* Sets the kind. Returns false if neither it nor the algorithm is valid. */
static bool
build_kind(struct shared_build *b)
{
	const struct given *kind = &b->draft->topology.kind;
	struct config *c = b->config;

	if (kind->valid)
		c->topology = (enum topology)kind->number;
	else if (kind->line == 0 && c->algorithm != NULL)
		c->topology = c->algorithm->topology;
	else
		return false;
	return true;
}

static void
build_choices(struct shared_build *b)
{
	const struct draft_choices *from = &b->draft->choices;
	struct choices *to = &b->config->choices;

	if (from->variant.valid)
		to->variant = (uint8_t)from->variant.number;
	to->starters_only = from->join.valid && from->join.number == 0;
	to->no_wakeup = from->wakeup.valid && from->wakeup.number == 0;
	to->any_leader = from->announce.valid && from->announce.number == 1;
}

/* Refuses lists that need `nodes`, or that are empty. */
static bool
list_is_usable(const struct shared_build *b, int line, const char *name,
    size_t count, const char *advice)
{
	if (b->draft->neighbours.line > 0)
		settings_errors_add(b->errors, line, name,
		    "cannot be given together with \"neighbours\" (line %d); remove it",
		    b->draft->neighbours.line);
	else if (count == 0)
		settings_errors_add(b->errors, line, name,
		    "is empty; remove it, or %s", advice);
	else
		return true;
	return false;
}

static void
build_links(struct shared_build *b)
{
	const struct draft_topology *t = &b->draft->topology;
	struct config *c = b->config;

	if (t->order.line > 0 && t->order.ids != NULL &&
	    list_is_usable(b, t->order.line, "topology.order", t->order.count,
		"list every node once")) {
		for (size_t i = 0; i < t->order.count; i++)
			c->order[i] = t->order.ids[i].id;
		c->order_count = t->order.count;
	}
	if (t->links.line > 0 && t->links.links != NULL &&
	    list_is_usable(b, t->links.line, "topology.links", t->links.count,
		"link every node")) {
		for (size_t i = 0; i < t->links.count; i++)
			c->links[i] = (struct config_link){ t->links.links[i].a,
				t->links.links[i].b };
		c->links_count = t->links.count;
	}
}

/* Sets the degree, which only nodes that no file lists have. */
static void
build_degree(struct shared_build *b)
{
	const struct given *degree = &b->draft->topology.degree;
	struct config *c = b->config;
	bool is_linked =
	    c->topology == TOPOLOGY_TREE || c->topology == TOPOLOGY_GRAPH;

	if (degree->valid && (degree->line > 0 || (is_linked && c->discovers)))
		c->degree = (unsigned)degree->number;
}

static void
build_diameter(struct shared_build *b)
{
	const struct given *given = &b->draft->topology.diameter;
	const struct algorithm *algorithm = b->config->algorithm;
	bool is_partial = b->list == &b->draft->neighbours &&
			  b->config->topology != TOPOLOGY_FULL;
	char list[ALGORITHMS_BYTES];

	if (algorithm == NULL || (given->line > 0 && !given->valid))
		return;
	if (!algorithm_has(algorithm, CHOICE_DIAMETER)) {
		if (given->line > 0)
			settings_errors_add(b->errors, given->line,
			    "topology.diameter",
			    "is not for \"%s\"; algorithms that have it: %s",
			    algorithm->name,
			    algorithms_list(algorithms, algorithm_has,
				CHOICE_DIAMETER, list));
		return;
	}
	b->config->choices.diameter = (uint32_t)given->number;
	if (given->number == 0 && is_partial)
		settings_errors_add(b->errors,
		    given->line > 0 ? given->line : kind_line(b->draft),
		    "topology.diameter",
		    "is missing; \"%s\" needs the greatest number of links between two nodes, where they know only their neighbours",
		    algorithm->name);
}

/* Gives the configuration room for all that the draft lists. */
static bool
allocate(struct shared_build *b)
{
	const struct draft *d = b->draft;
	size_t nodes = d->nodes.count + d->neighbours.count + 1;
	size_t degree = d->topology.degree.valid && draft_discovers(d)
			    ? (size_t)d->topology.degree.number
			    : 0;
	size_t links = d->topology.links.count + nodes + nodes * degree / 2;
	void *memory;

	if (nodes > NODES_MAX)
		nodes = NODES_MAX;
	if (nodes < d->topology.order.count)
		nodes = d->topology.order.count;
	memory = calloc(1, config_size(nodes, links));
	if (memory != NULL)
		config_place(b->config, memory, nodes, links);
	else
		b->errors->out_of_memory = true;
	return memory != NULL;
}

static void
check_and_complete(struct shared_build *b)
{
	struct config_work *work = malloc(sizeof(*work));
	struct config *c = b->config;

	if (work == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	config_check(c, b->settings->id, algorithms, work, take_fault, b);
	if (!settings_errors_any(b->errors)) {
		if (c->neighbours_only)
			neighbours_add_self(b);
		config_complete(c);
		config_check_whole(c, work, take_fault, b);
	}
	free(work);
}

void
settings_build_shared(struct settings *settings, const struct draft *draft,
    node_id id, struct settings_errors *errors)
{
	struct shared_build b = {
		.draft = draft,
		.settings = settings,
		.config = &settings->shared,
		.errors = errors,
	};
	struct config *c = b.config;

	pick_self(&b, id);
	if (!allocate(&b))
		return;
	if (draft->cluster.valid)
		snprintf(
		    c->cluster, sizeof(c->cluster), "%s", draft->cluster.text);
	if (draft->prefer.valid)
		c->prefer = (enum prefer)draft->prefer.number;
	build_guarantee(&b);
	build_algorithm(&b);
	build_preempt(&b);
	build_timing(&b);
	build_discovery(&b);
	pick_list(&b);
	build_nodes(&b);
	c->neighbours_only = b.list == &draft->neighbours;
	if (c->neighbours_only)
		neighbours_check(&b);
	check_self(&b);
	check_listen(&b);
	build_choices(&b);
	if (build_kind(&b)) {
		if (c->neighbours_only)
			neighbours_build_sides(&b);
		build_degree(&b);
		build_links(&b);
		build_diameter(&b);
	} else {
		c->algorithm = NULL; /* nothing is checked against it */
	}
	check_and_complete(&b);
}
