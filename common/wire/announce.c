/* SPDX-License-Identifier: ISC */
#include "common/wire/announce.h"

#include <string.h>

/* Bits (PROTOCOL.md, Handshake bytes). */
#define IS_QUORUM  1
#define ASKS       2
#define IS_REFUSED 4
#define BITS       7

void
announce_encode(struct writer *w, const struct announce *a)
{
	static const uint8_t zeros[ANNOUNCE_NAME_MAX];
	size_t before = w->size, size = strlen(a->name);

	assert(a->role < ANNOUNCE_ROLES);
	assert(size > 0);
	assert(size < ANNOUNCE_NAME_MAX);
	write_bytes(w, a->challenge, SALT_BYTES);
	write_bytes(w, a->echo, SALT_BYTES);
	write_bytes(w, a->instance, SALT_BYTES);
	config_id_encode(w, &a->config_id);
	write_u32(w, (uint32_t)a->priority);
	write_u8(w, a->role);
	write_u8(
	    w, (uint8_t)((a->is_quorum ? IS_QUORUM : 0) | (a->asks ? ASKS : 0) |
			 (a->is_refused ? IS_REFUSED : 0)));
	write_u8(w, (uint8_t)size);
	write_bytes(w, a->name, size);
	write_bytes(w, zeros, ANNOUNCE_NAME_MAX - 1 - size);
	assert(w->failed || w->size - before == ANNOUNCE_SEALED_BYTES);
}

/* Reads a name with its size before it, and zeros after it. */
static bool
name_decode(struct reader *r, char name[ANNOUNCE_NAME_MAX])
{
	size_t size = read_u8(r);

	read_bytes(r, name, ANNOUNCE_NAME_MAX - 1);
	name[ANNOUNCE_NAME_MAX - 1] = '\0';
	if (r->failed || size == 0 || strlen(name) != size)
		return false;
	for (size_t i = size; i < ANNOUNCE_NAME_MAX; i++) {
		if (name[i] != '\0')
			return false;
	}
	return true;
}

bool
announce_decode(struct reader *r, struct announce *a)
{
	uint8_t bits;

	read_bytes(r, a->challenge, SALT_BYTES);
	read_bytes(r, a->echo, SALT_BYTES);
	read_bytes(r, a->instance, SALT_BYTES);
	if (!config_id_decode(r, &a->config_id))
		return false;
	a->priority = (int32_t)read_u32(r);
	a->role = read_u8(r);
	bits = read_u8(r);
	a->is_quorum = (bits & IS_QUORUM) != 0;
	a->asks = (bits & ASKS) != 0;
	a->is_refused = (bits & IS_REFUSED) != 0;
	return name_decode(r, a->name) && a->role < ANNOUNCE_ROLES &&
	       bits <= BITS;
}
