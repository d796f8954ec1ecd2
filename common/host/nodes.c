/* SPDX-License-Identifier: ISC */
#include "common/host/nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/config/config_value.h"

bool
nodes_may_call(const char *name)
{
	return name_fault(name) == NULL &&
	       name[strspn(name, "0123456789")] != '\0';
}

void
nodes_meet(struct nodes *n, const struct joiner *joiner, const char *address)
{
	struct met_joiner *a;

	for (unsigned i = 0; i < n->met_count; i++) {
		if (n->met[i].node.id == joiner->id)
			return;
	}
	if (n->met_count == NODES_MET_MAX)
		return;
	a = &n->met[n->met_count++];
	a->node = *joiner;
	snprintf(a->address, sizeof(a->address), "%s", address);
}

/* True if another node is at the address of this one for certain: a file lists
 * it there, or it is `self`. */
static bool
is_taken(
    const struct config *list, node_id self, const struct config_node *node)
{
	for (size_t i = 0; i < list->nodes_count; i++) {
		const struct config_node *old = &list->nodes[i];

		if (old->id != node->id &&
		    (old->id == self || !old->is_discovered) &&
		    strcmp(old->address, node->address) == 0)
			return true;
	}
	return false;
}

/* Removes the nodes at this address, but for `self`: another node is there
 * now. */
static void
displace(struct config *list, node_id self, const char *address)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->nodes_count; i++) {
		const struct config_node *old = &list->nodes[i];

		if (old->id == self || strcmp(old->address, address) != 0)
			list->nodes[kept++] = *old;
	}
	list->nodes_count = kept;
}

/* Adds a node that was discovered to the list, if there is room for it, in
 * place of others that were discovered at its address. A name that is not valid
 * or not free gives way to the id. Returns false if the node is not added. */
static bool
add(struct config *list, node_id self, const struct config_node *added)
{
	struct config_node node = *added;

	for (size_t i = 0; i < list->nodes_count; i++) {
		if (list->nodes[i].id == node.id)
			return false;
	}
	if (is_taken(list, self, &node) || list->nodes_count == NODES_MAX)
		return false;
	displace(list, self, node.address);
	if (!nodes_may_call(node.name) || config_named(list, node.name) != NULL)
		snprintf(node.name, sizeof(node.name), "%" PRIu32, node.id);
	list->nodes[list->nodes_count++] = node;
	return true;
}

/* The entry of a node that was met; its address is empty if it has none. */
static struct config_node
entry_of(const struct config *list, const struct met_joiner *a)
{
	struct config_node node = {
		.id = a->node.id,
		.priority = a->node.priority,
		.role = config_discovered_role(list, a->node.role),
		.is_discovered = true,
	};

	snprintf(node.name, sizeof(node.name), "%s", a->node.name);
	if (address_fault(a->address, node.address) != NULL)
		node.address[0] = '\0';
	return node;
}

/* True if the name that this host gives its node is neither used nor taken. */
static bool
is_free(const struct config *config, const struct config_node *own)
{
	return own->name[0] != '\0' && config_named(config, own->name) == NULL;
}

/* What a file lists of this host's node is as the file says. */
static bool
is_elsewhere(const struct config *running, const struct config_node *own)
{
	const struct config_node *now = config_find(running, own->id);

	return now != NULL && now->is_discovered &&
	       !is_taken(running, own->id, own) &&
	       (now->priority != own->priority ||
		   now->role != config_discovered_role(running, own->role) ||
		   is_free(running, own) ||
		   strcmp(now->address, own->address) != 0);
}

bool
nodes_look(struct nodes *n, struct node *node, nsec_t now,
    const struct config *running, const struct config_node *own)
{
	if (now >= n->look_at) {
		const struct node_status status = node_status(node, now);

		n->look_at = nsec_after(now, NODES_PAUSE);
		n->has_gone = node_forgets(node, now, NODE_NONE) != NODE_NONE;
		n->is_elsewhere = status.leader != NODE_NONE &&
				  !status.is_mixed &&
				  is_elsewhere(running, own);
	}
	return n->met_count > 0 || n->has_gone || n->is_elsewhere;
}

static void
forget(struct config *list, node_id id)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->nodes_count; i++) {
		if (list->nodes[i].id != id)
			list->nodes[kept++] = list->nodes[i];
	}
	list->nodes_count = kept;
}

static void
renew(struct config *list, const struct config_node *own)
{
	struct config_node *node;

	displace(list, own->id, own->address);
	node = &list->nodes[config_find(list, own->id) - list->nodes];
	node->priority = own->priority;
	node->role = config_discovered_role(list, own->role);
	memcpy(node->address, own->address, sizeof(node->address));
	if (is_free(list, own))
		memcpy(node->name, own->name, sizeof(node->name));
}

bool
nodes_list(struct nodes *n, const struct node *node, nsec_t now,
    const struct config_node *own, struct config *list)
{
	bool is_next = n->has_gone || n->is_elsewhere;
	bool has_changed = is_next;
	node_id gone = NODE_NONE;

	while (
	    n->has_gone && (gone = node_forgets(node, now, gone)) != NODE_NONE)
		forget(list, gone);
	if (n->is_elsewhere)
		renew(list, own);
	for (unsigned i = 0; i < n->met_count; i++) {
		const struct config_node met = entry_of(list, &n->met[i]);

		if (met.address[0] == '\0' || !add(list, own->id, &met))
			continue;
		has_changed = true;
		is_next |= n->met[i].node.is_next;
	}
	list->revision += is_next;
	list->config_term = 0;
	n->met_count = 0;
	n->has_gone = n->is_elsewhere = false;
	return has_changed;
}

void
nodes_follow(struct config *list, const struct config *running, node_id self)
{
	const struct config_node *found = config_find(list, self);
	struct config_node own = { .is_discovered = false };
	size_t kept = 0;

	assert(list->config_version >= running->config_version);
	if (found != NULL)
		own = *found;
	for (size_t i = 0; i < list->nodes_count; i++) {
		if (!list->nodes[i].is_discovered)
			list->nodes[kept++] = list->nodes[i];
	}
	list->nodes_count = kept;
	for (size_t i = 0; i < running->nodes_count; i++) {
		if (running->nodes[i].is_discovered)
			add(list, self, &running->nodes[i]);
	}
	if (own.is_discovered)
		add(list, self, &own);
	list->revision = running->revision;
}

bool
nodes_usurp(
    const struct config *running, const struct config *wanted, node_id self)
{
	const struct config_node *is = config_find(running, self);
	const struct config_node *will = config_find(wanted, self);

	return running->guarantee == GUARANTEE_QUORUM && is != NULL &&
	       is->is_discovered && will != NULL && will->role != ROLE_OBSERVER;
}
