/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_private.h"
#include "daemon/config/settings_value.h"

#define LEASE_DEFAULT (2 * SEC) /* longer if the heartbeats need it */

/*
 * A leader leads for 79/110 of its lease after the last vote request that a
 * majority has granted (lease.c). It renews the lease with every heartbeat, at
 * most 1.1 heartbeats apart. So `misses` + 1 renewals in a row may be lost.
 */
#define LEASE_HEARTBEATS(misses) (2 * ((misses) + 2))

/* What the functions share that make settings of a draft. */
struct build {
	const struct draft *draft;
	struct settings *settings;
	struct settings_errors *errors;
};

/* Prints to an allocated string. Returns NULL after adding an error if there is
 * no memory. */
__attribute__((format(printf, 2, 3))) static char *
build_text(struct settings_errors *errors, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0) {
		text = NULL;
		errors->out_of_memory = true;
	}
	va_end(arguments);
	return text;
}

static void
build_guarantee(struct build *b)
{
	const struct draft *draft = b->draft;
	const struct given *given = &draft->guarantee;

	if (!given->valid)
		return;
	b->settings->guarantee = (enum guarantee)given->number;
	if (b->settings->guarantee == GUARANTEE_QUORUM &&
	    draft->neighbours.line > 0 && draft->nodes.line == 0)
		settings_errors_add(b->errors, given->line, "guarantee",
		    "\"quorum\" needs every voter to be known; list them all in \"nodes\", instead of \"neighbours\" (line %d)",
		    draft->neighbours.line);
}

/* With discovery the cluster counts on by itself, above what a file may say. */
static void
build_generation(struct build *b)
{
	const struct given *given = &b->draft->generation;
	const struct given *discovery = &b->draft->discovery;

	if (given->valid && given->number > GENERATION_FILE_MAX &&
	    !(discovery->valid && discovery->number != 0))
		settings_errors_add(b->errors, given->line, "generation",
		    "%lld is out of range; must be 0 to %d",
		    (long long)given->number, GENERATION_FILE_MAX);
}

static void
build_algorithm(struct build *b)
{
	const struct given *given = &b->draft->algorithm;
	char list[ALGORITHMS_BYTES];
	char value[QUOTED_MAX];

	if (!given->valid)
		return;
	b->settings->algorithm = algorithm_find(given->text);
	if (b->settings->algorithm == NULL)
		settings_errors_add(b->errors, given->line, "algorithm",
		    "%s is unknown; known are: %s", quoted(given->text, value),
		    algorithms_list(NULL, 0, list));
}

/* Reads the delay of "after 300s". Returns false if it is not 1 ms to 30 d. */
static bool
preempt_read_delay(const char *text, nsec_t *delay)
{
	const char word[] = "after ";

	return strncmp(text, word, sizeof(word) - 1) == 0 &&
	       duration_read(text + sizeof(word) - 1, delay) &&
	       *delay >= MSEC && *delay <= 30 * 86400 * SEC;
}

static void
build_preempt(struct build *b)
{
	const struct given *given = &b->draft->preempt;
	struct settings *s = b->settings;
	char value[QUOTED_MAX];
	int index;

	if (!given->valid)
		return;
	index = word_find(preempt_words, given->text);
	if (index == PREEMPT_ALWAYS || index == PREEMPT_NEVER)
		s->preempt = (enum preempt)index;
	else if (preempt_read_delay(given->text, &s->preempt_after))
		s->preempt = PREEMPT_AFTER;
	else
		settings_errors_add(b->errors, given->line, "preempt",
		    "%s is unknown; must be \"always\", \"never\", or \"after \" and a delay of 1ms to 30d, as in \"after 300s\"",
		    quoted(given->text, value));
}

static void
build_timing(struct build *b)
{
	const struct draft *draft = b->draft;
	struct settings *s = b->settings;
	char least[DURATION_MAX_BYTES];
	char value[QUOTED_MAX];
	nsec_t needed;

	s->timing.heartbeat = (nsec_t)draft->heartbeat.number;
	s->timing.misses = (unsigned)draft->misses.number;
	s->timing.startup = (nsec_t)draft->startup.number;
	if (!draft->heartbeat.valid || !draft->misses.valid)
		return;
	needed = s->timing.heartbeat * LEASE_HEARTBEATS(s->timing.misses);
	s->timing.lease = needed > LEASE_DEFAULT ? needed : LEASE_DEFAULT;
	if (!draft->lease.valid)
		return;
	s->timing.lease = (nsec_t)draft->lease.number;
	if (s->timing.lease < needed)
		settings_errors_add(b->errors, draft->lease.line,
		    "timing.lease",
		    "%s is too short; must be at least %s, 2 * (misses + 2) heartbeats",
		    quoted(draft->lease.text, value),
		    duration_text(needed, least));
}

/* Returns what is wrong with a socket's path, or NULL. */
static const char *
socket_fault(const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	size_t size = strlen(base);

	if (size <= 5 || strcmp(base + size - 5, ".sock") != 0)
		return "is not a path to NAME.sock; electd makes NAME.admin.sock beside it";
	for (; *path != '\0'; path++) {
		if (path[0] == '%' && path[1] != 'i')
			return "has a \"%\" without \"i\"; \"%i\" stands for this node's id";
	}
	return NULL;
}

/* Returns `path` with `id` for each "%i", allocated, or NULL: no memory. */
static char *
socket_expand(const char *path, node_id id)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return NULL;
	for (; *path != '\0'; path++) {
		if (path[0] == '%' && path[1] == 'i') {
			fprintf(to, "%u", id);
			path++;
		} else {
			fputc(*path, to);
		}
	}
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

/* The id for the socket's path: ours if it is known, or the longest one. */
static node_id
socket_id(const struct build *b)
{
	const struct draft_list *nodes = &b->draft->nodes;
	int64_t longest = NODE_NONE;

	if (b->settings->id != NODE_NONE)
		return b->settings->id;
	for (size_t i = 0; i < nodes->count; i++) {
		if (nodes->nodes[i].id.valid &&
		    nodes->nodes[i].id.number > longest)
			longest = nodes->nodes[i].id.number;
	}
	return (node_id)longest;
}

static void
build_socket_given(struct build *b, const struct given *given)
{
	struct settings *s = b->settings;
	const struct sockaddr_un *address;
	const char *fault = socket_fault(given->text);
	char *expanded = socket_expand(given->text, socket_id(b));
	char value[QUOTED_MAX];

	if (expanded == NULL) {
		b->errors->out_of_memory = true;
		return;
	}
	if (fault == NULL &&
	    strlen(expanded) + strlen(".admin") >= sizeof(address->sun_path))
		fault =
		    "is too long; with \".admin\" inserted it may have at most 107 bytes";
	if (fault != NULL)
		settings_errors_add(b->errors, given->line, "control.socket",
		    "%s %s", quoted(given->text, value), fault);
	s->socket = build_text(
	    b->errors, "%s", s->id != NODE_NONE ? expanded : given->text);
	free(expanded);
}

static void
build_control(struct build *b)
{
	const struct draft *draft = b->draft;
	struct settings *s = b->settings;

	if (draft->socket.line == 0)
		s->socket =
		    build_text(b->errors, "/run/electd/%s.sock", s->cluster);
	else if (draft->socket.valid)
		build_socket_given(b, &draft->socket);
	if (draft->group.valid && *draft->group.text != '\0')
		s->group = build_text(b->errors, "%s", draft->group.text);
	for (size_t i = 0; i < draft->deadlines.count; i++) {
		if (draft->deadlines.list[i].valid)
			snprintf(s->deadlines[s->deadlines_count++],
			    NAME_MAX_BYTES, "%s",
			    draft->deadlines.list[i].text);
	}
}

static void
build_files(struct build *b)
{
	const struct draft *draft = b->draft;
	struct settings *s = b->settings;

	if (draft->key_file.line == 0)
		s->key_file =
		    build_text(b->errors, "/etc/electd/%s.key", s->cluster);
	else if (draft->key_file.valid)
		s->key_file = build_text(b->errors, "%s", draft->key_file.text);
	if (draft->old_key_file.valid && *draft->old_key_file.text != '\0')
		s->old_key_file =
		    build_text(b->errors, "%s", draft->old_key_file.text);
	if (draft->state_dir.valid)
		s->state_dir =
		    build_text(b->errors, "%s", draft->state_dir.text);
}

/* Makes settings, which are incomplete if there are errors. Returns NULL after
 * adding an error if there is no memory. */
static struct settings *
settings_build(
    const struct draft *draft, node_id id, struct settings_errors *errors)
{
	struct settings *s = calloc(1, sizeof(*s));
	struct build b = { draft, s, errors };

	if (s == NULL) {
		errors->out_of_memory = true;
		return NULL;
	}
	if (draft->cluster.valid)
		snprintf(
		    s->cluster, sizeof(s->cluster), "%s", draft->cluster.text);
	if (draft->prefer.valid)
		s->prefer = (enum prefer)draft->prefer.number;
	s->generation = (uint32_t)draft->generation.number;
	build_generation(&b);
	s->file_generation = s->generation;
	s->realtime = draft->realtime.valid && draft->realtime.number != 0;
	s->is_recorded = !draft->record.valid || draft->record.number != 0;
	s->watches_carrier =
	    !draft->watch_carrier.valid || draft->watch_carrier.number != 0;
	s->expected = (unsigned)draft->expect.number;
	build_guarantee(&b);
	build_algorithm(&b);
	build_preempt(&b);
	build_timing(&b);
	settings_build_discovery(s, draft, errors);
	s->base_generation = s->discovery.is_on ? s->generation : 0;
	settings_build_nodes(s, draft, id, errors);
	settings_build_topology(s, draft, errors);
	build_control(&b);
	build_files(&b);
	settings_build_checks(s, draft, errors);
	return s;
}

/* Returns NULL if there is an error, also from before. */
static struct settings *
settings_make(char *text, node_id id, struct settings_errors *errors)
{
	struct settings *settings = NULL;
	struct draft draft = { 0 };

	if (settings_text_scan(text, errors) &&
	    draft_read(&draft, text, errors))
		settings = settings_build(&draft, id, errors);
	draft_done(&draft);
	if (settings_errors_any(errors)) {
		settings_free(settings);
		settings = NULL;
	}
	return settings;
}

struct settings *
settings_parse(const char *path, char *text, node_id id, FILE *errors)
{
	struct settings_errors list = { 0 };
	struct settings *settings = settings_make(text, id, &list);

	settings_errors_print(&list, path, errors);
	settings_errors_done(&list);
	return settings;
}

/* Adds what is wrong with a file that would be right in a document. */
static void
file_check(const struct settings *s, struct settings_errors *errors)
{
	bool is_quorum = s->guarantee == GUARANTEE_QUORUM;

	if (!s->discovery.is_on)
		return;
	if (!is_quorum && s->nodes_count > 0)
		settings_errors_add(errors, 0, "nodes",
		    "cannot be given together with discovery, which finds them; remove the list, or discovery");
	for (size_t i = 0; is_quorum && i < s->nodes_count; i++) {
		if (s->nodes[i].is_discovered)
			settings_errors_add(errors, s->nodes[i].line,
			    "discovered",
			    "is for electd alone; remove it, or the node");
	}
	if (is_quorum && s->generation > GENERATION_FILE_MAX)
		settings_errors_add(errors, 0, "generation",
		    "%" PRIu32 " is out of range; must be 0 to %d",
		    s->generation, GENERATION_FILE_MAX);
}

struct settings *
settings_read(const char *path, node_id id, FILE *errors)
{
	struct settings_errors list = { 0 };
	struct settings *settings = NULL;
	char *text = settings_file_read(path, &list);

	if (text != NULL)
		settings = settings_make(text, id, &list);
	if (settings != NULL)
		file_check(settings, &list);
	if (settings_errors_any(&list)) {
		settings_free(settings);
		settings = NULL;
	}
	settings_errors_print(&list, path, errors);
	settings_errors_done(&list);
	free(text);
	return settings;
}

void
settings_free(struct settings *settings)
{
	if (settings == NULL)
		return;
	free(settings->nodes);
	free(settings->ring.order);
	free(settings->ring.right);
	free(settings->ring.left);
	free(settings->links);
	free(settings->key_file);
	free(settings->old_key_file);
	free(settings->socket);
	free(settings->group);
	free(settings->state_dir);
	free(settings->checks);
	free(settings);
}

static int
id_compare(const void *key, const void *element)
{
	const node_id *id = key;
	const struct node_settings *node = element;

	return *id < node->id ? -1 : *id > node->id;
}

const struct node_settings *
settings_node(const struct settings *settings, node_id id)
{
	if (settings->nodes_count == 0)
		return NULL;
	return bsearch(&id, settings->nodes, settings->nodes_count,
	    sizeof(settings->nodes[0]), id_compare);
}

/* The place of a node that left; FORMER_MAX: it has none. */
static unsigned
former_find(const struct settings *settings, node_id id)
{
	unsigned i = 0;

	while (i < FORMER_MAX && settings->former[i].id != id)
		i++;
	return i;
}

const char *
settings_name(const struct settings *settings, node_id id)
{
	const struct node_settings *node = settings_node(settings, id);
	unsigned former = former_find(settings, id);

	if (node != NULL)
		return node->name;
	return id == NODE_NONE || former == FORMER_MAX
		   ? NULL
		   : settings->former[former].name;
}

void
settings_remember(struct settings *settings, const struct settings *before)
{
	memcpy(settings->former, before->former, sizeof(settings->former));
	settings->former_count = before->former_count;
	for (size_t i = 0; i < before->nodes_count; i++) {
		const struct node_settings *node = &before->nodes[i];
		unsigned at = former_find(settings, node->id);

		if (settings_node(settings, node->id) != NULL)
			continue;
		if (at == FORMER_MAX)
			at = settings->former_count++ % FORMER_MAX;
		settings->former[at].id = node->id;
		memcpy(settings->former[at].name, node->name, NAME_MAX_BYTES);
	}
}

const struct node_settings *
settings_named(const struct settings *settings, const char *word)
{
	for (size_t i = 0; i < settings->nodes_count; i++) {
		const struct node_settings *node = &settings->nodes[i];
		char id[ID_TEXT_MAX];

		snprintf(id, sizeof(id), "%" PRIu32, node->id);
		if (strcmp(word, node->name) == 0 || strcmp(word, id) == 0)
			return node;
	}
	return NULL;
}

bool
settings_set_id(struct settings *settings, node_id self)
{
	char *socket = socket_expand(settings->socket, self);

	if (socket == NULL)
		return false;
	free(settings->socket);
	settings->socket = socket;
	settings->id = self;
	return true;
}

uint32_t
settings_file_generation(const struct settings *s)
{
	return s->discovery.is_on && s->file_generation == s->base_generation
		   ? s->generation
		   : s->file_generation;
}

bool
settings_file_is_older(const struct settings *s)
{
	return settings_file_generation(s) < s->generation;
}

const char *
guarantee_name(enum guarantee guarantee)
{
	return guarantee_words[guarantee];
}
