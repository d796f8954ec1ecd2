/* SPDX-License-Identifier: ISC */
#include "common/wire/group.h"

#include "common/wire/packet.h"

/* The bits that are not about one receiver. */
#define FLAGS_FOR_ALL (BODY_ELIGIBLE | BODY_CONTENDER | BODY_VOTES)

static unsigned
bits_of(uint8_t byte)
{
	unsigned count = 0;

	for (; byte != 0; byte >>= 1)
		count += byte & 1;
	return count;
}

unsigned
group_count(const struct group_body *b)
{
	unsigned count = 0;

	for (size_t i = 0; i < b->places_size; i++)
		count += bits_of(b->places[i]);
	return count;
}

void
group_body_encode(struct writer *w, const struct group_body *b)
{
	assert(b->timestamp != 0);
	assert(b->heartbeat_us > 0);
	assert((b->flags & ~FLAGS_FOR_ALL) == 0);
	assert((b->watch & ~WATCH_REQUEST) == 0);
	assert(b->places_size <= NODES_MAX / 8);
	write_u32(w, b->timestamp);
	write_u32(w, b->heartbeat_us);
	write_u8(w, b->flags);
	write_u8(w, b->watch);
	write_u32(w, b->config_tag);
	write_u8(w, b->second_key_id);
	write_u16(w, b->frames_count);
	write_u16(w, (uint16_t)b->places_size);
	write_bytes(w, b->places, b->places_size);
	write_bytes(w, b->echoes, (size_t)group_count(b) * GROUP_ECHO_BYTES);
}

bool
group_body_decode(struct reader *r, struct group_body *b)
{
	b->timestamp = read_u32(r);
	b->heartbeat_us = read_u32(r);
	b->flags = read_u8(r);
	b->watch = read_u8(r);
	b->config_tag = read_u32(r);
	b->second_key_id = read_u8(r);
	b->frames_count = read_u16(r);
	b->places_size = read_u16(r);
	if (r->failed || b->heartbeat_us == 0 ||
	    (b->flags & ~FLAGS_FOR_ALL) != 0 ||
	    (b->watch & ~WATCH_REQUEST) != 0 || b->places_size > NODES_MAX / 8)
		return false;
	b->places = read_run(r, b->places_size);
	if (r->failed)
		return false;
	b->echoes = read_run(r, (size_t)group_count(b) * GROUP_ECHO_BYTES);
	return !r->failed;
}

bool
group_find(
    const struct group_body *b, unsigned place, uint32_t *echo, unsigned *turn)
{
	uint8_t byte;
	struct reader r;

	assert(place < NODES_MAX);
	if (place / 8 >= b->places_size)
		return false;
	byte = b->places[place / 8];
	if (!(byte >> place % 8 & 1))
		return false;
	*turn = bits_of((uint8_t)(byte & ((1U << place % 8) - 1)));
	for (unsigned i = 0; i < place / 8; i++)
		*turn += bits_of(b->places[i]);
	r = reader_of(
	    b->echoes + (size_t)*turn * GROUP_ECHO_BYTES, GROUP_ECHO_BYTES);
	*echo = read_u32(&r);
	assert(!r.failed);
	return true;
}

void
group_key_encode(struct writer *w, const struct group_key *key)
{
	assert(key->first > 0);
	write_bytes(w, key->key, KEY_BYTES);
	write_u64(w, key->first);
}

bool
group_key_decode(struct reader *r, struct group_key *key)
{
	read_bytes(r, key->key, KEY_BYTES);
	key->first = read_u64(r);
	return !r->failed && key->first > 0;
}

void
group_heard_encode(struct writer *w, const struct group_heard *heard)
{
	write_u64(w, heard->number);
	write_u8(w, heard->run);
	write_u16(w, heard->word);
}

bool
group_heard_decode(struct reader *r, struct group_heard *heard)
{
	heard->number = read_u64(r);
	heard->run = read_u8(r);
	heard->word = read_u16(r);
	return !r->failed;
}
