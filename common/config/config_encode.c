/* SPDX-License-Identifier: ISC */
#include "common/config/config_encode.h"

#include <sodium.h>
#include <string.h>

#include "common/config/circles.h"
#include "common/config/config_change.h"
#include "common/config/config_rows.h"
#include "common/config/config_value.h"

#define FORMAT     2  /* the first byte of a document */
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

/* Writes the rows of a struct, each value of a list by the rows of that. */
static void
encode_rows(struct encoder *e, const struct config_row *rows, const void *of)
{
	for (const struct config_row *r = rows; r->name != NULL; r++) {
		size_t count = config_count(r, of);
		bool is_due = e->digest == NULL || !r->is_undigested ||
			      (r->kind == CONFIG_ADDRESS && e->has_addresses);

		if (is_due)
			encode_value(e->w, r, of);
		for (size_t i = 0; i < count; i++)
			encode_rows(e, r->rows, config_entry(r, of, i));
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
	encode_rows(e, config_rows, c);
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

struct config_id
config_numbers(const struct config *config)
{
	return (struct config_id){
		.config_term = config->config_term,
		.config_version = config->config_version,
		.revision = config->revision,
	};
}

struct config_id
config_identify(const struct config *config)
{
	struct config_id e = config_numbers(config);

	config_digest(config, e.digest);
	return e;
}

bool
config_is_copy(const struct config *a, const struct config *b)
{
	struct config stamped = *a;
	struct config_id one, other = config_identify(b);

	stamped.config_term = b->config_term;
	one = config_identify(&stamped);
	return config_id_equal(&one, &other);
}

/* What is being read, and what for. */
struct decoder {
	struct reader r;
	struct config *config;
	const struct algorithm *const *known;
	size_t nodes, order, links; /* how many there are */
	size_t lists;               /* that were read */
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

static bool decode_rows(
    struct decoder *d, const struct config_row *rows, void *of);

/* Reads the next of the lists. */
static bool
decode_list(struct decoder *d, const struct config_row *row, void *of)
{
	const size_t counts[] = { d->nodes, d->order, d->links };
	size_t count = counts[d->lists++];

	for (size_t i = 0; i < count; i++) {
		if (!decode_rows(d, row->rows, config_entry(row, of, i)))
			return false;
	}
	config_set_count(row, of, count);
	return true;
}

/* Reads the rows of a struct. */
static bool
decode_rows(struct decoder *d, const struct config_row *rows, void *of)
{
	bool is_right = true;

	for (const struct config_row *r = rows; is_right && r->name; r++)
		is_right = r->count_at != 0 ? decode_list(d, r, of)
					    : decode_value(d, r, of);
	return is_right;
}

/* True if the lists are in the one order that they have. */
static bool
is_sorted(const struct config *c)
{
	for (size_t i = 1; i < c->nodes_count; i++) {
		if (c->nodes[i - 1].id >= c->nodes[i].id)
			return false;
	}
	for (size_t i = 0; i < c->links_count; i++) {
		const struct config_link *link = &c->links[i];

		if (link->a >= link->b ||
		    (i > 0 && config_link_compare(link - 1, link) >= 0))
			return false;
	}
	return true;
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
	return decode_rows(&d, config_rows, config) && reader_at_end(&d.r) &&
	       is_sorted(config) &&
	       config_links_most(config, config->nodes_count) == d.links_most;
}
