/* SPDX-License-Identifier: ISC */
/*
 * Any text is refused with errors, or is a configuration. Then the output of
 * settings_print() has the same meaning, and so has its document with what
 * is the host's own. Any bytes as a document change nothing of that.
 */
#include "tests/model/fuzz/feed.h"

#include <stdlib.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/node_setup.h"

/* Hands on the text as settings_read() does: without a NUL, with a newline at
 * its end. */
static char *
text_of(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 2);

	assert(text != NULL);
	if (size > 0)
		memcpy(text, bytes, size);
	text[size] = '\n';
	text[size + 1] = '\0';
	return text;
}

/* Parses a text; it gives errors if and only if it refuses the text. */
static struct settings *
parse(char *text)
{
	char *errors = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&errors, &size);
	struct settings *settings;

	assert(file != NULL);
	settings = settings_parse("fuzz.conf", text, NODE_NONE, file);
	fclose(file);
	assert((settings == NULL) == (size > 0));
	free(errors);
	return settings;
}

/* True if two nodes have the same link, in a ring on the same sides, in both or
 * in neither. */
static void
check_links(const struct settings *settings, const struct settings *copy)
{
	for (size_t i = 0; i < settings->shared.nodes_count; i++) {
		node_id a = settings->shared.nodes[i].id;
		node_id b =
		    settings->shared.nodes[settings->shared.nodes_count - 1 - i]
			.id;
		struct settings_sides sides, again;

		assert(settings_linked(settings, a, b) ==
		       settings_linked(copy, a, b));
		assert(settings_linked(settings, a, b) ==
		       settings_linked(settings, b, a));
		assert(settings_ring(settings, a, &sides) ==
		       settings_ring(copy, a, &again));
		assert(sides.right_count == again.right_count);
		assert(sides.left_count == again.left_count);
		assert(memcmp(sides.right, again.right,
			   sides.right_count * sizeof(node_id)) == 0);
		assert(memcmp(sides.left, again.left,
			   sides.left_count * sizeof(node_id)) == 0);
	}
}

static void
check_printed(const struct settings *settings)
{
	uint8_t digest[SALT_BYTES], again[SALT_BYTES];
	struct settings *copy;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert(file != NULL);
	settings_print(settings, file);
	fclose(file);
	copy = parse(text);
	assert(copy != NULL);
	config_digest(&settings->shared, digest);
	config_digest(&copy->shared, again);
	assert(memcmp(digest, again, sizeof(digest)) == 0);
	assert(copy->shared.nodes_count == settings->shared.nodes_count);
	assert(strcmp(copy->shared.cluster, settings->shared.cluster) == 0);
	assert(settings_have_same_checks(copy, settings));
	check_links(settings, copy);
	settings_free(copy);
	free(text);
}

/* Takes a document; there are errors if and only if there are no settings. */
static struct settings *
take_document(const void *document, size_t size, const struct settings *own)
{
	struct settings *settings = NULL;
	char *errors;
	enum document_fit fit = settings_read_document(
	    document, size, own, "fuzz", &settings, &errors);

	assert((fit == DOCUMENT_WRONG) == (settings == NULL));
	assert((settings == NULL) == (errors != NULL));
	free(errors);
	return settings;
}

/* The document of these settings is theirs again. */
static void
check_document(const struct settings *settings)
{
	uint8_t digest[SALT_BYTES], again[SALT_BYTES];
	struct settings *made;
	uint8_t *document;
	size_t size;

	if (!config_has_document(&settings->shared) ||
	    settings->shared.nodes_count == 0)
		return;
	document = settings_document(settings, &size);
	assert(document != NULL);
	made = take_document(document, size, settings);
	assert(made != NULL);
	config_digest(&settings->shared, digest);
	config_digest(&made->shared, again);
	assert(memcmp(digest, again, sizeof(digest)) == 0);
	assert(settings_have_same_checks(made, settings));
	check_links(settings, made);
	settings_free(made);
	free(document);
}

/* Any bytes as a document give settings of the host, of which these bytes are
 * the document, and which run a node; or they are refused. */
static void
check_foreign_document(
    const uint8_t *bytes, size_t size, enum guarantee guarantee)
{
	const struct settings own = {
		.shared = { .cluster = "web", .guarantee = guarantee },
		.id = 2,
		.key_file = "/etc/electd/web.key",
		.socket = "/run/web.sock",
		.state_dir = "/var/lib/electd",
	};
	struct settings *made = take_document(bytes, size, &own);
	struct node_setup *setup;
	uint8_t *document;
	size_t document_size;

	if (made == NULL)
		return;
	assert(made->id == 2 || made->id == NODE_NONE);
	assert(made->listen[0] == '\0');
	assert(made->old_key_file[0] == '\0');
	assert(strcmp(made->shared.cluster, "web") == 0);
	assert(strcmp(made->key_file, own.key_file) == 0);
	assert(strcmp(made->socket, own.socket) == 0);
	assert(strcmp(made->state_dir, own.state_dir) == 0);
	assert(made->checks_count == 0);
	check_document(made);
	document = settings_document(made, &document_size);
	assert(document != NULL && document_size == size);
	assert(memcmp(document, bytes, size) == 0);
	free(document);
	setup = node_setup_new(made, made->id);
	assert(setup != NULL);
	node_setup_free(setup);
	settings_free(made);
}

void
feed_settings(const uint8_t *bytes, size_t size)
{
	struct settings *settings;
	char *text;

	check_foreign_document(bytes, size, GUARANTEE_COMPONENT);
	check_foreign_document(bytes, size, GUARANTEE_QUORUM);
	if (size > 0 && memchr(bytes, '\0', size) != NULL)
		return;
	text = text_of(bytes, size);
	settings = parse(text);
	if (settings != NULL) {
		check_printed(settings);
		check_document(settings);
	}
	settings_free(settings);
	free(text);
}
