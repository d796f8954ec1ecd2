/* SPDX-License-Identifier: ISC */
#include "daemon/electd/start/identify.h"

#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/electd/change/discovery.h"
#include "daemon/net/address.h"
#include "daemon/system/log.h"

#define NODES_TEXT_MAX 512 /* bytes; longer lists end in "..." */

/* The configured addresses: "web1.example:7420 192.0.2.12:7420 ...". */
static const char *
nodes_text(const struct settings *settings, char text[NODES_TEXT_MAX])
{
	size_t size = 0;

	text[0] = '\0';
	for (size_t i = 0; i < settings->shared.nodes_count; i++) {
		const char *address = settings->shared.nodes[i].address;

		if (size + strlen(address) + sizeof(" ...") > NODES_TEXT_MAX)
			return strcat(text, " ...");
		size += (size_t)snprintf(text + size, NODES_TEXT_MAX - size,
		    "%s%s", size > 0 ? " " : "", address);
	}
	return text;
}

/* Counts the nodes whose configured IP address this host has, and sets *self to
 * the last of them. */
static unsigned
count_by_number(
    const struct settings *settings, const struct ifaddrs *list, node_id *self)
{
	unsigned count = 0;

	for (size_t i = 0; i < settings->shared.nodes_count; i++) {
		const struct config_node *n = &settings->shared.nodes[i];
		struct address address;

		if (!address_read(n->address, &address) ||
		    !address_is_local(&address, list))
			continue;
		*self = n->id;
		count++;
	}
	return count;
}

/* Finds the first host name that resolves to this host, sets *self to its node,
 * and counts the nodes with the same host name. */
static unsigned
count_by_name(
    const struct settings *settings, const struct ifaddrs *list, node_id *self)
{
	const struct config_node *found = NULL;
	unsigned count = 0;

	for (size_t i = 0; i < settings->shared.nodes_count; i++) {
		const struct config_node *n = &settings->shared.nodes[i];
		const char *end = strrchr(n->address, ':');
		struct address address = { .size = 0 };

		if (found == NULL && !address_read(n->address, &address) &&
		    address_lookup(n->address, AF_UNSPEC, &address) == 0 &&
		    address_is_local(&address, list))
			found = n;
		if (found != NULL && strncmp(n->address, found->address,
					 (size_t)(end - n->address) + 1) == 0)
			count++;
	}
	if (found != NULL)
		*self = found->id;
	return count;
}

/* The id of a state file of the cluster; NODE_NONE: it is no such file. */
static node_id
id_of_state_file(const struct settings *settings, const char *name)
{
	size_t size = strlen(settings->shared.cluster);
	unsigned long id;
	char *end;

	if (strncmp(name, settings->shared.cluster, size) != 0 ||
	    name[size] != '-')
		return NODE_NONE;
	id = strtoul(name + size + 1, &end, 10);
	return strcmp(end, ".state") == 0 && id <= NODE_ID_MAX ? (node_id)id
							       : NODE_NONE;
}

/* The node that this host was, if there is a state file of one and the settings
 * name no such node any more. NODE_NONE: that is not known. */
static node_id
removed_node(const struct settings *settings)
{
	DIR *dir = opendir(settings->state_dir);
	node_id removed = NODE_NONE;
	bool is_named = false;
	struct dirent *entry;

	if (dir == NULL)
		return NODE_NONE;
	while ((entry = readdir(dir)) != NULL) {
		node_id id = id_of_state_file(settings, entry->d_name);

		if (id != NODE_NONE &&
		    config_find(&settings->shared, id) != NULL)
			is_named = true;
		else if (id != NODE_NONE)
			removed = id;
	}
	closedir(dir);
	return is_named ? NODE_NONE : removed;
}

node_id
identify_kept(const struct settings *settings)
{
	DIR *dir = opendir(settings->state_dir);
	node_id kept = NODE_NONE;
	struct timespec latest = { 0 };
	struct dirent *entry;
	struct stat st;

	if (dir == NULL)
		return NODE_NONE;
	while ((entry = readdir(dir)) != NULL) {
		node_id id = id_of_state_file(settings, entry->d_name);

		if (id == NODE_NONE ||
		    fstatat(dirfd(dir), entry->d_name, &st, 0) != 0)
			continue;
		if (kept != NODE_NONE &&
		    (st.st_mtim.tv_sec < latest.tv_sec ||
			(st.st_mtim.tv_sec == latest.tv_sec &&
			    st.st_mtim.tv_nsec < latest.tv_nsec)))
			continue;
		kept = id;
		latest = st.st_mtim;
	}
	closedir(dir);
	return kept;
}

/* An address may still come, unless the file no longer names this host. */
static int
explain_nobody(const struct settings *settings, const char *own,
    char text[IDENTIFY_TEXT_MAX])
{
	node_id removed = removed_node(settings);

	if (removed == NODE_NONE)
		return EXIT_FAILURE;
	snprintf(text, IDENTIFY_TEXT_MAX,
	    "this host was node %" PRIu32
	    ", by its state file, and this file names neither that node nor an address of this host (%s): disable electd here, or add the node again",
	    removed, own);
	return EXIT_CONFIGURATION;
}

/* With discovery the host may be none of the nodes: *self is as it was then. */
static int
identify_search(const struct settings *settings, node_id *self,
    char text[IDENTIFY_TEXT_MAX])
{
	char nodes[NODES_TEXT_MAX], own[ADDRESS_LIST_MAX];
	struct ifaddrs *list;
	unsigned count;

	if (getifaddrs(&list) != 0) {
		snprintf(
		    text, IDENTIFY_TEXT_MAX, "getifaddrs: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	count = count_by_number(settings, list, self);
	if (count == 0)
		count = count_by_name(settings, list, self);
	if (count != 1)
		snprintf(text, IDENTIFY_TEXT_MAX,
		    "%s an address of this host (%s); the nodes are at %s; correct the addresses, set id = N, or start with -i N",
		    count == 0 ? "no node has" : "several nodes have",
		    address_list(list, own), nodes_text(settings, nodes));
	freeifaddrs(list);
	if (count == 1 || (count == 0 && settings->shared.discovers))
		return EXIT_SUCCESS;
	return count == 0 ? explain_nobody(settings, own, text)
			  : EXIT_CONFIGURATION;
}

int
identify_look(struct settings *settings, char text[IDENTIFY_TEXT_MAX])
{
	node_id self = settings->id;
	int status = EXIT_SUCCESS;

	if (self != NODE_NONE && !discovery_lacks_self(settings))
		return EXIT_SUCCESS;
	if (self == NODE_NONE && settings->shared.nodes_count > 0)
		status = identify_search(settings, &self, text);
	if (status != EXIT_SUCCESS)
		return status;
	/* Perhaps a voter whose address is another one today, or not there
	 * yet: a voter has a state file. */
	if (self == NODE_NONE && settings->shared.discovers)
		self = identify_kept(settings);
	settings->id = self;
	if (discovery_lacks_self(settings))
		return discovery_complete(settings, text);
	settings_set_id(settings, self);
	return EXIT_SUCCESS;
}

int
identify_find(struct settings *settings)
{
	char text[IDENTIFY_TEXT_MAX];
	int status = identify_look(settings, text);

	if (status != EXIT_SUCCESS)
		log_errorx("%s", text);
	return status;
}
