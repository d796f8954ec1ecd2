/* SPDX-License-Identifier: ISC */
#include "daemon/electd/change/document.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "daemon/electd/tell/report_words.h"
#include "daemon/state/kept_config.h"
#include "daemon/system/log.h"

void
document_take(struct document *d, const struct action *action)
{
	assert(action->kind == ACTION_DOCUMENT);
	assert(action->size <= action->total - action->offset);
	if (action->offset == 0) {
		document_done(d);
		d->config_id = action->config_id;
		d->whole = action->total;
		d->bytes = malloc(action->total);
		if (d->bytes == NULL)
			document_lose(d);
	}
	if (d->bytes == NULL)
		return;
	assert(action->offset == d->size);
	assert(action->total == d->whole);
	memcpy(d->bytes + d->size, action->datagram, action->size);
	d->size += action->size;
	d->giver = action->giver;
}

void
document_lose(struct document *d)
{
	const struct config_id config_id = d->config_id;

	char words[WORDS_MAX];

	log_errorx("out of memory: cannot take the settings of %s",
	    words_config(&config_id, words));
	document_done(d);
	d->config_id = config_id;
	d->is_lost = true;
}

enum document_fit
document_read(const struct document *d, const struct settings *own,
    struct settings **settings, char **errors)
{
	struct settings *read = NULL;
	enum document_fit fit;
	char name[WORDS_MAX];
	struct config_id is;

	words_config(&d->config_id, name);
	fit =
	    settings_read_document(d->bytes, d->size, own, name, &read, errors);
	if (fit == DOCUMENT_WRONG)
		return DOCUMENT_WRONG;
	is = config_identify(&read->shared);
	if (config_id_equal(&is, &d->config_id)) {
		*settings = read;
		return fit;
	}
	settings_free(read);
	free(*errors);
	if (asprintf(errors, "%s: its digest is another one\n", name) < 0)
		*errors = NULL;
	return DOCUMENT_WRONG;
}

void
document_done(struct document *d)
{
	free(d->bytes);
	*d = (struct document){ .bytes = NULL };
}

void
document_replace(struct settings *settings, struct settings *other)
{
	struct settings before = *settings;

	*settings = *other;
	*other = before;
	settings_free(other);
}

/* The settings of the document in the state directory. */
static struct settings *
kept_read(const struct settings *settings, const uint8_t *document, size_t size,
    const char *path)
{
	struct settings *kept = NULL;
	char *errors;
	enum document_fit fit = settings_read_document(document, size, settings,
	    "the settings that are kept", &kept, &errors);
	const char *why = errors != NULL ? errors : "out of memory";

	if (fit == DOCUMENT_REMOVED)
		why = "they do not name this node";
	if (fit != DOCUMENT_FITS) {
		log_warnx(
		    "cannot use the settings kept in the state directory: %.*s; this host goes on with %s",
		    (int)strcspn(why, "\n"), why, path);
		settings_free(kept);
		kept = NULL;
	}
	free(errors);
	return kept;
}

struct settings *
document_kept(const struct settings *settings, const char *path)
{
	struct settings *kept;
	uint8_t *document;
	size_t size;
	int error = kept_config_read(settings, &document, &size);

	if (error != 0 && error != -ENOENT)
		log_warnx("cannot read the settings that are kept in %s: %s",
		    settings->state_dir,
		    error == -EBADMSG ? "the file is damaged"
				      : strerror(-error));
	if (error != 0)
		return NULL;
	kept = kept_read(settings, document, size, path);
	free(document);
	return kept;
}

bool
document_keep(const struct settings *settings)
{
	size_t size;
	uint8_t *document = settings_document(settings, &size);
	int error = document == NULL
			? -ENOMEM
			: kept_config_write(settings, document, size);

	free(document);
	if (error == 0)
		return true;
	log_errorx("%s: cannot keep the settings of the cluster: %s",
	    settings->state_dir, strerror(-error));
	return false;
}

bool
document_outrank(struct settings *wanted, const struct settings *running)
{
	struct settings *combined = settings_with(wanted, &running->shared);

	if (combined != NULL)
		document_replace(wanted, combined);
	return combined != NULL;
}

bool
document_adopt(struct settings *wanted, const struct settings *running)
{
	struct settings *combined = settings_with(running, &wanted->shared);

	if (combined != NULL)
		document_replace(wanted, combined);
	return combined != NULL;
}
