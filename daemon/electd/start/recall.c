/* SPDX-License-Identifier: ISC */
#include "daemon/electd/start/recall.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "common/host/start.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/discovery.h"
#include "daemon/electd/change/document.h"
#include "daemon/system/log.h"

/* The socket is bound to the address of the newer file: that is where the
 * others expect this node, whose host has moved. */
static void
move_self(struct settings *kept, const struct settings *file)
{
	const struct config_node *own = config_find(&file->shared, file->id);

	for (size_t i = 0; i < kept->shared.nodes_count; i++) {
		struct config_node *node = &kept->shared.nodes[i];

		if (node->id == file->id)
			memcpy(
			    node->address, own->address, sizeof(node->address));
	}
}

/* With discovery: *settings, of the file, take the nodes that were discovered
 * from those that are kept, and their own address stays that of today. */
static void
know(struct settings *settings, const char *path, struct settings *kept)
{
	char *errors = NULL;
	const char *why;

	move_self(kept, settings);
	if (!discovery_follow(kept, settings, &errors)) {
		why = errors != NULL ? errors : "out of memory";
		log_warnx(
		    "cannot use the settings kept in the state directory: %.*s; this host goes on with %s",
		    (int)strcspn(why, "\n"), why, path);
	}
	free(errors);
}

static void
report_start(const struct settings *settings, const char *path,
    const struct settings *kept, const struct host_start *start)
{
	if (start->differs)
		log_warnx(
		    "%s differs from the settings of the cluster, of the same config version, which stay in effect; raise config_version with each change",
		    path);
	if (start->is_older)
		log_warnx(
		    "%s is older (config version %" PRIu32
		    ") than the settings of the cluster (config version %" PRIu32
		    "), which stay in effect; install the newer file",
		    path, settings->shared.config_version,
		    kept->shared.config_version);
}

/* Puts `kept`, which is taken, in the place of *settings, and sets
 * *file to what this host wants. */
static void
prefer(struct settings *settings, const char *path, struct settings *kept,
    struct settings **file)
{
	const struct config_id was = config_identify(&kept->shared);
	struct config_id is;
	struct host_start start;

	if (kept->shared.discovers && settings->shared.discovers)
		know(settings, path, kept);
	is = config_identify(&settings->shared);
	start = host_start(settings->shared.guarantee, &is, &was,
	    config_is_copy(&settings->shared, &kept->shared));
	report_start(settings, path, kept, &start);
	if (start.wants_file)
		*file = settings_clone(settings);
	if (start.takes_config_term)
		settings->shared.config_term = kept->shared.config_term;
	if (start.uses_kept) {
		if (start.wants_file)
			move_self(kept, settings);
		document_replace(settings, kept);
	} else {
		settings_free(kept);
	}
	if (start.wants_current)
		*file = settings_clone(settings);
}

bool
recall_settings(
    struct settings *settings, const char *path, struct settings **file)
{
	struct settings *kept;

	*file = NULL;
	if (!config_has_document(&settings->shared))
		return false;
	kept = document_kept(settings, path);
	if (kept != NULL)
		prefer(settings, path, kept, file);
	else if (host_start_first(settings->shared.guarantee).wants_current)
		*file = settings_clone(settings);
	return kept != NULL;
}
