/* SPDX-License-Identifier: ISC */
#include "common/wire/announce.h"

#include <string.h>

/* Bits (PROTOCOL.md, Handshake bytes). */
#define IS_QUORUM  1
#define ASKS       2
#define IS_REFUSED 4
#define BITS       7

void
announce_encode(struct writer *w, const struct announce *i)
{
	static const uint8_t zeros[ANNOUNCE_NAME_MAX];
	size_t before = w->size, size = strlen(i->name);

	assert(i->role < ANNOUNCE_ROLES);
	assert(size > 0 && size < ANNOUNCE_NAME_MAX);
	write_bytes(w, i->challenge, SALT_BYTES);
	write_bytes(w, i->echo, SALT_BYTES);
	write_bytes(w, i->instance, SALT_BYTES);
	config_id_encode(w, &i->config_id);
	write_u32(w, (uint32_t)i->priority);
	write_u8(w, i->role);
	write_u8(
	    w, (uint8_t)((i->is_quorum ? IS_QUORUM : 0) | (i->asks ? ASKS : 0) |
			 (i->is_refused ? IS_REFUSED : 0)));
	write_u8(w, (uint8_t)size);
	write_bytes(w, i->name, size);
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
announce_decode(struct reader *r, struct announce *i)
{
	uint8_t bits;

	read_bytes(r, i->challenge, SALT_BYTES);
	read_bytes(r, i->echo, SALT_BYTES);
	read_bytes(r, i->instance, SALT_BYTES);
	if (!config_id_decode(r, &i->config_id))
		return false;
	i->priority = (int32_t)read_u32(r);
	i->role = read_u8(r);
	bits = read_u8(r);
	i->is_quorum = (bits & IS_QUORUM) != 0;
	i->asks = (bits & ASKS) != 0;
	i->is_refused = (bits & IS_REFUSED) != 0;
	return name_decode(r, i->name) && i->role < ANNOUNCE_ROLES &&
	       bits <= BITS;
}
