/* SPDX-License-Identifier: ISC */
/*
 * Any text is refused with errors, or is a configuration. Then the output of
 * settings_print() has the same meaning, and so has its document joined to what
 * is the host's own. Any bytes as a document change nothing of that.
 */
#include "tests/fuzz/feed.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_document.h"

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
	for (size_t i = 0; i < settings->nodes_count; i++) {
		node_id a = settings->nodes[i].id;
		node_id b = settings->nodes[settings->nodes_count - 1 - i].id;
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
	settings_digest(settings, digest);
	settings_digest(copy, again);
	assert(memcmp(digest, again, sizeof(digest)) == 0);
	assert(copy->nodes_count == settings->nodes_count);
	assert(strcmp(copy->cluster, settings->cluster) == 0);
	assert(settings_have_same_checks(copy, settings));
	check_links(settings, copy);
	settings_free(copy);
	free(text);
}

/* Joins a document; there are errors if and only if there are no settings. */
static struct settings *
join(const char *document, size_t size, const struct own_settings *own)
{
	struct settings *settings = NULL;
	char *errors = NULL;
	size_t errors_size = 0;
	FILE *file = open_memstream(&errors, &errors_size);

	assert(file != NULL);
	assert((settings_join(document, size, own, "fuzz", &settings, file) ==
		   JOINED) == (settings != NULL));
	fclose(file);
	assert((settings == NULL) == (errors_size > 0));
	free(errors);
	return settings;
}

/* The first node of the settings is the host's. */
static void
check_document(struct settings *settings)
{
	uint8_t digest[SALT_BYTES], again[SALT_BYTES];
	struct own_settings own;
	struct settings *joined;
	char *document;
	size_t size;

	if (!settings_have_document(settings) || settings->nodes_count == 0 ||
	    !settings_set_id(settings, settings->nodes[0].id))
		return;
	own = settings_own(settings);
	document = settings_document(settings, &size);
	assert(document != NULL);
	joined = join(document, size, &own);
	assert(joined != NULL);
	settings_digest(settings, digest);
	settings_digest(joined, again);
	assert(memcmp(digest, again, sizeof(digest)) == 0);
	assert(settings_have_same_checks(joined, settings));
	check_links(settings, joined);
	settings_free(joined);
	free(document);
	free(own.text);
}

static void
check_foreign_document(const uint8_t *bytes, size_t size)
{
	static char text[] =
	    "security = {\n  key_file = \"/etc/electd/*/web.key\";\n"
	    "  old_key_file = \"\";\n};\ncontrol = {\n"
	    "  socket = \"/run/web.sock\";\n  group = \"*/\";\n};\n"
	    "state_dir = \"/var/lib/electd\";\nrealtime = false;\n"
	    "record = true;\n";
	const struct own_settings own = {
		.id = 2,
		.cluster = "web",
		.text = text,
	};
	struct settings *joined = join((const char *)bytes, size, &own);

	if (joined == NULL)
		return;
	assert(joined->id == 2);
	assert(joined->listen[0] == '\0');
	assert(joined->old_key_file == NULL);
	assert(strcmp(joined->cluster, "web") == 0);
	assert(strcmp(joined->key_file, "/etc/electd/*/web.key") == 0);
	assert(strcmp(joined->socket, "/run/web.sock") == 0);
	assert(strcmp(joined->group, "*/") == 0);
	assert(strcmp(joined->state_dir, "/var/lib/electd") == 0);
	assert(!joined->realtime);
	assert(joined->checks_count == 0);
	assert(settings_have_document(joined));
	settings_free(joined);
}

void
feed_settings(const uint8_t *bytes, size_t size)
{
	struct settings *settings;
	char *text;

	check_foreign_document(bytes, size);
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
