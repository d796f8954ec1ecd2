/* SPDX-License-Identifier: ISC */
#include "daemon/settings.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "daemon/settings_build.h"
#include "daemon/settings_text.h"
#include "daemon/settings_value.h"
#include "daemon/settings_walk.h"

#define NODE_DIGEST_BYTES 9 /* id, priority, role */

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

static void
digest_nodes(const struct settings *settings, crypto_generichash_state *state)
{
	uint8_t bytes[NODE_DIGEST_BYTES];

	for (size_t i = 0; i < settings->nodes_count; i++) {
		const struct node_settings *node = &settings->nodes[i];
		struct writer w = writer_of(bytes, sizeof(bytes));

		write_u32(&w, node->id);
		write_u32(&w, (uint32_t)node->priority);
		write_u8(&w, (uint8_t)node->role);
		assert(!w.failed);
		crypto_generichash_update(state, bytes, w.size);
	}
}

/*
 * Every value in a fixed place and width, the one text preceded by its
 * length: no two configurations have one encoding.
 */
void
settings_digest(const struct settings *settings, uint8_t digest[SALT_BYTES])
{
	const char *algorithm = settings->algorithm->name;
	bool delayed = settings->preempt == PREEMPT_AFTER;
	uint8_t bytes[256];
	struct writer w = writer_of(bytes, sizeof(bytes));
	crypto_generichash_state state;

	write_u8(&w, (uint8_t)strlen(settings->cluster));
	write_bytes(&w, settings->cluster, strlen(settings->cluster));
	write_u8(&w, (uint8_t)settings->guarantee);
	write_u8(&w, (uint8_t)strlen(algorithm));
	write_bytes(&w, algorithm, strlen(algorithm));
	write_u8(&w, (uint8_t)settings->prefer);
	write_u8(&w, (uint8_t)settings->preempt);
	write_u64(&w, delayed ? settings->preempt_after : 0);
	write_u8(&w, (uint8_t)settings->topology);
	write_u64(&w, settings->heartbeat);
	write_u32(&w, settings->misses);
	write_u64(&w, settings->lease);
	write_u64(&w, settings->startup);
	write_u32(&w, (uint32_t)settings->nodes_count);
	assert(!w.failed);
	crypto_generichash_init(&state, NULL, 0, SALT_BYTES);
	crypto_generichash_update(&state, bytes, w.size);
	digest_nodes(settings, &state);
	crypto_generichash_final(&state, digest, SALT_BYTES);
}
