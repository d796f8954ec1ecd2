/* SPDX-License-Identifier: ISC */
/* What the vault tells a tape of keys and of what they open, and that a tape
 * which is played says the same without a key. */
#include "common/node/tape/vault.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/packet.h"

#define HEAD_BYTES 9 /* of an input without arguments */

static const uint8_t key[KEY_BYTES] = "a key that opens the datagrams.";
static const uint8_t told[KEY_BYTES] = "a key that a datagram tells us.";
static const uint8_t clear[PACKET_CLEAR_BYTES] = "in clear";
static const uint8_t nonce[SEAL_NONCE_BYTES] = "once";

static uint64_t memory[8192];
static struct tape tape;

struct sealed {
	uint8_t bytes[256];
	size_t size;
	uint8_t tag[SEAL_TAG_BYTES];
};

static void
begin(void)
{
	tape_init(&tape, memory, sizeof(memory));
	assert_non_null(tape_turn(&tape, 8));
	(void)tape_input(&tape, TAPE_TICK, 1);
}

/* Plays what was recorded since begin(). */
static void
play(void)
{
	struct writer *w = tape_entries(&tape);
	uint8_t *entries = w->start;
	size_t size = w->size;

	tape_play(&tape, entries + HEAD_BYTES, size - HEAD_BYTES);
}

/* A body, and a frame of this type with the key that is told. */
static struct sealed
seal_frame(uint8_t type, size_t size)
{
	struct sealed s = { .size = 0 };
	struct writer w = writer_of(s.bytes, sizeof(s.bytes));
	static const uint8_t body[BODY_BYTES];

	write_bytes(&w, body, sizeof(body));
	write_u8(&w, type);
	write_u16(&w, (uint16_t)size);
	write_u32(&w, 0);
	write_bytes(&w, told, size);
	assert_false(w.failed);
	s.size = w.size;
	seal_close(key, nonce, clear, sizeof(clear), s.bytes, s.size, s.tag);
	return s;
}

static bool
open_body(const struct sealed *s, const uint8_t *by, uint8_t *plain)
{
	return vault_open_body(&tape, by, nonce, clear, sizeof(clear), s->bytes,
	    s->size, s->tag, plain);
}

static bool
tape_has(const uint8_t *bytes, size_t size)
{
	const struct writer *w = tape_entries(&tape);

	return memmem(w->start, w->size, bytes, size) != NULL;
}

/* Whether all of the frame is there, or less of it than a key, or it is of no
 * type that there is: what follows its head is not told. */
TEST(key_in_a_body_is_not_on_the_tape)
{
	static const struct {
		uint8_t type;
		size_t size;
	} frames[] = { { FRAME_GROUP_KEY, KEY_BYTES }, { FRAME_GROUP_KEY, 8 },
		{ 250, KEY_BYTES } };

	for (size_t i = 0; i < 3; i++) {
		struct sealed s = seal_frame(frames[i].type, frames[i].size);
		uint8_t plain[256], again[256];
		size_t head = s.size - frames[i].size;

		begin();
		assert_true(open_body(&s, key, plain));
		assert_memory_equal(plain + head, told, frames[i].size);
		assert_false(tape_has(told, frames[i].size));
		assert_true(tape_has(plain, head));
		play();
		assert_true(open_body(&s, told, again));
		assert_memory_equal(again, plain, head);
		assert_false(tape.has_strayed);
	}
}

TEST(frame_without_a_key_is_on_the_tape)
{
	struct sealed s = seal_frame(FRAME_TREE, KEY_BYTES);
	uint8_t plain[256], again[256];

	begin();
	assert_true(open_body(&s, key, plain));
	assert_true(tape_has(told, KEY_BYTES));
	play();
	assert_true(open_body(&s, told, again));
	assert_memory_equal(again, plain, s.size);
}

TEST(datagram_that_does_not_open_does_not_when_it_is_played)
{
	struct sealed s = seal_frame(FRAME_TREE, KEY_BYTES);
	uint8_t plain[256];

	begin();
	assert_false(open_body(&s, told, plain));
	assert_true(vault_same(&tape, key, key));
	assert_false(vault_same(&tape, key, told));
	play();
	assert_false(open_body(&s, key, plain));
	assert_true(vault_same(&tape, key, told));
	assert_false(vault_same(&tape, key, key));
	assert_false(tape.has_strayed);
	assert_int_equal(tape.entries.left, 0);
}

/* The tape has something else, or nothing. */
TEST(node_that_asks_for_what_is_not_next_has_strayed)
{
	uint8_t bytes[SALT_BYTES], none[SALT_BYTES] = { 0 };
	uint8_t id;

	begin();
	id = vault_key_id(&tape, key);
	assert_int_equal(id, seal_key_id(key));
	play();
	assert_int_equal(vault_key_id(&tape, told), id);
	assert_false(tape.has_strayed);
	vault_fresh(&tape, bytes, sizeof(bytes), key, 1);
	assert_true(tape.has_strayed);
	assert_memory_equal(bytes, none, sizeof(bytes));
	begin();
	id = vault_key_id(&tape, key);
	play();
	assert_false(vault_same(&tape, key, key));
	assert_true(tape.has_strayed);
	assert_int_equal(vault_key_id(&tape, key), 0);
}
