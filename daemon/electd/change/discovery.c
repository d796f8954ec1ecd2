/* SPDX-License-Identifier: ISC */
#include "daemon/electd/change/discovery.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "common/config/config_value.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/document.h"
#include "daemon/net/route.h"
#include "daemon/system/log.h"

#define PORT_DEFAULT 7420

bool
discovery_lacks_self(const struct settings *settings)
{
	return settings->shared.discovers &&
	       config_find(&settings->shared, settings->id) == NULL;
}

/* True if a node may have this name: no name is all digits but an id. */
static bool
is_name(const char *name)
{
	return name_fault(name) == NULL &&
	       name[strspn(name, "0123456789")] != '\0';
}

/* The name of this host up to the first dot; empty if that is no name of a
 * node. */
static void
host_name(char name[NAME_MAX_BYTES])
{
	if (gethostname(name, NAME_MAX_BYTES) != 0)
		name[0] = '\0';
	name[NAME_MAX_BYTES - 1] = '\0';
	name[strcspn(name, ".")] = '\0';
	if (!is_name(name))
		name[0] = '\0';
}

/* Where the others will find this host. Returns 0, or a status and the reason
 * in `text`. */
static int
own_address(const struct settings *s, char address[ADDRESS_MAX_BYTES],
    char text[DISCOVERY_TEXT_MAX])
{
	const struct settings_discovery *d = &s->discovery;
	char canonical[ADDRESS_MAX_BYTES], found[ADDRESS_TEXT_MAX];
	unsigned port = PORT_DEFAULT;
	int error = -ENETUNREACH;

	if (s->listen[0] != '\0') {
		if (address_fault(s->listen, canonical) == NULL &&
		    !address_is_wildcard(canonical)) {
			memcpy(address, s->listen, ADDRESS_MAX_BYTES);
			return EXIT_SUCCESS;
		}
		port = (unsigned)atoi(strrchr(s->listen, ':') + 1);
	}
	if (d->group[0] != '\0')
		error = route_source(d->group, d->interface, port, found);
	for (size_t i = 0; error != 0 && i < d->join_count; i++)
		error = route_source(d->join[i], "", port, found);
	if (error != 0) {
		snprintf(text, DISCOVERY_TEXT_MAX,
		    "this host has no address towards %s: %s; give one by listen",
		    d->group[0] != '\0' ? d->group : d->join[0],
		    error == -ENOTUNIQ ? "it has a link-local one only"
				       : strerror(-error));
		return EXIT_FAILURE;
	}
	snprintf(address, ADDRESS_MAX_BYTES, "%s", found);
	return EXIT_SUCCESS;
}

/* The settings with this change, but for the generation, which is `generation`;
 * NULL, with the errors in *errors. */
static struct settings *
changed(const struct settings *settings, const struct member_change *change,
    uint32_t generation, char **errors)
{
	struct settings *next =
	    settings_change_member(settings, change, errors);

	if (next != NULL)
		next->shared.generation = generation;
	return next;
}

/* An id that no node of the settings has. */
static node_id
draw_id(const struct settings *s)
{
	node_id id;

	do
		id = 1 + randombytes_uniform(NODE_ID_MAX);
	while (config_find(&s->shared, id) != NULL);
	return id;
}

int
discovery_complete(struct settings *s, char text[DISCOVERY_TEXT_MAX])
{
	const struct settings_discovery *d = &s->discovery;
	char name[NAME_MAX_BYTES], address[ADDRESS_MAX_BYTES], *errors = NULL;
	struct member_change self = {
		.kind = MEMBER_ADD,
		.name = name,
		.address = address,
		.role = role_words[d->role],
		.priority = d->priority,
		.is_discovered = s->shared.guarantee == GUARANTEE_QUORUM,
	};
	struct settings *next;
	int status = own_address(s, address, text);

	if (status != EXIT_SUCCESS)
		return status;
	/* The path of the socket may have the id in it. */
	settings_set_id(s, s->id != NODE_NONE ? s->id : draw_id(s));
	self.id = s->id;
	memcpy(name, d->name, sizeof(name));
	if (name[0] == '\0')
		host_name(name);
	if (name[0] == '\0' || config_named(&s->shared, name) != NULL)
		self.name = NULL;
	next = changed(s, &self, s->shared.generation, &errors);
	if (next == NULL) {
		snprintf(text, DISCOVERY_TEXT_MAX, "%.*s",
		    errors != NULL ? (int)strcspn(errors, "\n") : 13,
		    errors != NULL ? errors : "out of memory");
		free(errors);
		return EXIT_CONFIGURATION;
	}
	free(errors);
	document_replace(s, next);
	return EXIT_SUCCESS;
}

/* Adds a node that was discovered to the list, which has room for it. Others
 * that were discovered at its address are not there any more; one that a file
 * lists is. A name that is not valid or not free gives way to the id. Returns
 * false if the node is not added. */
static bool
list_add(struct settings *list, const struct config_node *added)
{
	struct config *c = &list->shared;
	struct config_node node = *added;
	size_t kept = 0;

	for (size_t i = 0; i < c->nodes_count; i++) {
		const struct config_node *old = &c->nodes[i];

		if (old->id == node.id ||
		    (!old->is_discovered &&
			strcmp(old->address, node.address) == 0))
			return false;
	}
	for (size_t i = 0; i < c->nodes_count; i++) {
		const struct config_node *old = &c->nodes[i];

		if (old->id == list->id ||
		    strcmp(old->address, node.address) != 0)
			c->nodes[kept++] = *old;
	}
	c->nodes_count = kept;
	if (!is_name(node.name) || config_named(c, node.name) != NULL)
		snprintf(node.name, sizeof(node.name), "%" PRIu32, node.id);
	c->nodes[c->nodes_count++] = node;
	return true;
}

/* Adds the nodes of `from` that no file lists, as far as there is room. Under
 * component no file lists any with discovery. */
static void
list_add_discovered(struct settings *list, const struct config *from)
{
	bool is_component = list->shared.guarantee == GUARANTEE_COMPONENT;

	for (size_t i = 0; i < from->nodes_count; i++) {
		if ((from->nodes[i].is_discovered || is_component) &&
		    list->shared.nodes_count < NODES_MAX)
			list_add(list, &from->nodes[i]);
	}
}

/* The settings of `file` with the nodes that it lists and those that `running`
 * has discovered. NULL without memory. */
static struct settings *
list_follow(const struct settings *running, const struct settings *file)
{
	const struct config_node *own = config_find(&file->shared, file->id);
	struct settings *list =
	    settings_clone_roomy(file, running->shared.nodes_count + 1);
	size_t kept = 0;

	if (list == NULL)
		return NULL;
	for (size_t i = 0; i < list->shared.nodes_count; i++) {
		if (!list->shared.nodes[i].is_discovered)
			list->shared.nodes[kept++] = list->shared.nodes[i];
	}
	list->shared.nodes_count = kept;
	list_add_discovered(list, &running->shared);
	if (own != NULL && own->is_discovered &&
	    list->shared.nodes_count < NODES_MAX)
		list_add(list, own);
	return list;
}

/* Checks and completes the list. NULL, with the errors in *errors, if it is no
 * configuration; then it is freed. */
static struct settings *
list_end(struct settings *list, const char *name, char **errors)
{
	if (settings_finish(list, name, errors))
		return list;
	settings_free(list);
	return NULL;
}

bool
discovery_follow(
    const struct settings *running, struct settings *file, char **errors)
{
	const struct config *now = &running->shared;
	bool is_newer = file->shared.base_generation > now->base_generation;
	struct settings *list;

	if (file->shared.base_generation < now->base_generation)
		return document_outrank(file, running);
	list = list_follow(running, file);
	if (list == NULL)
		return false;
	list->shared.generation = now->generation + is_newer;
	list = list_end(list, "the settings of the file", errors);
	if (list == NULL)
		return false;
	if (config_find(&list->shared, list->id) != NULL) {
		document_replace(file, list);
		return true;
	}
	free(*errors);
	if (asprintf(errors, "the file: it names no node with id %" PRIu32 "\n",
		list->id) < 0)
		*errors = NULL;
	settings_free(list);
	return false;
}

/* The settings with the nodes of `list`, which is taken. */
static struct settings *
relisted(struct settings *list)
{
	char *errors = NULL;
	struct settings *next;

	list->shared.stamp = 0;
	next = list_end(list, "the nodes that were met", &errors);
	if (next == NULL)
		log_warnx("cannot put other nodes into effect: %.*s",
		    errors != NULL ? (int)strcspn(errors, "\n") : 13,
		    errors != NULL ? errors : "out of memory");
	free(errors);
	return next;
}

/* Builds the node that discovery found. */
static struct config_node
node_met(const struct config *running, const struct acquaintance *a)
{
	struct config_node node = {
		.id = a->node.id,
		.priority = a->node.priority,
		.role = config_discovered_role(running, a->node.role),
		.is_discovered = true,
	};

	snprintf(node.name, sizeof(node.name), "%s", a->node.name);
	if (address_fault(a->address, node.address) != NULL)
		node.address[0] = '\0';
	return node;
}

struct settings *
discovery_admit(const struct settings *running, const struct acquaintance *met,
    unsigned count)
{
	struct settings *list = settings_clone_roomy(running, count);
	bool is_next = false, has_new = false;

	if (list == NULL)
		return NULL;
	for (unsigned i = 0; i < count; i++) {
		const struct config_node node =
		    node_met(&running->shared, &met[i]);

		if (node.address[0] == '\0' ||
		    list->shared.nodes_count >= NODES_MAX ||
		    !list_add(list, &node))
			continue;
		has_new = true;
		is_next |= met[i].node.is_next;
	}
	list->shared.generation += is_next;
	if (has_new)
		return relisted(list);
	settings_free(list);
	return NULL;
}

struct settings *
discovery_renew_self(const struct settings *running, const char *address)
{
	const struct settings_discovery *d = &running->discovery;
	const struct config *now = &running->shared;
	const struct config_node *own = config_find(now, running->id);
	bool is_free = d->name[0] != '\0' && config_named(now, d->name) == NULL;
	struct settings *list;
	struct config_node *node;

	if (!own->is_discovered ||
	    (own->priority == d->priority && own->role == d->role && !is_free &&
		strcmp(own->address, address) == 0))
		return NULL;
	list = settings_clone_roomy(running, 0);
	if (list == NULL)
		return NULL;
	node = &list->shared.nodes[own - now->nodes];
	node->priority = d->priority;
	node->role = d->role;
	snprintf(node->address, sizeof(node->address), "%s", address);
	if (is_free)
		memcpy(node->name, d->name, sizeof(node->name));
	list->shared.generation++;
	return relisted(list);
}

struct settings *
discovery_without(const struct settings *running, node_id id)
{
	const struct member_change change = { .kind = MEMBER_REMOVE, .id = id };
	char *errors = NULL;
	struct settings *next =
	    changed(running, &change, running->shared.generation + 1, &errors);

	free(errors);
	return next;
}

void
discovery_draw_again(const struct settings *s)
{
	static const char *const kinds[] = { "state", "settings", "standby" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s-%" PRIu32 ".%s",
		    s->state_dir, s->shared.cluster, s->id, kinds[i]);
		if (unlink(path) != 0 && errno != ENOENT)
			log_error("cannot remove %s", path);
	}
}
