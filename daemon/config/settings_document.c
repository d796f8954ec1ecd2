/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_document.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool
settings_have_document(const struct settings *settings)
{
	return !settings->neighbours_only;
}

bool
settings_are_unstamped(const struct settings *settings)
{
	return settings->guarantee == GUARANTEE_QUORUM &&
	       settings_have_document(settings) && settings->stamp == 0;
}

/* Prints to a text in memory. NULL without memory. */
static char *
print_to_text(const struct settings *settings,
    void (*print)(const struct settings *settings, FILE *to), size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	if (to == NULL)
		return NULL;
	print(settings, to);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

/* Comments to the parser, which knows no settings of these names. A document
 * begins with those that it has, in this order. */
#define STAMP_LINE "# stamp "
#define BASE_LINE  "# file "

void
settings_print_numbers(const struct settings *settings, FILE *to)
{
	if (settings->stamp != 0)
		fprintf(to, STAMP_LINE "%" PRIu64 "\n", settings->stamp);
	if (settings->base_generation != 0)
		fprintf(
		    to, BASE_LINE "%" PRIu32 "\n", settings->base_generation);
}

static void
print_document(const struct settings *settings, FILE *to)
{
	settings_print_numbers(settings, to);
	settings_print_shared(settings, to);
}

/* The number in the line at *at of a document, which ends with a line, if the
 * line begins so; then *at is behind it. 0 if it does not, or the number is
 * above `max`. */
static uint64_t
document_number(const char *document, size_t size, size_t *at, const char *line,
    uint64_t max)
{
	size_t i = *at + strlen(line);
	uint64_t number = 0;

	if (size < i || memcmp(document + *at, line, strlen(line)) != 0)
		return 0;
	for (; document[i] >= '0' && document[i] <= '9'; i++) {
		if (number > max / 10)
			return 0;
		number = number * 10 + (uint64_t)(document[i] - '0');
	}
	if (document[i] != '\n' || number > max)
		return 0;
	*at = i + 1;
	return number;
}

/* Takes the numbers that the document begins with. */
static void
take_numbers(struct settings *joined, const char *document, size_t size)
{
	size_t at = 0;

	joined->stamp =
	    document_number(document, size, &at, STAMP_LINE, TERM_MAX);
	if (joined->discovery.is_on)
		joined->base_generation = (uint32_t)document_number(
		    document, size, &at, BASE_LINE, GENERATION_MAX);
}

char *
settings_document(const struct settings *settings, size_t *size)
{
	char *text = print_to_text(settings, print_document, size);

	assert(settings_have_document(settings));
	if (text == NULL || *size <= DOCUMENT_MAX)
		return text;
	free(text);
	return NULL;
}

struct own_settings
settings_own(const struct settings *settings)
{
	struct settings own = *settings;
	struct own_settings result = {
		.id = settings->id,
		.guarantee = settings->guarantee,
		.file_generation = settings->file_generation,
	};
	size_t size;

	own.id = NODE_NONE;
	result.text = print_to_text(&own, settings_print_own, &size);
	memcpy(result.cluster, settings->cluster, sizeof(result.cluster));
	return result;
}

/* Puts the two texts together. NULL without memory. */
static char *
texts_join(const char *document, size_t size, const char *own)
{
	size_t own_size = strlen(own) + 1;
	char *text = malloc(size + own_size);

	if (text == NULL)
		return NULL;
	memcpy(text, document, size);
	memcpy(text + size, own, own_size);
	return text;
}

/* True if the document has changed nothing that is the host's own. It could
 * give an id or an address to listen on where the host's text has none, or
 * begin a comment that ends there. */
static bool
own_is_kept(const struct settings *joined, const struct own_settings *own)
{
	size_t size;
	char *text = print_to_text(joined, settings_print_own, &size);
	bool is_kept = text != NULL && strcmp(text, own->text) == 0;

	free(text);
	return is_kept;
}

/* What is wrong with the document that these settings come from, or NULL. */
static const char *
document_fault(const struct settings *joined, const struct own_settings *own)
{
	if (!own_is_kept(joined, own))
		return "it changes what is this host's own";
	if (strcmp(joined->cluster, own->cluster) != 0)
		return "it is of another cluster";
	if (joined->nodes_count == 0)
		return "it names no nodes";
	if (joined->guarantee != own->guarantee ||
	    !settings_have_document(joined))
		return "it has another guarantee, or neighbours only";
	return NULL;
}

static struct settings *
document_parse(const char *document, size_t size,
    const struct own_settings *own, const char *name, FILE *errors)
{
	char *text = texts_join(document, size, own->text);
	struct settings *joined;
	const char *fault;

	if (text == NULL) {
		fprintf(errors, "%s: out of memory\n", name);
		return NULL;
	}
	joined = settings_parse(name, text, NODE_NONE, errors);
	free(text);
	if (joined == NULL)
		return NULL;
	fault = document_fault(joined, own);
	if (fault == NULL)
		return joined;
	fprintf(errors, "%s: %s\n", name, fault);
	settings_free(joined);
	return NULL;
}

static bool
is_text(const char *document, size_t size)
{
	return size > 0 && size <= DOCUMENT_MAX && document[size - 1] == '\n' &&
	       memchr(document, '\0', size) == NULL;
}

enum joined
settings_join(const char *document, size_t size, const struct own_settings *own,
    const char *name, struct settings **settings, FILE *errors)
{
	struct settings *joined;
	node_id id = own->id;

	if (!is_text(document, size)) {
		fprintf(errors, "%s: no text, or too long\n", name);
		return JOINED_WRONG;
	}
	joined = document_parse(document, size, own, name, errors);
	if (joined == NULL)
		return JOINED_WRONG;
	if (id == NODE_NONE)
		id = joined->nodes[0].id;
	if (settings_node(joined, id) == NULL) {
		fprintf(errors, "%s: it names no node with id %" PRIu32 "\n",
		    name, id);
		settings_free(joined);
		return JOINED_REMOVED;
	}
	joined->file_generation = own->file_generation;
	take_numbers(joined, document, size);
	if (settings_set_id(joined, id)) {
		*settings = joined;
		return JOINED;
	}
	settings_free(joined);
	fprintf(errors, "%s: out of memory\n", name);
	return JOINED_WRONG;
}
