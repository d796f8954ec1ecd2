/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_private.h"

/* Returns NULL if there is an error, also from before. */
static struct settings *
settings_make(char *text, node_id id, struct settings_errors *errors)
{
	struct settings *s = calloc(1, sizeof(*s));
	struct parse p = { .settings = s, .errors = errors };

	if (s == NULL)
		errors->out_of_memory = true;
	else if (settings_text_scan(text, errors) && parse_begin(&p, text))
		settings_complete(&p, id);
	parse_done(&p);
	if (!settings_errors_any(errors))
		return s;
	settings_free(s);
	return NULL;
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
settings_file_is_older(const struct settings *s)
{
	return s->file_config_version < s->shared.config_version;
}

bool
settings_are_discovered(const struct settings *s)
{
	const struct config_node *own = config_find(&s->shared, s->id);

	return own != NULL && own->is_discovered;
}

bool
settings_have_same_checks(
    const struct settings *settings, const struct settings *other)
{
	return memcmp(settings->checks, other->checks,
		   sizeof(settings->checks)) == 0;
}
