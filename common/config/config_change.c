/* SPDX-License-Identifier: ISC */
#include "common/config/config_change.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/config/config_value.h"

void
config_forget_defaults(struct config *c)
{
	bool is_by_id = true;

	for (size_t i = 1; i < c->order_count; i++)
		is_by_id &= c->order[i - 1] < c->order[i];
	if (is_by_id)
		c->order_count = 0;
	if (c->degree > 0)
		c->links_count = 0;
	if (c->choices.diameter + 1 == c->nodes_count)
		c->choices.diameter = 0;
}

/* Writes an error about one value. Returns false. */
static bool
refuse(char error[CHANGE_ERROR_MAX], const char *name, const char *value,
    const char *fault)
{
	snprintf(
	    error, CHANGE_ERROR_MAX, "%s: \"%.64s\" %s", name, value, fault);
	return false;
}

static bool
is_in_range(char error[CHANGE_ERROR_MAX], const char *name, int64_t value,
    int64_t low, int64_t high)
{
	if (value >= low && value <= high)
		return true;
	snprintf(error, CHANGE_ERROR_MAX,
	    "%s: %" PRId64 " is out of range; must be %" PRId64 " to %" PRId64,
	    name, value, low, high);
	return false;
}

static bool
take_address(
    struct config_node *node, const char *text, char error[CHANGE_ERROR_MAX])
{
	const char *fault;

	if (text == NULL) {
		snprintf(error, CHANGE_ERROR_MAX,
		    "address: is missing; give it as in \"192.0.2.11:7420\"");
		return false;
	}
	fault = address_fault(text, node->address);
	return fault == NULL || refuse(error, "address", text, fault);
}

static bool
take_role(
    struct config_node *node, const char *text, char error[CHANGE_ERROR_MAX])
{
	for (unsigned i = 0; text != NULL && role_words[i] != NULL; i++) {
		if (strcmp(role_words[i], text) == 0) {
			node->role = (enum role)i;
			return true;
		}
	}
	return text == NULL ||
	       refuse(error, "role", text,
		   "is unknown; must be \"candidate\", \"voter\" or \"observer\"");
}

static bool
take_name(
    struct config_node *node, const char *text, char error[CHANGE_ERROR_MAX])
{
	const char *fault = text != NULL ? name_fault(text) : NULL;

	if (fault != NULL)
		return refuse(error, "name", text, fault);
	if (text != NULL)
		snprintf(node->name, sizeof(node->name), "%s", text);
	else
		snprintf(node->name, sizeof(node->name), "%" PRIu32, node->id);
	return true;
}

static bool
add(struct config *c, const struct member_change *change,
    char error[CHANGE_ERROR_MAX])
{
	struct config_node *node = &c->nodes[c->nodes_count];

	if (c->nodes_count == NODES_MAX) {
		snprintf(error, CHANGE_ERROR_MAX,
		    "nodes: there are %d already, and no more are allowed",
		    NODES_MAX);
		return false;
	}
	*node = (struct config_node){ .is_discovered = change->is_discovered };
	if (!is_in_range(error, "id", change->id, 1, NODE_ID_MAX) ||
	    !is_in_range(
		error, "priority", change->priority, INT32_MIN, INT32_MAX))
		return false;
	node->id = (node_id)change->id;
	node->priority = (int32_t)change->priority;
	c->nodes_count++;
	return take_name(node, change->name, error) &&
	       take_address(node, change->address, error) &&
	       take_role(node, change->role, error);
}

bool
config_change_member(struct config *to, const struct member_change *change,
    char error[CHANGE_ERROR_MAX])
{
	size_t kept = 0;

	assert(config_has_document(to));
	if (to->discovers &&
	    (to->guarantee == GUARANTEE_COMPONENT || change->is_discovered))
		to->revision++;
	else
		to->config_version++;
	to->config_term = 0;
	if (change->kind == MEMBER_ADD)
		return add(to, change, error);
	for (size_t i = 0; i < to->nodes_count; i++) {
		bool is_it = to->nodes[i].id == change->id;

		if (is_it && change->kind == MEMBER_REMOVE)
			continue;
		to->nodes[kept++] = to->nodes[i];
		if (is_it &&
		    !take_address(&to->nodes[kept - 1], change->address, error))
			return false;
	}
	to->nodes_count = kept;
	return true;
}
