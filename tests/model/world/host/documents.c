/* SPDX-License-Identifier: ISC */
/* The documents of files. With discovery they are those that electd exchanges;
 * else a file is its own. */
#include "tests/model/world/host/host.h"

#include "common/config/config_change.h"
#include "common/config/config_encode.h"

#include <stdlib.h>
#include <string.h>

#define SWEEP 256 /* documents, after which those are freed that nobody uses */

const uint8_t *
world_bytes(const struct world_file *file)
{
	return file->document != NULL ? file->document->bytes
				      : (const uint8_t *)file;
}

size_t
world_bytes_count(const struct world_file *file)
{
	return file->document != NULL ? file->document->size : WORLD_FILE_BYTES;
}

static struct config *
config_alloc(size_t nodes, size_t links)
{
	struct config *c = calloc(1, sizeof(*c));
	void *memory = calloc(1, config_size(nodes, links));

	assert(c != NULL && memory != NULL);
	config_place(c, memory, nodes, links);
	return c;
}

struct config *
documents_draft(const struct config *from, size_t more)
{
	size_t nodes = from->nodes_count + more;
	size_t most = nodes < NODES_MAX ? nodes : NODES_MAX;
	struct config *c = config_alloc(most, config_links_most(from, most));

	config_copy(c, from);
	config_forget_defaults(c);
	return c;
}

static void
use(const struct world_file *file)
{
	if (file->document != NULL)
		file->document->is_used = true;
}

static void
document_free(struct document *d)
{
	free(d->config.nodes);
	free(d->bytes);
	free(d);
}

/* Frees what no process has. */
static void
sweep(struct world *w)
{
	struct discovery *all = &w->discovery;
	size_t kept = 0;

	use(&w->files.newest);
	for (process_name name = 1; name <= WORLD_COPY; name++) {
		const struct configs *e = &w->processes[name].configs;

		use(&e->file);
		use(&e->kept);
		use(&e->keeping);
		use(&e->host_file);
		use(&e->own);
		use(&e->wanted);
	}
	for (size_t i = 0; i < all->count; i++) {
		if (!all->documents[i]->is_used) {
			document_free(all->documents[i]);
			continue;
		}
		all->documents[i]->is_used = false;
		all->documents[kept++] = all->documents[i];
	}
	all->count = kept;
}

static void
add(struct world *w, struct document *d)
{
	struct discovery *all = &w->discovery;

	if (all->count == all->capacity) {
		sweep(w);
		all->capacity = all->count + SWEEP;
		all->documents = realloc(
		    all->documents, all->capacity * sizeof(struct document *));
		assert(all->documents != NULL);
	}
	all->documents[all->count++] = d;
}

/* The file of a document without bytes, which is taken. */
struct world_file
documents_file(struct world *w, struct config *draft)
{
	struct document *d = calloc(1, sizeof(*d));
	struct writer to;

	assert(d != NULL);
	config_complete(draft);
	d->config = *draft;
	free(draft);
	d->bytes = malloc(config_encoded_most(&d->config));
	assert(d->bytes != NULL);
	to = writer_of(d->bytes, config_encoded_most(&d->config));
	config_encode(&to, &d->config);
	d->size = to.size;
	add(w, d);
	return (struct world_file){
		.config_term = d->config.config_term,
		.config_version = d->config.config_version,
		.heartbeat = d->config.timing.heartbeat,
		.lease = d->config.timing.lease,
		.misses = d->config.timing.misses,
		.variant = d->config.choices.variant,
		.topology = (uint8_t)d->config.topology,
		.document = d,
	};
}

struct world_file
world_stamped(
    struct world *w, const struct world_file *file, uint64_t config_term)
{
	struct world_file stamped = *file;
	struct config *c;

	if (file->document != NULL) {
		c = documents_draft(&file->document->config, 0);
		c->config_term = config_term;
		return documents_file(w, c);
	}
	stamped.config_term = config_term;
	return stamped;
}

struct world_file
world_file_of(struct world *w, const uint8_t *bytes, size_t size)
{
	const struct algorithm *const known[] = { w->setup.algorithm, NULL };
	struct world_file file = { .document = NULL };
	size_t nodes, links;
	struct config *c;

	if (!w->discovery.is_on) {
		assert(size == WORLD_FILE_BYTES);
		memcpy(&file, bytes, size);
		return file;
	}
	if (!config_decode_counts(bytes, size, &nodes, &links))
		assert(false);
	c = config_alloc(nodes, links);
	if (!config_decode(c, bytes, size, known))
		world_fail(w, "a document is none");
	return documents_file(w, c);
}

void
documents_free(struct world *w)
{
	for (size_t i = 0; i < w->discovery.count; i++)
		document_free(w->discovery.documents[i]);
	free(w->discovery.documents);
}
