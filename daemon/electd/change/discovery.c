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

/* The name of this host up to the first dot; empty if that is no name of a
 * node. */
static void
host_name(char name[NAME_MAX_BYTES])
{
	if (gethostname(name, NAME_MAX_BYTES) != 0)
		name[0] = '\0';
	name[NAME_MAX_BYTES - 1] = '\0';
	name[strcspn(name, ".")] = '\0';
	if (!nodes_may_call(name))
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
	next = settings_change_member(s, &self, &errors);
	if (next == NULL) {
		snprintf(text, DISCOVERY_TEXT_MAX, "%.*s",
		    errors != NULL ? (int)strcspn(errors, "\n") : 13,
		    errors != NULL ? errors : "out of memory");
		free(errors);
		return EXIT_CONFIGURATION;
	}
	free(errors);
	next->shared.revision = s->shared.revision;
	document_replace(s, next);
	return EXIT_SUCCESS;
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
	struct settings *list;

	if (file->shared.config_version < now->config_version)
		return true;
	file->shared.revision = now->revision;
	if (!file->shared.discovers)
		return true;
	list = settings_clone_roomy(file, now->nodes_count + 1);
	if (list == NULL)
		return false;
	nodes_follow(&list->shared, now, list->id);
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

struct config_node
discovery_own(const struct settings *settings, const char *address)
{
	const struct settings_discovery *d = &settings->discovery;
	struct config_node own = {
		.id = settings->id,
		.priority = d->priority,
		.role = d->role,
	};

	memcpy(own.name, d->name, sizeof(own.name));
	snprintf(own.address, sizeof(own.address), "%s", address);
	return own;
}

struct settings *
discovery_list(const struct settings *running, struct nodes *nodes,
    const struct node *node, nsec_t now, const struct config_node *own)
{
	struct settings *list = settings_clone_roomy(running, nodes->met_count);
	char *errors = NULL;

	if (list == NULL)
		return NULL;
	if (!nodes_list(nodes, node, now, own, &list->shared)) {
		settings_free(list);
		return NULL;
	}
	list = list_end(list, "the nodes that were met", &errors);
	if (list == NULL)
		log_warnx(
		    "discovery: cannot put the nodes that it found into effect: %.*s",
		    errors != NULL ? (int)strcspn(errors, "\n") : 13,
		    errors != NULL ? errors : "out of memory");
	free(errors);
	return list;
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
