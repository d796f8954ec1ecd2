/* SPDX-License-Identifier: ISC */
#include "common/wire/edition.h"

#include <string.h>

int
edition_compare(const struct edition *a, const struct edition *b)
{
	if (a->stamp != b->stamp)
		return a->stamp < b->stamp ? -1 : 1;
	if (a->generation != b->generation)
		return a->generation < b->generation ? -1 : 1;
	return memcmp(a->digest, b->digest, SALT_BYTES);
}

bool
edition_equal(const struct edition *a, const struct edition *b)
{
	return edition_compare(a, b) == 0;
}

bool
edition_follows(const struct edition *next, const struct edition *was)
{
	if (next->stamp == 0)
		return next->generation == was->generation &&
		       memcmp(next->digest, was->digest, SALT_BYTES) == 0;
	if (was->stamp == 0)
		return next->generation >= was->generation;
	return edition_compare(next, was) >= 0;
}

struct edition
edition_in_place(const struct edition *next, const struct edition *was)
{
	struct edition edition = *next;

	if (edition.stamp == 0)
		edition.stamp = was->stamp;
	return edition;
}

uint64_t
edition_floor(const struct edition *edition)
{
	assert(edition->generation <= GENERATION_MAX);
	return edition->generation * GENERATION_TERMS;
}

uint32_t
edition_tag(const struct edition *edition)
{
	struct reader r = reader_of(edition->digest, SALT_BYTES);

	return read_u32(&r);
}

void
edition_encode(struct writer *w, const struct edition *edition)
{
	size_t before = w->size;

	write_u64(w, edition->stamp);
	write_u32(w, edition->generation);
	write_bytes(w, edition->digest, SALT_BYTES);
	assert(w->failed || w->size - before == EDITION_BYTES);
}

bool
edition_decode(struct reader *r, struct edition *edition)
{
	edition->stamp = read_u64(r);
	edition->generation = read_u32(r);
	read_bytes(r, edition->digest, SALT_BYTES);
	return !r->failed && edition->stamp <= TERM_MAX &&
	       edition->generation <= GENERATION_MAX;
}

void
edition_told_encode(struct writer *w, const struct edition_told *told)
{
	assert(told->size <= DOCUMENT_MAX);
	edition_encode(w, &told->edition);
	write_u32(w, told->size);
}

bool
edition_told_decode(struct reader *r, struct edition_told *told)
{
	if (!edition_decode(r, &told->edition))
		return false;
	told->size = read_u32(r);
	return !r->failed && told->size <= DOCUMENT_MAX;
}

void
edition_ask_encode(struct writer *w, const struct edition_ask *ask)
{
	assert(ask->offset < DOCUMENT_MAX);
	write_u32(w, ask->tag);
	write_u32(w, ask->offset);
}

bool
edition_ask_decode(struct reader *r, struct edition_ask *ask)
{
	ask->tag = read_u32(r);
	ask->offset = read_u32(r);
	return !r->failed && ask->offset < DOCUMENT_MAX;
}

void
edition_piece_encode(struct writer *w, const struct edition_piece *piece)
{
	assert(piece->offset < DOCUMENT_MAX);
	assert(piece->size > 0);
	assert(piece->size <= PIECE_MAX);
	write_u32(w, piece->tag);
	write_u32(w, piece->offset);
	write_bytes(w, piece->bytes, piece->size);
}

bool
edition_piece_decode(struct reader *r, struct edition_piece *piece)
{
	piece->tag = read_u32(r);
	piece->offset = read_u32(r);
	piece->size = r->left;
	piece->bytes = read_run(r, piece->size);
	return !r->failed && piece->offset < DOCUMENT_MAX && piece->size > 0 &&
	       piece->size <= PIECE_MAX;
}
