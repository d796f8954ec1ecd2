/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_private.h"
#include "daemon/config/settings_value.h"

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
		s->socket = build_text(
		    b->errors, "/run/electd/%s.sock", s->shared.cluster);
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
		s->key_file = build_text(
		    b->errors, "/etc/electd/%s.key", s->shared.cluster);
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
	settings_build_shared(s, draft, id, errors);
	s->file_generation = s->shared.generation;
	s->realtime = draft->realtime.valid && draft->realtime.number != 0;
	s->is_recorded = !draft->record.valid || draft->record.number != 0;
	s->watches_carrier =
	    !draft->watch_carrier.valid || draft->watch_carrier.number != 0;
	s->expected = (unsigned)draft->expect.number;
	settings_build_discovery(s, draft, errors);
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

struct settings *
settings_read(const char *path, node_id id, FILE *errors)
{
	struct settings_errors list = { 0 };
	struct settings *settings = NULL;
	char *text = settings_file_read(path, &list);

	if (text != NULL)
		settings = settings_make(text, id, &list);
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
	free(settings->shared.nodes);
	free(settings->ring.right);
	free(settings->ring.left);
	free(settings->key_file);
	free(settings->old_key_file);
	free(settings->socket);
	free(settings->group);
	free(settings->state_dir);
	free(settings->checks);
	free(settings);
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
	const struct config_node *node = config_find(&settings->shared, id);
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
	for (size_t i = 0; i < before->shared.nodes_count; i++) {
		const struct config_node *node = &before->shared.nodes[i];
		unsigned at = former_find(settings, node->id);

		if (config_find(&settings->shared, node->id) != NULL)
			continue;
		if (at == FORMER_MAX)
			at = settings->former_count++ % FORMER_MAX;
		settings->former[at].id = node->id;
		memcpy(settings->former[at].name, node->name, NAME_MAX_BYTES);
	}
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
	const struct config *c = &s->shared;

	return c->discovers && s->file_generation == c->base_generation
		   ? c->generation
		   : s->file_generation;
}

bool
settings_file_is_older(const struct settings *s)
{
	return settings_file_generation(s) < s->shared.generation;
}

bool
settings_are_discovered(const struct settings *s)
{
	const struct config_node *own = config_find(&s->shared, s->id);

	return own != NULL && own->is_discovered;
}
