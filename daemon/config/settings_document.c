/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_document.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/config/config_check.h"
#include "common/config/config_encode.h"
#include "common/config/config_value.h"

/* Gives *config the memory for its nodes and links. */
static bool
allocate(struct config *config, size_t nodes, size_t links)
{
	void *memory = calloc(1, config_size(nodes, links));

	if (memory != NULL)
		config_place(config, memory, nodes, links);
	else
		config->nodes = NULL;
	return memory != NULL;
}

/* Copies what is this host's own; the configuration has no arrays yet. NULL
 * without memory. */
static struct settings *
clone_own(const struct settings *own)
{
	struct settings *s = malloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	*s = *own;
	s->shared.nodes = NULL;
	return s;
}

/* What keeps a configuration from taking the place of this host's own, or
 * NULL. */
static const char *
misfit(const struct config *shared, const struct config *own)
{
	if (strcmp(shared->cluster, own->cluster) != 0)
		return "it is of another cluster";
	if (shared->nodes_count == 0)
		return "it names no nodes";
	if (shared->guarantee != own->guarantee ||
	    shared->neighbours_only != own->neighbours_only)
		return "it has another guarantee, or neighbours only";
	return NULL;
}

/* Copies what is this host's own beside `shared`, with room for this much. */
static struct settings *
clone_with(const struct settings *own, const struct config *shared,
    size_t nodes, size_t links)
{
	struct settings *s = clone_own(own);

	if (s != NULL && allocate(&s->shared, nodes, links)) {
		config_copy(&s->shared, shared);
		return s;
	}
	settings_free(s);
	return NULL;
}

struct settings *
settings_with(const struct settings *own, const struct config *shared)
{
	return misfit(shared, &own->shared) == NULL &&
		       config_find(shared, own->id) != NULL
		   ? clone_with(
			 own, shared, shared->nodes_count, shared->links_count)
		   : NULL;
}

struct settings *
settings_clone(const struct settings *s)
{
	return clone_with(
	    s, &s->shared, s->shared.nodes_count, s->shared.links_count);
}

struct settings *
settings_clone_roomy(const struct settings *settings, size_t more)
{
	const struct config *c = &settings->shared;
	size_t nodes = c->nodes_count + more;
	struct settings *s;

	if (nodes > NODES_MAX)
		nodes = NODES_MAX;
	s = clone_with(settings, c, nodes, config_links_most(c, nodes));
	if (s != NULL)
		config_forget_defaults(&s->shared);
	return s;
}

/* A text of what is wrong, one fault a line. */
struct complaint {
	const char *name; /* of the whole */
	const struct config *config;
	FILE *to;
	size_t size;     /* of the text */
	unsigned faults; /* that were told */
};

#define FAULTS_MAX 16 /* to be told: of a document the first few do */

/* Begins the text *errors. False without memory; then that is NULL. */
static bool
complaint_begin(struct complaint *c, const char *name,
    const struct config *config, char **errors)
{
	*c = (struct complaint){ .name = name, .config = config };
	c->to = open_memstream(errors, &c->size);
	return c->to != NULL;
}

/* Ends the text, which is for those alone whose settings are wrong. */
static bool
complaint_end(struct complaint *c, bool is_right, char **errors)
{
	fclose(c->to);
	if (is_right) {
		free(*errors);
		*errors = NULL;
	}
	return is_right;
}

/* Adds a line. Returns false. */
static bool
complain(const struct complaint *c, const char *what)
{
	fprintf(c->to, "%s: %s\n", c->name, what);
	return false;
}

static void
take_fault(void *context, const struct config_fault *fault)
{
	struct complaint *c = context;
	char setting[FAULT_NAME_MAX];

	if (c->faults++ >= FAULTS_MAX)
		return;
	fprintf(c->to, "%s: %s: %s", c->name,
	    config_fault_name(c->config, fault, "nodes", setting), fault->text);
	if (fault->other != NO_ENTRY)
		fprintf(c->to, " (entry %zu)", fault->other);
	if (fault->advice != NULL)
		fprintf(c->to, "; %s", fault->advice);
	fputc('\n', c->to);
}

/* One socket serves all: true if `listen` is of the family of the nodes. */
static bool
listen_suits(const struct settings *s)
{
	size_t first = config_first_family(&s->shared);
	enum family own =
	    s->listen[0] != '\0' ? address_family(s->listen) : FAMILY_ANY;

	return own == FAMILY_ANY || first == s->shared.nodes_count ||
	       own == address_family(s->shared.nodes[first].address);
}

/* Checks and completes the configuration. */
static bool
finish(struct complaint *c, struct settings *s)
{
	struct config_work *work = malloc(sizeof(*work));
	bool is_right;

	if (work == NULL)
		return complain(c, "out of memory");
	is_right = config_check(
	    &s->shared, NODE_NONE, algorithms, work, take_fault, c);
	if (is_right) {
		config_complete(&s->shared);
		is_right = config_check_whole(&s->shared, work, take_fault, c);
	}
	free(work);
	return is_right &&
	       (listen_suits(s) ||
		   complain(c,
		       "its addresses are of another family than this host's (listen)"));
}

bool
settings_finish(struct settings *s, const char *name, char **errors)
{
	struct complaint c;

	*errors = NULL;
	return complaint_begin(&c, name, &s->shared, errors) &&
	       complaint_end(&c, finish(&c, s), errors);
}

/* Reads a document into *s, whose configuration has no arrays yet. */
static bool
decode(const struct complaint *c, struct settings *s, const void *document,
    size_t size)
{
	size_t nodes, links;

	if (!config_decode_counts(document, size, &nodes, &links))
		return complain(c, "it is no document");
	if (!allocate(&s->shared, nodes, links))
		return complain(c, "out of memory");
	return config_decode(&s->shared, document, size, algorithms) ||
	       complain(c, "a value is out of its range");
}

/* True if the configuration is of the cluster of this host. */
static bool
suits(const struct complaint *c, const struct settings *s,
    const struct settings *own)
{
	const char *fault = misfit(&s->shared, &own->shared);

	return fault == NULL || complain(c, fault);
}

/* True if the document is the one that these settings have. */
static bool
is_canonical(const struct complaint *c, const struct settings *s,
    const void *document, size_t size)
{
	size_t own_size = 0;
	uint8_t *own = settings_document(s, &own_size);
	bool is_same =
	    own != NULL && own_size == size && memcmp(own, document, size) == 0;

	free(own);
	return is_same || complain(c, "it is not the one form of its settings");
}

enum document_fit
settings_read_document(const void *document, size_t size,
    const struct settings *own, const char *name, struct settings **settings,
    char **errors)
{
	struct settings *s = clone_own(own);
	struct complaint c;
	bool is_right;

	*errors = NULL;
	if (s == NULL || !complaint_begin(&c, name, &s->shared, errors)) {
		settings_free(s);
		return DOCUMENT_WRONG;
	}
	is_right = decode(&c, s, document, size) && suits(&c, s, own) &&
		   finish(&c, s) && is_canonical(&c, s, document, size);
	if (!complaint_end(&c, is_right, errors)) {
		settings_free(s);
		return DOCUMENT_WRONG;
	}
	*settings = s;
	if (config_find(&s->shared, s->id) != NULL)
		return DOCUMENT_FITS;
	s->id = NODE_NONE;
	return DOCUMENT_REMOVED;
}

uint8_t *
settings_document(const struct settings *settings, size_t *size)
{
	size_t most = config_encoded_most(&settings->shared);
	uint8_t *bytes = malloc(most);
	struct writer w;

	if (bytes == NULL)
		return NULL;
	w = writer_of(bytes, most);
	config_encode(&w, &settings->shared);
	assert(!w.failed);
	*size = w.size;
	if (w.size <= DOCUMENT_MAX)
		return bytes;
	free(bytes);
	return NULL;
}

struct settings *
settings_change_member(const struct settings *settings,
    const struct member_change *change, char **errors)
{
	struct settings *s = settings_clone_roomy(settings, 1);
	char error[CHANGE_ERROR_MAX];
	struct complaint c;
	bool is_right;

	*errors = NULL;
	if (s == NULL ||
	    !complaint_begin(&c, "the changed settings", &s->shared, errors)) {
		settings_free(s);
		return NULL;
	}
	if (config_change_member(&s->shared, change, error))
		is_right = finish(&c, s);
	else
		is_right = complain(&c, error);
	if (complaint_end(&c, is_right, errors))
		return s;
	settings_free(s);
	return NULL;
}
