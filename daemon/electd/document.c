/* SPDX-License-Identifier: ISC */
#include "daemon/electd/document.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_document.h"
#include "daemon/electd/discovery.h"
#include "daemon/state/edition_file.h"
#include "daemon/system/log.h"

bool
document_take(struct document *d, const struct action *action)
{
	assert(action->kind == ACTION_DOCUMENT);
	assert(action->size <= action->total - action->offset);
	if (action->offset == 0) {
		document_done(d);
		d->edition = action->edition;
		d->whole = action->total;
		d->bytes = malloc(action->total);
		if (d->bytes == NULL)
			document_lose(d);
	}
	if (d->bytes == NULL)
		return false;
	assert(action->offset == d->size);
	assert(action->total == d->whole);
	memcpy(d->bytes + d->size, action->datagram, action->size);
	d->size += action->size;
	d->giver = action->giver;
	return d->size == d->whole;
}

void
document_lose(struct document *d)
{
	const struct edition edition = d->edition;

	log_errorx(
	    "out of memory: cannot take the settings of generation %" PRIu32,
	    edition.generation);
	document_done(d);
	d->edition = edition;
	d->is_lost = true;
}

void
document_done(struct document *d)
{
	free(d->bytes);
	*d = (struct document){ .bytes = NULL };
}

struct settings *
document_join(const struct settings *settings, const char *document,
    size_t size, const char *name, char **errors)
{
	struct own_settings own = settings_own(settings);
	struct settings *joined = NULL;
	size_t errors_size;
	FILE *to = open_memstream(errors, &errors_size);

	if (own.text != NULL && to != NULL)
		settings_join(document, size, &own, name, &joined, to);
	if (to != NULL)
		fclose(to);
	free(own.text);
	return joined;
}

static struct settings *
join(const struct settings *settings, const char *document, size_t size,
    char **errors)
{
	return document_join(
	    settings, document, size, "the settings that are kept", errors);
}

void
document_replace(struct settings *settings, struct settings *other)
{
	struct settings before = *settings;

	*settings = *other;
	*other = before;
	settings_free(other);
}

struct settings *
document_combine(const struct settings *own, const struct settings *shared)
{
	size_t size;
	char *document = settings_document(shared, &size), *errors = NULL;
	struct settings *combined = NULL;

	if (document != NULL)
		combined = join(own, document, size, &errors);
	free(document);
	free(errors);
	return combined;
}

struct settings *
document_copy(const struct settings *settings)
{
	return document_combine(settings, settings);
}

bool
document_is_copy(const struct settings *settings, const struct settings *kept)
{
	struct settings stamped = *settings;
	struct edition a, b = settings_edition(kept);

	stamped.stamp = kept->stamp;
	a = settings_edition(&stamped);
	return edition_equal(&a, &b);
}

/* The socket is bound to the address of the newer file: that is where the
 * others expect this node, whose host has moved. */
static void
move_self(struct settings *kept, const struct settings *file)
{
	for (size_t i = 0; i < kept->nodes_count; i++) {
		struct node_settings *node = &kept->nodes[i];
		const struct node_settings *own = settings_node(file, file->id);

		if (node->id == file->id)
			memcpy(
			    node->address, own->address, sizeof(node->address));
	}
}

/* With discovery: *settings, of the file, take the nodes that were discovered
 * from those that are kept, and their own address stays that of today. */
static void
prefer_known(struct settings *settings, const char *path, struct settings *kept)
{
	char *errors = NULL;

	if (settings_node(kept, settings->id) != NULL)
		move_self(kept, settings);
	if (settings->base_generation < kept->base_generation)
		log_warnx(
		    "%s is older (generation %" PRIu32
		    ") than the settings of the cluster (of a file of generation %" PRIu32
		    "), which stay in effect; install the newer file",
		    path, settings->base_generation, kept->base_generation);
	if (!discovery_follow(kept, settings, &errors))
		log_warnx(
		    "cannot use the settings that are kept from before: %s; going on with %s",
		    errors != NULL ? errors : "out of memory", path);
	free(errors);
}

/* Puts `kept` in the place of *settings, which go to *file if they are
 * newer. */
static void
prefer(struct settings *settings, const char *path, struct settings *kept,
    struct settings **file)
{
	bool is_quorum = settings->guarantee == GUARANTEE_QUORUM;

	if (kept->discovery.is_on && settings->discovery.is_on)
		prefer_known(settings, path, kept);
	if (kept->discovery.is_on && settings->discovery.is_on && !is_quorum) {
		settings_free(kept);
		return;
	}
	if (is_quorum && document_is_copy(settings, kept)) {
		/* The file has the names and addresses of today. */
		settings->stamp = kept->stamp;
		settings_free(kept);
		return;
	}
	if (is_quorum && kept->generation == settings->generation)
		log_warnx(
		    "%s differs from the settings of the cluster, of the same generation, which stay in effect; raise generation with each change",
		    path);
	if (kept->generation > settings->generation)
		log_warnx(
		    "%s is older (generation %" PRIu32
		    ") than the settings of the cluster (generation %" PRIu32
		    "), which stay in effect; install the newer file",
		    path, settings->generation, kept->generation);
	if (is_quorum && kept->generation < settings->generation) {
		*file = document_copy(settings);
		move_self(kept, settings);
	}
	if (is_quorum || kept->generation > settings->generation)
		document_replace(settings, kept);
	else
		settings_free(kept);
}

struct settings *
document_kept(const struct settings *settings, const char *path)
{
	char *document, *errors = NULL;
	struct settings *kept;
	size_t size;
	int error = edition_file_read(settings, &document, &size);

	if (error != 0 && error != -ENOENT)
		log_warnx("cannot read the settings that are kept in %s: %s",
		    settings->state_dir,
		    error == -EBADMSG ? "the file is damaged"
				      : strerror(-error));
	if (error != 0)
		return NULL;
	kept = join(settings, document, size, &errors);
	if (kept == NULL)
		log_warnx(
		    "cannot use the settings that are kept from before: %s; going on with %s",
		    errors != NULL && errors[0] != '\0' ? errors
							: "out of memory",
		    path);
	free(document);
	free(errors);
	return kept;
}

bool
document_keep(const struct settings *settings)
{
	size_t size;
	char *document = settings_document(settings, &size);
	int error = document == NULL
			? -ENOMEM
			: edition_file_write(settings, document, size);

	free(document);
	if (error == 0)
		return true;
	log_errorx("%s: cannot keep the settings of the cluster: %s",
	    settings->state_dir, strerror(-error));
	return false;
}

bool
document_recall(
    struct settings *settings, const char *path, struct settings **file)
{
	struct settings *kept;

	*file = NULL;
	if (!settings_have_document(settings))
		return false;
	kept = document_kept(settings, path);
	if (kept != NULL)
		prefer(settings, path, kept, file);
	/* The cluster may have earlier settings, which take its place. */
	if (*file == NULL && settings_are_unstamped(settings))
		*file = document_copy(settings);
	return kept != NULL;
}

/* *settings become those, if there are any. */
static bool
become(struct settings *settings, struct settings *combined)
{
	if (combined != NULL)
		document_replace(settings, combined);
	return combined != NULL;
}

bool
document_outrank(struct settings *wanted, const struct settings *running)
{
	return become(wanted, document_combine(wanted, running));
}

bool
document_adopt(struct settings *wanted, const struct settings *running)
{
	return become(wanted, document_combine(running, wanted));
}
