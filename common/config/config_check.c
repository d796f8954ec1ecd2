/* SPDX-License-Identifier: ISC */
#include "common/config/config_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/config/config_private.h"
#include "common/config/config_value.h"

#define ONCE "give each node its own"

static bool
algorithm_suits(const struct algorithm *algorithm, unsigned kind)
{
	return (unsigned)algorithm->topology == kind ||
	       algorithm->topology == TOPOLOGY_GRAPH;
}

static void
check_id(struct checker *k, size_t i)
{
	const struct config_node *nodes = k->config->nodes;

	for (size_t j = 0; nodes[i].id != NODE_NONE && j < i; j++) {
		if (nodes[j].id != nodes[i].id)
			continue;
		fault_add(k, fault_in("nodes[].id", i, j, ONCE),
		    "%" PRIu32 " is already used", nodes[i].id);
		return;
	}
}

/* Refuses a name of digits that is not the id: it would be taken for one. */
static void
check_name_digits(struct checker *k, size_t i)
{
	const struct config_node *node = &k->config->nodes[i];
	char id[ID_TEXT_MAX];

	if (node->name[strspn(node->name, "0123456789")] != '\0' ||
	    node->id == NODE_NONE)
		return;
	snprintf(id, sizeof(id), "%" PRIu32, node->id);
	if (strcmp(node->name, id) != 0)
		fault_add(k,
		    fault_in("nodes[].name", i, NO_ENTRY, "put a letter in"),
		    "\"%s\" reads as an id, but this node's is %s", node->name,
		    id);
}

static void
check_name(struct checker *k, size_t i)
{
	const struct config_node *nodes = k->config->nodes;

	if (nodes[i].name[0] == '\0')
		return;
	check_name_digits(k, i);
	for (size_t j = 0; j < i; j++) {
		if (strcmp(nodes[j].name, nodes[i].name) != 0)
			continue;
		fault_add(k, fault_in("nodes[].name", i, j, ONCE),
		    "\"%s\" is already used", nodes[i].name);
		return;
	}
}

static void
check_address(struct checker *k, size_t i)
{
	const struct config_node *nodes = k->config->nodes;
	const char *address = nodes[i].address;

	if (address[0] == '\0')
		return;
	if (address_is_wildcard(address) &&
	    (nodes[i].id == NODE_NONE || nodes[i].id != k->self))
		fault_add(k,
		    fault_in(
			"nodes[].address", i, NO_ENTRY, "give one of them"),
		    "\"%s\" stands for all addresses of a host", address);
	for (size_t j = 0; j < i; j++) {
		if (strcmp(nodes[j].address, address) != 0)
			continue;
		fault_add(k, fault_in("nodes[].address", i, j, ONCE),
		    "\"%s\" is already used", address);
		return;
	}
}

/* A node that discovery found has no vote where a file lists the voters. */
static void
check_discovered(struct checker *k, size_t i)
{
	const struct config *c = k->config;
	bool is_quorum = c->guarantee == GUARANTEE_QUORUM;

	if (!c->nodes[i].is_discovered || (c->discovers && !is_quorum))
		return;
	if (!c->discovers)
		fault_add(k,
		    fault_in("nodes[].discovered", i, NO_ENTRY, "remove it"),
		    "is for discovery under guarantee \"quorum\"");
	else if (c->nodes[i].role != ROLE_OBSERVER)
		fault_add(k,
		    fault_in("nodes[].discovered", i, NO_ENTRY,
			"remove it, or give the role \"observer\""),
		    "is for observers");
}

size_t
config_first_family(const struct config *c)
{
	size_t first = 0;

	while (first < c->nodes_count &&
	       (c->nodes[first].address[0] == '\0' ||
		   address_family(c->nodes[first].address) == FAMILY_ANY))
		first++;
	return first;
}

/* One socket serves all, so all have the family of the first IP address. */
static void
check_family(struct checker *k)
{
	const struct config *c = k->config;
	size_t first = config_first_family(c);

	for (size_t i = first + 1; i < c->nodes_count; i++) {
		const char *address = c->nodes[i].address;
		enum family family =
		    address[0] != '\0' ? address_family(address) : FAMILY_ANY;

		if (family == FAMILY_ANY ||
		    family == address_family(c->nodes[first].address))
			continue;
		fault_add(k,
		    fault_in("nodes[].address", i, first,
			"all must be of one family"),
		    "\"%s\" is %s, not %s as the address", address,
		    family_words[family],
		    family_words[address_family(c->nodes[first].address)]);
	}
}

/* Under component with discovery a candidate may come. */
static void
check_candidates(struct checker *k)
{
	const struct config *c = k->config;

	if (c->neighbours_only || c->nodes_count == 0 ||
	    (c->discovers && c->guarantee == GUARANTEE_COMPONENT))
		return;
	for (size_t i = 0; i < c->nodes_count; i++) {
		if (c->nodes[i].role == ROLE_CANDIDATE)
			return;
	}
	fault_add(k,
	    fault_at(
		"nodes", "give at least one of them the role \"candidate\""),
	    "no node may lead");
}

static void
check_suits(struct checker *k)
{
	const struct config *c = k->config;
	char list[ALGORITHMS_BYTES];

	if (algorithm_suits(c->algorithm, (unsigned)c->topology))
		return;
	fault_add(k, fault_at("topology.kind", NULL),
	    "\"%s\" does not suit \"%s\", which needs \"%s\"; algorithms for it: %s",
	    topology_words[c->topology], c->algorithm->name,
	    topology_words[c->algorithm->topology],
	    algorithms_list(
		k->known, algorithm_suits, (unsigned)c->topology, list));
}

/* Refuses options that the algorithm does not have: no file can say them. */
static bool
check_options(struct checker *k)
{
	const struct algorithm *a = k->config->algorithm;
	const struct choices *o = &k->config->choices;
	bool is_right =
	    (algorithm_has(a, CHOICE_DIAMETER) || o->diameter == 0) &&
	    (algorithm_has(a, CHOICE_JOIN) || !o->starters_only) &&
	    (algorithm_has(a, CHOICE_WAKEUP) || !o->no_wakeup) &&
	    (algorithm_has(a, CHOICE_ANNOUNCE) || !o->any_leader) &&
	    (o->variant == 0 || (algorithm_has(a, CHOICE_VARIANT) &&
				    a->variants[o->variant] != NULL));

	if (!is_right)
		fault_add(k, fault_at("algorithm", NULL),
		    "\"%s\" does not have these options", a->name);
	return is_right;
}

/* Refuses options that work in the simulator, but not where nodes come and
 * go. */
static void
check_choices(struct checker *k)
{
	const struct config *c = k->config;

	if (c->choices.no_wakeup)
		fault_add(k, fault_at("*.wakeup", "remove it"),
		    "false is for electsim only: in electd nothing else starts the leaves");
	if (c->choices.any_leader && c->preempt != PREEMPT_NEVER)
		fault_add(k,
		    fault_at("*.announce",
			"otherwise each better node would take over again"),
		    "\"any\" needs preempt = \"never\"");
}

nsec_t
config_lease_least(const struct timing *timing)
{
	return timing->heartbeat * 2 * (timing->misses + 2);
}

static void
check_lease(struct checker *k)
{
	const struct timing *t = &k->config->timing;
	char given[DURATION_MAX_BYTES], least[DURATION_MAX_BYTES];

	if (t->heartbeat == 0 || t->misses == 0 || t->lease == 0 ||
	    t->lease >= config_lease_least(t))
		return;
	fault_add(k, fault_at("timing.lease", NULL),
	    "\"%s\" is too short; must be at least %s, 2 * (misses + 2) heartbeats",
	    duration_text(t->lease, given),
	    duration_text(config_lease_least(t), least));
}

static void
check_config_version(struct checker *k)
{
	uint32_t config_version = k->config->config_version;

	if (config_version > CONFIG_VERSION_MAX)
		fault_add(k, fault_at("config_version", NULL),
		    "%" PRIu32 " is out of range; must be 0 to %d",
		    config_version, CONFIG_VERSION_MAX);
}

/* Refuses values that no file gives and electd does not count. */
static void
check_numbers(struct checker *k)
{
	const struct config *c = k->config;
	bool is_right =
	    (c->preempt == PREEMPT_AFTER ? c->preempt_after >= PREEMPT_MIN
					 : c->preempt_after == 0) &&
	    (c->discovers ? c->forget >= FORGET_MIN : c->forget == 0) &&
	    c->revision <= REVISION_MAX &&
	    (c->guarantee == GUARANTEE_QUORUM || c->config_term == 0);

	if (!is_right)
		fault_add(k, fault_at("config_version", NULL),
		    "preempt, forget or the config term contradicts the rest, or the revision is too high");
}

bool
config_check(const struct config *c, node_id self,
    const struct algorithm *const *known, struct config_work *work,
    config_fault_taker *take, void *context)
{
	struct checker k = { c, self, known, work, take, context, true };

	assert(c->nodes_count <= NODES_MAX);
	for (size_t i = 0; i < c->nodes_count; i++) {
		check_id(&k, i);
		check_name(&k, i);
		check_address(&k, i);
		check_discovered(&k, i);
	}
	check_family(&k);
	check_candidates(&k);
	check_lease(&k);
	check_config_version(&k);
	check_numbers(&k);
	if (c->algorithm != NULL) {
		check_suits(&k);
		if (check_options(&k))
			check_choices(&k);
	}
	check_links(&k);
	return k.is_right;
}

bool
config_check_whole(const struct config *c, struct config_work *work,
    config_fault_taker *take, void *context)
{
	struct checker k = { c, NODE_NONE, NULL, work, take, context, true };

	check_diameter(&k);
	return k.is_right;
}
