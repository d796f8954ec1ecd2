/* SPDX-License-Identifier: ISC */
#include "tests/model/fuzz/feed_group.h"

#include <string.h>

#define FRAMES_ROOM (PACKET_SEALED_MAX / 2)

unsigned
feed_group_word(struct reader *r, struct member *m, struct writer *w)
{
	uint8_t bits = read_u8(r);
	struct group_key key = { .first = m->group_number };
	struct group_heard heard = { m->their_group_number, UINT8_MAX,
		(uint16_t)((m->heard.watch & 3) | BODY_HEARD << 8) };

	if (bits & 4)
		m->group_key[1] = read_u8(r);
	if (bits & 8)
		key.first = read_u64(r) | 1;
	if (bits & 16)
		heard.number += read_u64(r);
	if (bits & 32)
		heard.run = read_u8(r);
	if (bits & 64)
		heard.word = read_u16(r);
	memcpy(key.key, m->group_key, KEY_BYTES);
	if (bits & 1)
		member_write_group_key(w, &key);
	if (bits & 2)
		member_write_group_heard(w, &heard);
	assert(!w->failed);
	return (bits & 1) + (bits >> 1 & 1);
}

/* A message to several, with numbers near the next one of the session. */
static void
write_several(struct reader *r, const struct member *m,
    const struct feed_honest *h, struct writer *w)
{
	uint8_t bytes[UINT8_MAX];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { .type = FRAME_SEVERAL, .bytes = bytes };
	uint8_t bits = read_u8(r);
	struct message message = {
		.kind = bits >> 4 & 7,
		.term = feed_term(r, h->term),
		.rank = feed_rank(r),
	};

	message.origin = message.rank.id;
	for (unsigned i = 0; i < (bits & 7); i++)
		write_u16(&b, (uint16_t)(m->sequence + (read_u8(r) & 3)));
	write_u32(&b, config_tag(&m->config_id));
	message_encode(&b, &message);
	assert(!b.failed);
	f.size = b.size;
	frame_encode(w, &f);
}

static size_t
seal_any(struct reader *r, struct member *m, uint8_t *datagram)
{
	uint8_t flags = read_u8(r) & PACKET_PING;
	size_t size = read_u8(r) * 4U;

	if (size > r->left)
		size = r->left;
	return member_seal_group(m, flags, read_run(r, size), size, datagram);
}

size_t
feed_group(struct reader *r, struct member *m, unsigned place,
    const struct feed_honest *h, uint8_t *datagram)
{
	static const uint8_t echoes[PACKET_SEALED_MAX];
	uint8_t frames[FRAMES_ROOM], places[3];
	struct writer w = writer_of(frames, sizeof(frames));
	struct group_body b = member_group_body(m, h->now, place);
	uint8_t bits = read_u8(r);

	if (bits & 1)
		return seal_any(r, m, datagram);
	if (bits & 2)
		m->group_number += read_u8(r);
	if (bits & 4) {
		b.places_size = read_u8(r) & 3;
		read_bytes(r, places, b.places_size);
		b.places = places;
		b.echoes = echoes;
	}
	if (bits & 8)
		b.watch = read_u8(r) & WATCH_REQUEST;
	if (bits & 16)
		b.heartbeat_us = read_u32(r) | 1;
	for (b.frames_count = 0; b.frames_count < bits >> 5; b.frames_count++) {
		uint8_t kind = read_u8(r);

		if (kind & 0x80)
			feed_word(r, kind & 4 ? 4 : kind & 3, h, &w);
		else if (kind & 1)
			write_several(r, m, h, &w);
		else
			feed_beacon(r, h->term, &w);
	}
	assert(!w.failed);
	return member_say_group(m, &b, frames, w.size, datagram);
}
