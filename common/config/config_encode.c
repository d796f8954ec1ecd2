/* SPDX-License-Identifier: ISC */
#include "common/config/config_encode.h"

#include <sodium.h>
#include <string.h>

#include "common/config/circles.h"
#include "common/config/config_change.h"
#include "common/config/config_rows.h"
#include "common/config/config_value.h"

#define FORMAT     1  /* the first byte of a document */
#define HEAD_BYTES 13 /* format, and how many nodes and links there are */
#define LINKS_MOST ((size_t)NODES_MAX * NODES_MAX / 2)
#define ROWS_BYTES 512 /* of all rows but lists; most of it are names */
#define NODE_BYTES (16 + NAME_MAX_BYTES + ADDRESS_MAX_BYTES)

/* Where bytes go: to the writer, or through it into a digest. */
struct encoder {
	struct writer *w;
	crypto_generichash_state *digest; /* NULL: the bytes are a document */
	bool has_addresses;
};

/* What the bytes hold: without what config_complete() fills in, so that each
 * configuration has one encoding. */
static struct config
without_defaults(const struct config *config)
{
	struct config c = *config;

	config_forget_defaults(&c);
	return c;
}

static void
write_text(struct writer *w, const char *text)
{
	size_t size = strlen(text);

	write_u16(w, (uint16_t)size);
	write_bytes(w, text, size);
}

/* The bytes of a number in a document. */
static size_t
encoded_bytes(const struct config_row *row)
{
	return row->words != NULL ? 1 : config_bytes(row);
}

/* Writes a value that is no list. */
static void
encode_value(struct writer *w, const struct config_row *row, const void *of)
{
	int64_t value;

	if (row->kind == CONFIG_ALGORITHM)
		write_text(w, ((const struct config *)of)->algorithm->name);
	else if (row->kind == CONFIG_TEXT || row->kind == CONFIG_ADDRESS)
		write_text(w, (const char *)of + row->at);
	if (config_bytes(row) == 0)
		return;
	value = config_value(row, of);
	if (encoded_bytes(row) == 1)
		write_u8(w, (uint8_t)value);
	else if (encoded_bytes(row) == 4)
		write_u32(w, (uint32_t)value);
	else
		write_u64(w, (uint64_t)value);
}

/* Hands what was written to the digest, if that is what it is for. */
static void
encoder_flush(struct encoder *e)
{
	assert(!e->w->failed);
	if (e->digest == NULL)
		return;
	crypto_generichash_update(e->digest, e->w->start, e->w->size);
	e->w->size = 0;
}

static void
encode_node(struct encoder *e, const struct config_node *node)
{
	for (const struct config_row *r = config_node_rows; r->name; r++) {
		bool is_due = e->digest == NULL || r->is_digested ||
			      (r->kind == CONFIG_ADDRESS && e->has_addresses);

		if (is_due)
			encode_value(e->w, r, node);
	}
	encoder_flush(e);
}

static void
encode_order(struct encoder *e, const struct config *c)
{
	for (size_t i = 0; i < c->order_count; i++) {
		write_u32(e->w, c->order[i]);
		encoder_flush(e);
	}
}

static void
encode_links(struct encoder *e, const struct config *c)
{
	for (size_t i = 0; i < c->links_count; i++) {
		write_u32(e->w, c->links[i].a);
		write_u32(e->w, c->links[i].b);
		encoder_flush(e);
	}
}

static void
encode_row(
    struct encoder *e, const struct config_row *row, const struct config *c)
{
	if (row->kind == CONFIG_ORDER) {
		encode_order(e, c);
	} else if (row->kind == CONFIG_LINKS) {
		encode_links(e, c);
	} else if (row->kind == CONFIG_NODES) {
		for (size_t i = 0; i < c->nodes_count; i++)
			encode_node(e, &c->nodes[i]);
	} else {
		encode_value(e->w, row, c);
		encoder_flush(e);
	}
}

static void
encode(struct encoder *e, const struct config *c)
{
	write_u8(e->w, FORMAT);
	write_u16(e->w, (uint16_t)c->nodes_count);
	write_u16(e->w, (uint16_t)c->order_count);
	write_u32(e->w, (uint32_t)c->links_count);
	write_u32(e->w, (uint32_t)config_links_most(c, c->nodes_count));
	for (const struct config_row *row = config_rows; row->name; row++)
		encode_row(e, row, c);
}

size_t
config_encoded_most(const struct config *c)
{
	return HEAD_BYTES + ROWS_BYTES + c->nodes_count * NODE_BYTES +
	       c->order_count * sizeof(c->order[0]) +
	       c->links_count * sizeof(c->links[0]);
}

void
config_encode(struct writer *w, const struct config *config)
{
	const struct config c = without_defaults(config);
	struct encoder e = { .w = w };

	assert(config_has_document(config));
	encode(&e, &c);
}

void
config_digest(const struct config *config, uint8_t digest[SALT_BYTES])
{
	uint8_t bytes[NODE_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	crypto_generichash_state state;
	struct config c = without_defaults(config);
	struct encoder e = {
		.w = &w,
		.digest = &state,
		.has_addresses =
		    c.discovers && c.guarantee == GUARANTEE_COMPONENT,
	};

	if (c.neighbours_only && c.topology != TOPOLOGY_FULL) {
		c.choices.diameter = config->choices.diameter;
		c.nodes_count = c.order_count = c.links_count = 0;
	}
	crypto_generichash_init(&state, NULL, 0, SALT_BYTES);
	encode(&e, &c);
	crypto_generichash_final(&state, digest, SALT_BYTES);
}

struct edition
config_edition(const struct config *config)
{
	struct edition e = {
		.stamp = config->stamp,
		.generation = config->generation,
	};

	config_digest(config, e.digest);
	return e;
}

bool
config_is_copy(const struct config *a, const struct config *b)
{
	struct config stamped = *a;
	struct edition one, other = config_edition(b);

	stamped.stamp = b->stamp;
	one = config_edition(&stamped);
	return edition_equal(&one, &other);
}

/* What is being read, and what for. */
struct decoder {
	struct reader r;
	struct config *config;
	const struct algorithm *const *known;
	size_t nodes, order, links; /* how many there are */
	size_t links_most;          /* after config_complete() */
};

/* Reads the head, and checks that the rest could hold as many links. */
static bool
decode_head(struct decoder *d)
{
	bool is_ours = read_u8(&d->r) == FORMAT;

	d->nodes = read_u16(&d->r);
	d->order = read_u16(&d->r);
	d->links = read_u32(&d->r);
	d->links_most = read_u32(&d->r);
	return is_ours && !d->r.failed && d->nodes <= NODES_MAX &&
	       d->order <= d->nodes && d->links_most <= LINKS_MOST &&
	       d->links <= d->r.left / sizeof(struct config_link);
}

bool
config_decode_counts(
    const void *bytes, size_t size, size_t *nodes, size_t *links)
{
	struct decoder d = { .r = reader_of(bytes, size) };

	if (!decode_head(&d))
		return false;
	*nodes = d.nodes;
	*links = d.links > d.links_most ? d.links : d.links_most;
	return true;
}

/* Reads a text with its end; "" and false if it does not fit or ends early. */
static bool
read_text(struct reader *r, char *to, size_t capacity)
{
	size_t size = read_u16(r);
	const uint8_t *text = read_run(r, size);

	to[0] = '\0';
	if (text == NULL || size >= capacity ||
	    memchr(text, '\0', size) != NULL)
		return false;
	memcpy(to, text, size);
	to[size] = '\0';
	return true;
}

static bool
read_address(struct reader *r, char *to)
{
	char text[ADDRESS_MAX_BYTES];

	if (!read_text(r, text, sizeof(text)) ||
	    address_fault(text, to) != NULL)
		return false;
	return strcmp(text, to) == 0;
}

static bool
read_algorithm(struct decoder *d)
{
	char name[NAME_MAX_BYTES];

	if (!read_text(&d->r, name, sizeof(name)))
		return false;
	for (size_t i = 0; d->known[i] != NULL; i++) {
		if (strcmp(d->known[i]->name, name) == 0) {
			d->config->algorithm = d->known[i];
			return true;
		}
	}
	return false;
}

/* Reads a value that is no list. */
static bool
decode_value(struct decoder *d, const struct config_row *row, void *of)
{
	char *at = (char *)of + row->at;
	int64_t value;

	if (row->kind == CONFIG_ALGORITHM)
		return read_algorithm(d);
	if (row->kind == CONFIG_ADDRESS)
		return read_address(&d->r, at);
	if (row->kind == CONFIG_TEXT)
		return read_text(&d->r, at, row->size) &&
		       row->fault(at) == NULL;
	if (config_bytes(row) == 0)
		return true; /* a group */
	if (encoded_bytes(row) == 1)
		value = read_u8(&d->r);
	else if (encoded_bytes(row) == 8)
		value = (int64_t)read_u64(&d->r);
	else if (row->kind == CONFIG_INT32)
		value = (int32_t)read_u32(&d->r);
	else
		value = read_u32(&d->r);
	if (!config_in_range(row, value))
		return false;
	config_set(row, of, value);
	return true;
}

static bool
decode_nodes(struct decoder *d)
{
	for (size_t i = 0; i < d->nodes; i++) {
		const struct config_row *row = config_node_rows;
		struct config_node *node = &d->config->nodes[i];

		for (; row->name != NULL; row++) {
			if (!decode_value(d, row, node))
				return false;
		}
		if (i > 0 && node[-1].id >= node->id)
			return false;
	}
	d->config->nodes_count = d->nodes;
	return true;
}

static bool
decode_order(struct decoder *d)
{
	struct config *c = d->config;

	for (size_t i = 0; i < d->order; i++) {
		c->order[i] = read_u32(&d->r);
		if (c->order[i] == NODE_NONE)
			return false;
	}
	c->order_count = d->order;
	return true;
}

static bool
decode_links(struct decoder *d)
{
	struct config *c = d->config;

	for (size_t i = 0; i < d->links; i++) {
		struct config_link *link = &c->links[i];

		link->a = read_u32(&d->r);
		link->b = read_u32(&d->r);
		if (link->a == NODE_NONE || link->a >= link->b ||
		    (i > 0 && config_link_compare(link - 1, link) >= 0))
			return false;
	}
	c->links_count = d->links;
	return true;
}

static bool
decode_row(struct decoder *d, const struct config_row *row)
{
	if (row->kind == CONFIG_NODES)
		return decode_nodes(d);
	if (row->kind == CONFIG_ORDER)
		return decode_order(d);
	if (row->kind == CONFIG_LINKS)
		return decode_links(d);
	return decode_value(d, row, d->config);
}

bool
config_decode(struct config *config, const void *bytes, size_t size,
    const struct algorithm *const *known)
{
	struct decoder d = {
		.r = reader_of(bytes, size),
		.config = config,
		.known = known,
	};

	if (!decode_head(&d))
		return false;
	config->neighbours_only = false;
	for (const struct config_row *row = config_rows; row->name; row++) {
		if (!decode_row(&d, row))
			return false;
	}
	return reader_at_end(&d.r) &&
	       config_links_most(config, config->nodes_count) == d.links_most;
}
