/* SPDX-License-Identifier: ISC */
#include "common/wire/config_id.h"

#include <string.h>

int
config_id_compare(const struct config_id *a, const struct config_id *b)
{
	if (a->config_term != b->config_term)
		return a->config_term < b->config_term ? -1 : 1;
	if (config_id_is_newer(a, b))
		return 1;
	if (config_id_is_newer(b, a))
		return -1;
	return memcmp(a->digest, b->digest, SALT_BYTES);
}

bool
config_id_equal(const struct config_id *a, const struct config_id *b)
{
	return config_id_compare(a, b) == 0;
}

bool
config_id_is_newer(const struct config_id *a, const struct config_id *b)
{
	return a->config_version != b->config_version
		   ? a->config_version > b->config_version
		   : a->revision > b->revision;
}

bool
config_id_may_replace(const struct config_id *next, const struct config_id *now)
{
	return config_id_is_newer(next, now) && next->revision >= now->revision;
}

bool
config_id_follows(const struct config_id *next, const struct config_id *was)
{
	if (next->config_term == 0)
		return next->config_version == was->config_version &&
		       next->revision == was->revision &&
		       memcmp(next->digest, was->digest, SALT_BYTES) == 0;
	if (was->config_term == 0)
		return !config_id_is_newer(was, next);
	return config_id_compare(next, was) >= 0;
}

struct config_id
config_id_in_place(const struct config_id *next, const struct config_id *was)
{
	struct config_id config_id = *next;

	if (config_id.config_term == 0)
		config_id.config_term = was->config_term;
	return config_id;
}

uint64_t
config_id_floor(const struct config_id *config_id)
{
	assert(config_id->config_version <= CONFIG_VERSION_MAX);
	return config_id->config_version * CONFIG_VERSION_TERMS;
}

uint32_t
config_tag(const struct config_id *config_id)
{
	struct reader r = reader_of(config_id->digest, SALT_BYTES);

	return read_u32(&r);
}

void
config_id_encode(struct writer *w, const struct config_id *config_id)
{
	size_t before = w->size;

	write_u64(w, config_id->config_term);
	write_u32(w, config_id->config_version);
	write_u32(w, config_id->revision);
	write_bytes(w, config_id->digest, SALT_BYTES);
	assert(w->failed || w->size - before == CONFIG_ID_BYTES);
}

bool
config_id_is_sane(const struct config_id *config_id)
{
	return config_id->config_term <= TERM_MAX &&
	       config_id->config_version <= CONFIG_VERSION_MAX &&
	       config_id->revision <= REVISION_MAX;
}

bool
config_id_decode(struct reader *r, struct config_id *config_id)
{
	config_id->config_term = read_u64(r);
	config_id->config_version = read_u32(r);
	config_id->revision = read_u32(r);
	read_bytes(r, config_id->digest, SALT_BYTES);
	return !r->failed && config_id_is_sane(config_id);
}

void
config_advert_encode(struct writer *w, const struct config_advert *told)
{
	assert(told->size <= DOCUMENT_MAX);
	config_id_encode(w, &told->config_id);
	write_u32(w, told->size);
}

bool
config_advert_decode(struct reader *r, struct config_advert *told)
{
	if (!config_id_decode(r, &told->config_id))
		return false;
	told->size = read_u32(r);
	return !r->failed && told->size <= DOCUMENT_MAX;
}

void
config_ask_encode(struct writer *w, const struct config_ask *ask)
{
	assert(ask->offset < DOCUMENT_MAX);
	write_u32(w, ask->tag);
	write_u32(w, ask->offset);
}

bool
config_ask_decode(struct reader *r, struct config_ask *ask)
{
	ask->tag = read_u32(r);
	ask->offset = read_u32(r);
	return !r->failed && ask->offset < DOCUMENT_MAX;
}

void
config_piece_encode(struct writer *w, const struct config_piece *piece)
{
	assert(piece->offset < DOCUMENT_MAX);
	assert(piece->size > 0);
	assert(piece->size <= PIECE_MAX);
	write_u32(w, piece->tag);
	write_u32(w, piece->offset);
	write_bytes(w, piece->bytes, piece->size);
}

bool
config_piece_decode(struct reader *r, struct config_piece *piece)
{
	piece->tag = read_u32(r);
	piece->offset = read_u32(r);
	piece->size = r->left;
	piece->bytes = read_run(r, piece->size);
	return !r->failed && piece->offset < DOCUMENT_MAX && piece->size > 0 &&
	       piece->size <= PIECE_MAX;
}
