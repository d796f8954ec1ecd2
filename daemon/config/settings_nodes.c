/* SPDX-License-Identifier: ISC */
/* Which nodes there are, and which one this host is. */
#include "daemon/config/settings_private.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_value.h"

/* What the functions share that make nodes of a draft. */
struct nodes_build {
	const struct draft *draft;
	const struct draft_list *list; /* `nodes` or `neighbours` */
	const char *list_name;         /* "nodes" or "neighbours" */
	node_id self;                  /* our own id; NODE_NONE: not given */
	bool identify_from_option;     /* `self` is from electd -i */
	struct settings_errors *errors;
};

/* Writes the full name of a setting of entry `i`. */
static const char *
entry_name(const struct nodes_build *b, size_t i, const char *setting,
    char buffer[ENTRY_MAX_BYTES])
{
	snprintf(
	    buffer, ENTRY_MAX_BYTES, "%s[%zu].%s", b->list_name, i, setting);
	return buffer;
}

static bool
draft_discovers(const struct draft *draft)
{
	return draft->discovery.valid && draft->discovery.number != 0;
}

static bool
draft_is_quorum(const struct draft *draft)
{
	return draft->guarantee.valid &&
	       draft->guarantee.number == GUARANTEE_QUORUM;
}

/* True if a file lists no nodes: all are discovered. */
static bool
draft_discovers_all(const struct draft *draft)
{
	return draft_discovers(draft) && !draft_is_quorum(draft);
}

/* Picks the list. Returns false after adding an error unless exactly one of the
 * two is given. */
static bool
nodes_pick(struct nodes_build *b)
{
	const struct draft_list *nodes = &b->draft->nodes;
	const struct draft_list *neighbours = &b->draft->neighbours;

	b->list = nodes;
	b->list_name = "nodes";
	if (nodes->line > 0 && neighbours->line > 0) {
		settings_errors_add(b->errors, neighbours->line, "neighbours",
		    "cannot be given together with \"nodes\" (line %d); keep one of the two",
		    nodes->line);
		return false;
	}
	if (neighbours->line > 0) {
		b->list = neighbours;
		b->list_name = "neighbours";
	}
	if (b->list->line == 0 && draft_discovers_all(b->draft))
		return false; /* electd adds this host's own */
	if (b->list->line == 0 && draft_discovers(b->draft))
		settings_errors_add(b->errors, 1, "nodes",
		    "is missing; list every voter of the cluster: discovery finds observers only under guarantee \"quorum\"");
	else if (b->list->line == 0)
		settings_errors_add(b->errors, 1, "nodes",
		    "is missing; list every node of the cluster, or find them by discovery = true");
	else if (b->list->nodes != NULL && b->list->count == 0)
		settings_errors_add(b->errors, b->list->line, b->list_name,
		    "is empty; list at least one node");
	return b->list->count > 0;
}

static void
nodes_pick_self(struct nodes_build *b, node_id id)
{
	b->identify_from_option = id != NODE_NONE;
	if (id != NODE_NONE)
		b->self = id;
	else if (b->draft->id.valid)
		b->self = (node_id)b->draft->id.number;
}

/* True if the entries are the same neighbour on both sides of a ring. */
static bool
entry_is_twin(const struct nodes_build *b, size_t i, size_t j)
{
	const struct draft_node *x = &b->list->nodes[i];
	const struct draft_node *y = &b->list->nodes[j];

	return x->id.valid && y->id.valid && x->id.number == y->id.number &&
	       x->side.valid && y->side.valid &&
	       x->side.number != y->side.number;
}

/* Adds an error if an earlier entry has the id of entry `i`. */
static void
entry_check_id(const struct nodes_build *b, size_t i)
{
	const struct given *id = &b->list->nodes[i].id;
	char name[ENTRY_MAX_BYTES];

	for (size_t j = 0; id->valid && j < i; j++) {
		const struct given *other = &b->list->nodes[j].id;

		if (!other->valid || other->number != id->number ||
		    entry_is_twin(b, i, j))
			continue;
		settings_errors_add(b->errors, id->line,
		    entry_name(b, i, "id", name),
		    "%lld is already used in line %d; give each node its own",
		    (long long)id->number, other->line);
		return;
	}
}

/* Refuses a name of digits that is not the id: it would be taken for one. */
static void
entry_check_name_digits(const struct nodes_build *b, size_t i)
{
	const struct draft_node *node = &b->list->nodes[i];
	const char *text = node->name.text;
	char buffer[ENTRY_MAX_BYTES];
	char id[16];

	if (text[strspn(text, "0123456789")] != '\0' || !node->id.valid)
		return;
	snprintf(id, sizeof(id), "%lld", (long long)node->id.number);
	if (strcmp(text, id) != 0)
		settings_errors_add(b->errors, node->name.line,
		    entry_name(b, i, "name", buffer),
		    "\"%s\" reads as an id, but this node's is %s; put a letter in",
		    text, id);
}

static void
entry_check_name(const struct nodes_build *b, size_t i)
{
	const struct given *name = &b->list->nodes[i].name;
	char buffer[ENTRY_MAX_BYTES];

	if (!name->valid)
		return;
	entry_check_name_digits(b, i);
	for (size_t j = 0; j < i; j++) {
		const struct given *other = &b->list->nodes[j].name;

		if (!other->valid || strcmp(other->text, name->text) != 0)
			continue;
		settings_errors_add(b->errors, name->line,
		    entry_name(b, i, "name", buffer),
		    "\"%s\" is already used in line %d; give each node its own",
		    name->text, other->line);
		return;
	}
}

/* Refuses a wildcard address, except for our own node. */
static void
entry_check_wildcard(const struct nodes_build *b, size_t i)
{
	const struct draft_node *node = &b->list->nodes[i];
	char buffer[ENTRY_MAX_BYTES];

	if (!address_is_wildcard(node->canonical) ||
	    (node->id.valid && node->id.number == (int64_t)b->self))
		return;
	settings_errors_add(b->errors, node->address.line,
	    entry_name(b, i, "address", buffer),
	    "\"%s\" stands for all addresses of a host; give one of them",
	    node->address.text);
}

/* Entries `i` and `j` are twins: refuses different addresses. */
static void
entry_check_twin(const struct nodes_build *b, size_t i, size_t j)
{
	const struct draft_node *node = &b->list->nodes[i];
	const struct draft_node *twin = &b->list->nodes[j];
	char buffer[ENTRY_MAX_BYTES];

	if (!twin->address.valid ||
	    strcmp(twin->canonical, node->canonical) == 0)
		return;
	settings_errors_add(b->errors, node->address.line,
	    entry_name(b, i, "address", buffer),
	    "\"%s\" differs from the address of the same node in line %d; give the same address on both sides",
	    node->address.text, twin->address.line);
}

static void
entry_check_address(const struct nodes_build *b, size_t i)
{
	const struct draft_node *node = &b->list->nodes[i];
	char buffer[ENTRY_MAX_BYTES];

	if (!node->address.valid)
		return;
	entry_check_wildcard(b, i);
	for (size_t j = 0; j < i; j++) {
		const struct draft_node *other = &b->list->nodes[j];

		if (entry_is_twin(b, i, j)) {
			entry_check_twin(b, i, j);
			continue;
		}
		if (!other->address.valid ||
		    strcmp(other->canonical, node->canonical) != 0)
			continue;
		settings_errors_add(b->errors, node->address.line,
		    entry_name(b, i, "address", buffer),
		    "\"%s\" is already used in line %d; give each node its own",
		    node->address.text, other->address.line);
		return;
	}
}

/* Refuses an address of another family than that of entry `first`, because one
 * socket serves all. */
static void
family_check(const struct nodes_build *b, size_t first,
    const struct given *given, const char *canonical, const char *name)
{
	const struct draft_node *other = &b->list->nodes[first];
	enum family family = address_family(canonical);

	if (family == FAMILY_ANY || family == address_family(other->canonical))
		return;
	settings_errors_add(b->errors, given->line, name,
	    "\"%s\" is %s, but %s[%zu] in line %d is %s; all must be of one family",
	    given->text, family_words[family], b->list_name, first,
	    other->address.line,
	    family_words[address_family(other->canonical)]);
}

/* Refuses what no document of a cluster says: whoever is discovered while the
 * voters are listed does not vote. */
static void
entry_check_discovered(const struct nodes_build *b, size_t i)
{
	const struct draft_node *node = &b->list->nodes[i];
	char buffer[ENTRY_MAX_BYTES];

	if (!node->discovered.valid || node->discovered.number == 0)
		return;
	if (!draft_discovers(b->draft) || !draft_is_quorum(b->draft))
		settings_errors_add(b->errors, node->discovered.line,
		    entry_name(b, i, "discovered", buffer),
		    "is for discovery under guarantee \"quorum\"; remove it");
	else if (node->role.valid && node->role.number != ROLE_OBSERVER)
		settings_errors_add(b->errors, node->discovered.line,
		    entry_name(b, i, "discovered", buffer),
		    "is for observers; remove it, or give the role \"observer\"");
}

/* Compares each IP address with the first one. */
static void
nodes_check_family(const struct nodes_build *b)
{
	const struct given *listen = &b->draft->listen;
	const struct draft_node *nodes = b->list->nodes;
	char own[ADDRESS_MAX_BYTES];
	char buffer[ENTRY_MAX_BYTES];
	size_t first = 0;

	while (first < b->list->count &&
	       (!nodes[first].address.valid ||
		   address_family(nodes[first].canonical) == FAMILY_ANY))
		first++;
	if (first == b->list->count)
		return;
	if (listen->valid && address_fault(listen->text, own) == NULL)
		family_check(b, first, listen, own, "listen");
	for (size_t i = first + 1; i < b->list->count; i++) {
		if (nodes[i].address.valid)
			family_check(b, first, &nodes[i].address,
			    nodes[i].canonical,
			    entry_name(b, i, "address", buffer));
	}
}

/* Adds an error if no node may lead. */
static void
nodes_check_candidates(const struct nodes_build *b)
{
	if (draft_discovers_all(b->draft))
		return; /* one may come */
	for (size_t i = 0; i < b->list->count; i++) {
		const struct given *role = &b->list->nodes[i].role;

		if (!role->valid || role->number == ROLE_CANDIDATE)
			return;
	}
	settings_errors_add(b->errors, b->list->line, b->list_name,
	    "no node may lead; give at least one of them the role \"candidate\"");
}

static bool
nodes_have(const struct nodes_build *b, node_id id)
{
	for (size_t i = 0; i < b->list->count; i++) {
		const struct given *given = &b->list->nodes[i].id;

		if (!given->valid || given->number == (int64_t)id)
			return true; /* an invalid id may be meant as this */
	}
	return false;
}

/* Adds an error if no node has our own id. */
static void
nodes_check_self(const struct nodes_build *b)
{
	if (b->self == NODE_NONE || nodes_have(b, b->self) ||
	    draft_discovers(b->draft))
		return;
	settings_errors_add(b->errors,
	    b->identify_from_option ? 0 : b->draft->id.line, "id",
	    "%u%s is not among the nodes; give the id of one of them", b->self,
	    b->identify_from_option ? ", from the command line," : "");
}

/* Refuses a neighbour with our own id or address. */
static void
neighbour_check(const struct nodes_build *b, size_t i)
{
	const struct draft_node *node = &b->list->nodes[i];
	const struct given *listen = &b->draft->listen;
	char buffer[ENTRY_MAX_BYTES];
	char own[ADDRESS_MAX_BYTES];

	if (b->self != NODE_NONE && node->id.valid &&
	    node->id.number == (int64_t)b->self)
		settings_errors_add(b->errors, node->id.line,
		    entry_name(b, i, "id", buffer),
		    "%u is this node's own; list the others", b->self);
	if (listen->valid && node->address.valid &&
	    address_fault(listen->text, own) == NULL &&
	    strcmp(own, node->canonical) == 0)
		settings_errors_add(b->errors, node->address.line,
		    entry_name(b, i, "address", buffer),
		    "\"%s\" is this node's own (listen); list the others",
		    node->address.text);
}

static void
neighbours_check(const struct nodes_build *b)
{
	if (b->self == NODE_NONE && b->draft->id.line == 0)
		settings_errors_add(b->errors, b->list->line, "id",
		    "is missing; a node that knows only its neighbours needs its own id, here or by electd -i");
	else if (b->self > NODE_ID_MAX)
		settings_errors_add(b->errors, 0, "id",
		    "%u, from the command line, is out of range; must be 1 to %u",
		    b->self, NODE_ID_MAX);
	if (b->draft->listen.line == 0)
		settings_errors_add(b->errors, b->list->line, "listen",
		    "is missing; a node that knows only its neighbours needs its own address");
	if (b->list->count >= NODES_MAX)
		settings_errors_add(b->errors, b->list->line, "neighbours",
		    "has %zu entries; at most %d are allowed", b->list->count,
		    NODES_MAX - 1);
	for (size_t i = 0; i < b->list->count; i++)
		neighbour_check(b, i);
}

static void
nodes_check(const struct nodes_build *b)
{
	for (size_t i = 0; i < b->list->count; i++) {
		entry_check_id(b, i);
		entry_check_name(b, i);
		entry_check_address(b, i);
		entry_check_discovered(b, i);
	}
	nodes_check_family(b);
	if (b->list == &b->draft->neighbours) {
		neighbours_check(b);
		return;
	}
	nodes_check_candidates(b);
	nodes_check_self(b);
}

static struct node_settings
node_make(const struct draft_node *from)
{
	struct node_settings node = {
		.id = (node_id)from->id.number,
		.priority = (int32_t)from->priority.number,
		.role = (enum role)from->role.number,
		.is_discovered =
		    from->discovered.valid && from->discovered.number != 0,
		.line = from->line,
	};

	snprintf(node.address, sizeof(node.address), "%s", from->address.text);
	if (from->name.valid)
		snprintf(node.name, sizeof(node.name), "%s", from->name.text);
	else
		snprintf(node.name, sizeof(node.name), "%u", node.id);
	return node;
}

static int
node_compare(const void *a, const void *b)
{
	const struct node_settings *x = a;
	const struct node_settings *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Drops the second of twins from the sorted nodes. */
static void
nodes_drop_twins(struct settings *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nodes_count; i++) {
		if (kept == 0 || s->nodes[kept - 1].id != s->nodes[i].id)
			s->nodes[kept++] = s->nodes[i];
	}
	s->nodes_count = kept;
}

/* Copies the nodes, which are valid, and adds our own to `neighbours`. */
static void
nodes_make(const struct nodes_build *b, struct settings *s)
{
	const struct draft_node self = {
		.line = b->draft->id.line,
		.id = { .number = (int64_t)b->self },
		.address = b->draft->listen,
	};

	s->nodes = calloc(b->list->count + 1, sizeof(s->nodes[0]));
	if (s->nodes == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < b->list->count; i++)
		s->nodes[s->nodes_count++] = node_make(&b->list->nodes[i]);
	if (b->list == &b->draft->neighbours)
		s->nodes[s->nodes_count++] = node_make(&self);
	qsort(s->nodes, s->nodes_count, sizeof(s->nodes[0]), node_compare);
	nodes_drop_twins(s);
	for (size_t i = 0; i < s->nodes_count; i++)
		s->nodes[i].is_discovered |= draft_discovers_all(b->draft);
}

void
settings_build_nodes(struct settings *settings, const struct draft *draft,
    node_id id, struct settings_errors *errors)
{
	struct nodes_build b = { .draft = draft, .errors = errors };

	nodes_pick_self(&b, id);
	settings->id = b.self;
	if (draft->listen.valid)
		snprintf(settings->listen, sizeof(settings->listen), "%s",
		    draft->listen.text);
	if (!nodes_pick(&b))
		return;
	nodes_check(&b);
	if (!settings_errors_any(errors))
		nodes_make(&b, settings);
}
