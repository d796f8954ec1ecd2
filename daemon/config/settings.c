/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_build.h"
#include "daemon/config/settings_text.h"
#include "daemon/config/settings_value.h"
#include "daemon/config/settings_walk.h"

/* Parses and checks; NULL if that found an error, now or before. */
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
	char *text = settings_text_read(path, &list);

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
	free(settings->nodes);
	free(settings->order);
	free(settings->right);
	free(settings->left);
	free(settings->links);
	free(settings->key_file);
	free(settings->old_key_file);
	free(settings->socket);
	free(settings->group);
	free(settings->state_dir);
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
	return bsearch(&id, settings->nodes, settings->nodes_count,
	    sizeof(settings->nodes[0]), id_compare);
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

char *
settings_socket(const struct settings *settings, node_id self)
{
	return socket_expand(settings->socket, self);
}

const char *
guarantee_name(enum guarantee guarantee)
{
	return guarantee_words[guarantee];
}
