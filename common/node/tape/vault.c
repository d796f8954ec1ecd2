/* SPDX-License-Identifier: ISC */
#include "common/node/tape/vault.h"

#include <string.h>

#include "common/wire/group.h"
#include "common/wire/packet.h"

static bool
is_played(const struct tape *tape)
{
	return tape != NULL && tape->is_played;
}

void
vault_handshake_key(const struct tape *tape, uint8_t key[KEY_BYTES],
    const uint8_t cluster_key[KEY_BYTES])
{
	if (is_played(tape))
		memset(key, 0, KEY_BYTES);
	else
		seal_handshake_key(key, cluster_key);
}

uint8_t
vault_key_id(struct tape *tape, const uint8_t cluster_key[KEY_BYTES])
{
	uint8_t id = is_played(tape) ? 0 : seal_key_id(cluster_key);

	tape_bytes(tape, TAPE_KEY_ID, &id, sizeof(id));
	return id;
}

void
vault_session_key(const struct tape *tape, uint8_t key[KEY_BYTES],
    const uint8_t cluster_key[KEY_BYTES], const struct seal_party *from,
    const struct seal_party *to)
{
	if (is_played(tape))
		memset(key, 0, KEY_BYTES);
	else
		seal_session_key(key, cluster_key, from, to);
}

void
vault_fresh_secret(const struct tape *tape, uint8_t *bytes, size_t size,
    const uint8_t entropy[KEY_BYTES], uint64_t counter)
{
	uint8_t drawn[KEY_BYTES] = { 0 };

	assert(size <= sizeof(drawn));
	if (!is_played(tape))
		seal_fresh(drawn, sizeof(drawn), entropy, counter);
	memcpy(bytes, drawn, size);
	seal_wipe(drawn, sizeof(drawn));
}

void
vault_fresh(struct tape *tape, uint8_t *bytes, size_t size,
    const uint8_t entropy[KEY_BYTES], uint64_t counter)
{
	vault_fresh_secret(tape, bytes, size, entropy, counter);
	tape_bytes(tape, TAPE_DRAWN, bytes, size);
}

bool
vault_same(
    struct tape *tape, const uint8_t a[KEY_BYTES], const uint8_t b[KEY_BYTES])
{
	uint8_t same = memcmp(a, b, KEY_BYTES) == 0;

	tape_bytes(tape, TAPE_SAME, &same, sizeof(same));
	return same;
}

/* Overwrites the keys in what a body with frames is followed by. What comes
 * after bytes that are no frame is never read, and is overwritten too. */
static void
frames_hide_keys(uint8_t *body, size_t size)
{
	struct reader r = reader_of(body, size);
	struct packet_frame f;

	(void)read_run(&r, BODY_BYTES);
	while (r.left > 0) {
		size_t at = size - r.left;

		if (!frame_decode(&r, &f)) {
			at += FRAME_BYTES;
			if (at < size)
				memset(body + at, 0, size - at);
			return;
		}
		if (f.type == FRAME_GROUP_KEY)
			memset(body + at + FRAME_BYTES, 0,
			    f.size < KEY_BYTES ? f.size : KEY_BYTES);
	}
}

/* Tells the tape what leaves, before it is sealed. */
static void
tell_body(struct tape *tape, const uint8_t *bytes, size_t size)
{
	uint8_t told[PACKET_SEALED_MAX];

	if (tape == NULL)
		return;
	assert(size <= sizeof(told));
	memcpy(told, bytes, size);
	frames_hide_keys(told, size);
	tape_seal(tape, told, size);
	seal_wipe(told, sizeof(told));
}

static void
close_unless_played(const struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, uint8_t *bytes, size_t size, uint8_t tag[SEAL_TAG_BYTES])
{
	if (is_played(tape))
		memset(tag, 0, SEAL_TAG_BYTES);
	else
		seal_close(key, nonce, clear, clear_size, bytes, size, tag);
}

void
vault_close(struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, uint8_t *bytes, size_t size, uint8_t tag[SEAL_TAG_BYTES])
{
	tape_seal(tape, clear, clear_size);
	tape_seal(tape, bytes, size);
	close_unless_played(
	    tape, key, nonce, clear, clear_size, bytes, size, tag);
}

void
vault_close_body(struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, uint8_t *bytes, size_t size, uint8_t tag[SEAL_TAG_BYTES])
{
	tape_seal(tape, clear, clear_size);
	tell_body(tape, bytes, size);
	close_unless_played(
	    tape, key, nonce, clear, clear_size, bytes, size, tag);
}

bool
vault_open(struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, const uint8_t *bytes, size_t size,
    const uint8_t tag[SEAL_TAG_BYTES], uint8_t *plain)
{
	uint8_t opened =
	    !is_played(tape) &&
	    seal_open(key, nonce, clear, clear_size, bytes, size, tag, plain);

	tape_bytes(tape, TAPE_OPENED, &opened, sizeof(opened));
	if (opened)
		tape_bytes(tape, TAPE_PLAIN, plain, size);
	else
		memset(plain, 0, size);
	return opened;
}

bool
vault_open_body(struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, const uint8_t *bytes, size_t size,
    const uint8_t tag[SEAL_TAG_BYTES], uint8_t *plain)
{
	uint8_t told[PACKET_SEALED_MAX];
	uint8_t opened;

	assert(size <= sizeof(told));
	if (!tape_records(tape))
		return vault_open(tape, key, nonce, clear, clear_size, bytes,
		    size, tag, plain);
	opened =
	    seal_open(key, nonce, clear, clear_size, bytes, size, tag, plain);
	tape_bytes(tape, TAPE_OPENED, &opened, sizeof(opened));
	if (!opened)
		return false;
	memcpy(told, plain, size);
	frames_hide_keys(told, size);
	tape_bytes(tape, TAPE_PLAIN, told, size);
	seal_wipe(told, sizeof(told));
	return true;
}
