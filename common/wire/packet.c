/* SPDX-License-Identifier: ISC */
#include "common/wire/packet.h"

#define WATCH_BITS 3 /* bits of a byte; the others count restarts */

_Static_assert(RESTARTS_MAX >> (8 - WATCH_BITS) == 0, "they share one byte");

/* Bits of a handshake (PROTOCOL.md, Handshake bytes). */
#define HANDSHAKE_IS_QUORUM 1
#define HANDSHAKE_EXCHANGES 2

/* Bits of a beacon (PROTOCOL.md, Frames). */
#define BEACON_HANDS_OVER 1
#define BEACON_IS_NAMED   2
#define BEACON_IS_LEAVING 4

uint8_t
versions_common(const struct versions *a, const struct versions *b)
{
	uint8_t version = a->highest < b->highest ? a->highest : b->highest;

	assert(a->lowest > 0);
	assert(b->lowest > 0);
	assert(a->lowest <= a->highest);
	assert(b->lowest <= b->highest);
	return version >= a->lowest && version >= b->lowest ? version : 0;
}

void
packet_head_encode(struct writer *w, const struct packet_head *h)
{
	size_t before = w->size;

	assert(h->version > 0);
	write_u8(w, h->version);
	write_u8(w, (uint8_t)h->type);
	write_u8(w, h->key_id);
	write_u8(w, h->flags);
	write_u32(w, h->cluster_tag);
	write_u32(w, h->source);
	write_u32(w, h->destination);
	write_u64(w, h->incarnation);
	write_u64(w, h->number);
	assert(w->failed || w->size - before == PACKET_CLEAR_BYTES);
}

static bool
packet_type_is_known(uint8_t type)
{
	return type == PACKET_HELLO || type == PACKET_HELLO_ACK ||
	       type == PACKET_SESSION || type == PACKET_BYE ||
	       type == PACKET_DIED || type == PACKET_ANNOUNCE ||
	       type == PACKET_GROUP;
}

/* Handshakes keep their version for ever. That of a session is for its ends to
 * judge. */
static bool
packet_version_suits(uint8_t version, uint8_t type)
{
	if (type == PACKET_HELLO || type == PACKET_HELLO_ACK ||
	    type == PACKET_ANNOUNCE)
		return version == PACKET_VERSION_HANDSHAKE;
	return type == PACKET_GROUP ? version == PACKET_VERSION_GROUP
				    : version > 0;
}

bool
packet_head_decode(struct reader *r, struct packet_head *h)
{
	uint8_t type;

	h->version = read_u8(r);
	type = read_u8(r);
	h->key_id = read_u8(r);
	h->flags = read_u8(r);
	h->cluster_tag = read_u32(r);
	h->source = read_u32(r);
	h->destination = read_u32(r);
	h->incarnation = read_u64(r);
	h->number = read_u64(r);
	if (r->failed || !packet_type_is_known(type) ||
	    !packet_version_suits(h->version, type))
		return false;
	h->type = (enum packet_type)type;
	return true;
}

void
handshake_encode(struct writer *w, const struct handshake *h)
{
	static const uint8_t zeros[HANDSHAKE_SEALED_BYTES];
	size_t before = w->size;

	write_bytes(w, h->salt, SALT_BYTES);
	write_bytes(w, h->echo, SALT_BYTES);
	write_bytes(w, h->instance, SALT_BYTES);
	write_u64(w, h->config_id.config_term);
	write_u32(w, h->config_id.config_version);
	write_bytes(w, h->config_id.digest, SALT_BYTES);
	write_u8(w, (uint8_t)h->verdict);
	write_u64(w, h->known);
	write_u8(w, (uint8_t)((h->is_quorum ? HANDSHAKE_IS_QUORUM : 0) |
			      (h->exchanges ? HANDSHAKE_EXCHANGES : 0)));
	write_u8(w, h->versions.lowest);
	write_u8(w, h->versions.highest);
	write_u32(w, h->config_id.revision);
	write_u32(w, h->release);
	write_bytes(w, zeros, HANDSHAKE_SEALED_BYTES - (w->size - before));
	assert(w->failed || w->size - before == HANDSHAKE_SEALED_BYTES);
}

bool
handshake_decode(struct reader *r, struct handshake *h)
{
	uint8_t verdict, bits;

	read_bytes(r, h->salt, SALT_BYTES);
	read_bytes(r, h->echo, SALT_BYTES);
	read_bytes(r, h->instance, SALT_BYTES);
	h->config_id.config_term = read_u64(r);
	h->config_id.config_version = read_u32(r);
	read_bytes(r, h->config_id.digest, SALT_BYTES);
	verdict = read_u8(r);
	h->known = read_u64(r);
	bits = read_u8(r);
	h->is_quorum = bits & HANDSHAKE_IS_QUORUM;
	h->exchanges = bits & HANDSHAKE_EXCHANGES;
	h->versions.lowest = read_u8(r);
	h->versions.highest = read_u8(r);
	h->config_id.revision = read_u32(r);
	h->release = read_u32(r);
	if (r->failed || !config_id_is_sane(&h->config_id) ||
	    verdict >= VERDICTS || h->versions.lowest == 0 ||
	    h->versions.highest < h->versions.lowest ||
	    bits > (HANDSHAKE_IS_QUORUM | HANDSHAKE_EXCHANGES))
		return false;
	h->verdict = (enum verdict)verdict;
	return true;
}

void
body_encode(struct writer *w, const struct body *b)
{
	size_t before = w->size;

	assert(b->watch <= WATCH_FLAGS);
	assert(b->restarts <= RESTARTS_MAX);
	write_u64(w, b->incarnation);
	write_u32(w, b->ack);
	write_u32(w, b->sack);
	write_u32(w, b->timestamp);
	write_u32(w, b->echo);
	write_u32(w, b->heartbeat_us);
	write_u8(w, (uint8_t)(b->restarts << WATCH_BITS | b->watch));
	write_u8(w, b->flags);
	write_u32(w, b->config_tag);
	write_u8(w, b->second_key_id);
	write_u16(w, b->frames_count);
	assert(w->failed || w->size - before == BODY_BYTES);
}

bool
body_decode(struct reader *r, struct body *b)
{
	uint8_t watch;

	b->incarnation = read_u64(r);
	b->ack = read_u32(r);
	b->sack = read_u32(r);
	b->timestamp = read_u32(r);
	b->echo = read_u32(r);
	b->heartbeat_us = read_u32(r);
	watch = read_u8(r);
	b->watch = watch & WATCH_FLAGS;
	b->restarts = watch >> WATCH_BITS;
	b->flags = read_u8(r);
	b->config_tag = read_u32(r);
	b->second_key_id = read_u8(r);
	b->frames_count = read_u16(r);
	return !r->failed && b->heartbeat_us > 0 && b->restarts <= RESTARTS_MAX;
}

void
frame_encode(struct writer *w, const struct packet_frame *f)
{
	size_t before = w->size;

	assert(f->size <= PACKET_SEALED_MAX);
	write_u8(w, f->type);
	write_u16(w, (uint16_t)f->size);
	write_u32(w, f->sequence);
	write_bytes(w, f->bytes, f->size);
	assert(w->failed || w->size - before == FRAME_BYTES + f->size);
}

bool
frame_decode(struct reader *r, struct packet_frame *f)
{
	f->type = read_u8(r);
	f->size = read_u16(r);
	f->sequence = read_u32(r);
	f->bytes = read_run(r, f->size);
	if (r->failed)
		return false;
	switch (f->type) {
	case FRAME_MESSAGE:
		return f->sequence != 0;
	case FRAME_BEACON:
	case FRAME_VOTE_REQUEST:
	case FRAME_VOTE_RESPONSE:
	case FRAME_RELEASE:
	case FRAME_LEASE_LEFT:
	case FRAME_MEMBERS:
	case FRAME_CONFIG:
	case FRAME_ASK:
	case FRAME_PIECE:
	case FRAME_STANDBY:
	case FRAME_TREE:
	case FRAME_GROUP_KEY:
	case FRAME_GROUP_HEARD:
	case FRAME_SEVERAL:
	case FRAME_SNAPSHOT:
	case FRAME_PULL:
	case FRAME_PULLED:
	case FRAME_TOKEN:
	case FRAME_FILE:
		return f->sequence == 0;
	}
	return false;
}

void
beacon_encode(struct writer *w, const struct beacon *beacon)
{
	size_t before = w->size;

	write_u64(w, beacon->term);
	rank_encode(w, &beacon->leader);
	write_u64(w, beacon->incarnation);
	write_u64(w, beacon->number);
	reason_encode(w, beacon->reason);
	write_u16(w, beacon->hops);
	write_u8(w, (uint8_t)((beacon->hands_over ? BEACON_HANDS_OVER : 0) |
			      (beacon->is_named ? BEACON_IS_NAMED : 0) |
			      (beacon->is_leaving ? BEACON_IS_LEAVING : 0)));
	write_u32(w, beacon->successor);
	assert(w->failed || w->size - before == BEACON_BYTES);
}

bool
beacon_decode(struct reader *r, struct beacon *beacon)
{
	uint8_t bits;

	*beacon = (struct beacon){ .term = read_u64(r) };
	if (!rank_decode(r, &beacon->leader))
		return false;
	beacon->incarnation = read_u64(r);
	beacon->number = read_u64(r);
	if (!reason_decode(r, &beacon->reason))
		return false;
	beacon->hops = read_u16(r);
	bits = read_u8(r);
	beacon->hands_over = bits & BEACON_HANDS_OVER;
	beacon->is_named = bits & BEACON_IS_NAMED;
	beacon->is_leaving = bits & BEACON_IS_LEAVING;
	beacon->successor = read_u32(r);
	return !r->failed && beacon->hops <= NODES_MAX &&
	       (beacon->leader.id != NODE_NONE) == beacon->leader.is_eligible &&
	       bits <=
		   (BEACON_HANDS_OVER | BEACON_IS_NAMED | BEACON_IS_LEAVING) &&
	       beacon->successor <= NODE_ID_MAX &&
	       (beacon->hands_over ||
		   (bits == 0 && beacon->successor == NODE_NONE));
}

void
token_encode(struct writer *w, const struct beacon *beacon)
{
	assert(beacon->token != 0);
	assert(beacon->token <= beacon->term);
	write_u64(w, beacon->token);
}

bool
token_decode(struct reader *r, struct beacon *beacon)
{
	beacon->token = read_u64(r);
	return !r->failed && beacon->token != 0 &&
	       beacon->token <= beacon->term && beacon->leader.id != NODE_NONE;
}

void
members_encode(struct writer *w, const struct members *members)
{
	size_t before = w->size;

	assert(members->size <= NODES_MAX / 8);
	write_u16(w, members->agree);
	write_bytes(w, members->bits, members->size);
	assert(w->failed || w->size - before == 2 + members->size);
}

bool
members_decode(struct reader *r, struct members *members)
{
	members->agree = read_u16(r);
	members->size = r->left;
	if (r->failed || members->size > NODES_MAX / 8)
		return false;
	members->bits = read_run(r, members->size);
	return !r->failed;
}

void
will_encode(struct writer *w, const struct will *will)
{
	size_t before = w->size;

	write_u64(w, will->term);
	assert(w->failed || w->size - before == WILL_BYTES);
}

bool
will_decode(struct reader *r, struct will *will)
{
	will->term = read_u64(r);
	return !r->failed && will->term <= TERM_MAX;
}
