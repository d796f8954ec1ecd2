/* SPDX-License-Identifier: ISC */
#include "daemon/electd/discovery.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/config/settings_document.h"
#include "daemon/config/settings_members.h"
#include "daemon/config/settings_value.h"
#include "daemon/electd/document.h"
#include "daemon/electd/electd.h"
#include "daemon/electd/identify.h"
#include "daemon/net/route.h"
#include "daemon/system/log.h"

#define PORT_DEFAULT 7420

bool
discovery_lacks_self(const struct settings *settings)
{
	return settings->discovery.is_on &&
	       settings_node(settings, settings->id) == NULL;
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
	if (name[strspn(name, "0123456789")] == '\0' ||
	    name_fault(name) != NULL)
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
	struct settings before = *settings, *next = NULL;
	char *text;
	size_t size;

	before.generation =
	    generation - 1; /* which settings_members.c raises */
	text = settings_change_member(&before, change, &size);
	if (text != NULL)
		next = document_join(
		    settings, text, size, "the changed settings", errors);
	free(text);
	return next;
}

/* An id that no node of the settings has. */
static node_id
draw_id(const struct settings *s)
{
	node_id id;

	do
		id = 1 + randombytes_uniform(NODE_ID_MAX);
	while (settings_node(s, id) != NULL);
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
		.is_discovered = s->guarantee == GUARANTEE_QUORUM,
	};
	struct settings *next;
	int status = own_address(s, address, text);

	if (status != EXIT_SUCCESS)
		return status;
	if (s->id == NODE_NONE)
		s->id = draw_id(s);
	self.id = s->id;
	memcpy(name, d->name, sizeof(name));
	if (name[0] == '\0')
		host_name(name);
	if (name[0] == '\0' || settings_named(s, name) != NULL)
		self.name = NULL;
	next = changed(s, &self, s->generation, &errors);
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

/* Adds a node that was discovered to the list, which has room for it, and keeps
 * the order of the ids. Others that were discovered at its address are not
 * there any more; one that a file lists is. A name that is not valid or not
 * free gives way to the id. Returns false if the node is not added. */
static bool
list_add(struct settings *list, struct node_settings node)
{
	size_t kept = 0, at;

	if (settings_node(list, node.id) != NULL)
		return false;
	for (size_t i = 0; i < list->nodes_count; i++) {
		const struct node_settings *old = &list->nodes[i];

		if (!old->is_discovered &&
		    strcmp(old->address, node.address) == 0)
			return false;
	}
	for (size_t i = 0; i < list->nodes_count; i++) {
		const struct node_settings *old = &list->nodes[i];

		if (old->id == list->id ||
		    strcmp(old->address, node.address) != 0)
			list->nodes[kept++] = *old;
	}
	list->nodes_count = kept;
	if (!is_name(node.name) || settings_named(list, node.name) != NULL)
		snprintf(node.name, sizeof(node.name), "%" PRIu32, node.id);
	for (at = kept; at > 0 && list->nodes[at - 1].id > node.id; at--)
		list->nodes[at] = list->nodes[at - 1];
	list->nodes[at] = node;
	list->nodes_count++;
	return true;
}

/* A copy of the settings, with room for `more` nodes. The rest is shared. */
static bool
list_begin(struct settings *list, const struct settings *settings, size_t more)
{
	size_t count = settings->nodes_count;

	*list = *settings;
	list->nodes = calloc(count + more, sizeof(list->nodes[0]));
	if (list->nodes == NULL)
		return false;
	if (count > 0)
		memcpy(list->nodes, settings->nodes,
		    count * sizeof(list->nodes[0]));
	return true;
}

/* Adds the nodes of `from` that no file lists, as far as there is room. Under
 * component no file lists any with discovery. */
static void
list_add_discovered(struct settings *list, const struct settings *from)
{
	bool is_component = list->guarantee == GUARANTEE_COMPONENT;

	for (size_t i = 0; i < from->nodes_count; i++) {
		if ((from->nodes[i].is_discovered || is_component) &&
		    list->nodes_count < NODES_MAX)
			list_add(list, from->nodes[i]);
	}
}

/* The settings of `file` with the nodes that it lists and those that `running`
 * has discovered. The array of nodes is to be freed. */
static bool
list_follow(struct settings *list, const struct settings *running,
    const struct settings *file)
{
	const struct node_settings *own = settings_node(file, file->id);
	size_t kept = 0;

	if (!list_begin(list, file, running->nodes_count))
		return false;
	for (size_t i = 0; i < list->nodes_count; i++) {
		if (!list->nodes[i].is_discovered)
			list->nodes[kept++] = list->nodes[i];
	}
	list->nodes_count = kept;
	list_add_discovered(list, running);
	if (own != NULL && own->is_discovered && list->nodes_count < NODES_MAX)
		list_add(list, *own);
	return true;
}

bool
discovery_follow(
    const struct settings *running, struct settings *file, char **errors)
{
	bool is_newer = file->base_generation > running->base_generation;
	struct settings list, *joined;
	char *text;
	size_t size;

	if (file->base_generation < running->base_generation)
		return document_outrank(file, running);
	if (!list_follow(&list, running, file))
		return false;
	list.generation = running->generation + is_newer;
	text = settings_document(&list, &size);
	joined = text == NULL ? NULL
			      : document_join(file, text, size,
				    "the settings of the file", errors);
	free(text);
	free(list.nodes);
	if (joined == NULL)
		return false;
	document_replace(file, joined);
	return true;
}

/* The settings of `running` with the nodes of `list`, whose array is freed. */
static struct settings *
relisted(const struct settings *running, struct settings *list)
{
	struct settings *next = NULL;
	char *text, *errors = NULL;
	size_t size;

	if (list->choices.diameter + 1 == running->nodes_count)
		list->choices.diameter = 0; /* the default */
	text = settings_document(list, &size);
	if (text != NULL)
		next = document_join(
		    running, text, size, "the nodes that were met", &errors);
	if (next == NULL)
		log_warnx("cannot put other nodes into effect: %.*s",
		    errors != NULL ? (int)strcspn(errors, "\n") : 13,
		    errors != NULL ? errors : "out of memory");
	free(text);
	free(errors);
	free(list->nodes);
	return next;
}

/* As the cluster is to have it. */
static struct node_settings
node_met(const struct settings *running, const struct acquaintance *a)
{
	struct node_settings node = {
		.id = a->node.id,
		.priority = a->node.priority,
		.role = settings_discovered_role(running, a->node.role),
		.is_discovered = true,
	};

	snprintf(node.name, sizeof(node.name), "%s", a->node.name);
	snprintf(node.address, sizeof(node.address), "%s", a->address);
	return node;
}

struct settings *
discovery_admit(const struct settings *running, const struct acquaintance *met,
    unsigned count)
{
	struct settings list;
	bool is_next = false, has_new = false;

	if (!list_begin(&list, running, count))
		return NULL;
	for (unsigned i = 0; i < count; i++) {
		if (list.nodes_count >= NODES_MAX ||
		    !list_add(&list, node_met(running, &met[i])))
			continue;
		has_new = true;
		is_next |= met[i].node.is_next;
	}
	list.generation += is_next;
	if (has_new)
		return relisted(running, &list);
	free(list.nodes);
	return NULL;
}

struct settings *
discovery_renew_self(const struct settings *running, const char *address)
{
	const struct settings_discovery *d = &running->discovery;
	const struct node_settings *own = settings_node(running, running->id);
	bool is_free =
	    d->name[0] != '\0' && settings_named(running, d->name) == NULL;
	struct settings list;
	struct node_settings *node;

	if (!own->is_discovered ||
	    (own->priority == d->priority && own->role == d->role && !is_free &&
		strcmp(own->address, address) == 0))
		return NULL;
	if (!list_begin(&list, running, 0))
		return NULL;
	node = &list.nodes[own - running->nodes];
	node->priority = d->priority;
	node->role = d->role;
	snprintf(node->address, sizeof(node->address), "%s", address);
	if (is_free)
		memcpy(node->name, d->name, sizeof(node->name));
	list.generation++;
	return relisted(running, &list);
}

struct settings *
discovery_without(const struct settings *running, node_id id)
{
	const struct member_change change = { .kind = MEMBER_REMOVE, .id = id };
	char *errors = NULL;
	struct settings *next =
	    changed(running, &change, running->generation + 1, &errors);

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
		    s->state_dir, s->cluster, s->id, kinds[i]);
		if (unlink(path) != 0 && errno != ENOENT)
			log_error("cannot remove %s", path);
	}
}
