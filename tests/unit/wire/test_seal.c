/* SPDX-License-Identifier: ISC */
/*
 * Keys and seals: each derivation against values computed by another
 * implementation of BLAKE2b, the cipher against its specification's vector.
 */
#include "tests/lib/hex.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/seal.h"

/* `size` bytes that count up. */
static void
count_up(uint8_t *bytes, size_t size, uint8_t from)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(from + i);
}

TEST(handshake_key_and_key_id_are_these)
{
	uint8_t key[KEY_BYTES], derived[KEY_BYTES];

	count_up(key, sizeof(key), 0);
	seal_handshake_key(derived, key);
	assert_string_equal(hex_of(derived, KEY_BYTES),
	    "5ac83148b35d8f9aeee31175136af347"
	    "786f3e5e07b2f0efaee9e9c51b2fbc06");
	assert_int_equal(seal_key_id(key), 0x6e);
}

TEST(session_keys_are_these_and_differ_by_direction)
{
	struct seal_party a = { .id = 3,
		.incarnation = UINT64_C(0x0102030405060708) };
	struct seal_party b = { .id = 4, .incarnation = 9 };
	uint8_t key[KEY_BYTES], derived[KEY_BYTES];

	count_up(key, sizeof(key), 0);
	count_up(a.salt, SALT_BYTES, 0x40);
	count_up(b.salt, SALT_BYTES, 0x60);
	seal_session_key(derived, key, &a, &b);
	assert_string_equal(hex_of(derived, KEY_BYTES),
	    "b0f2c820c3ef5022011b4a1a20461a91"
	    "03952af0e0d37e4bb4438db73ea2a897");
	seal_session_key(derived, key, &b, &a);
	assert_string_equal(hex_of(derived, KEY_BYTES),
	    "593b20ceec9b598ce71fac425f285cdf"
	    "64c9ef66f50ac6e47e21d13c06da7b40");
}

TEST(every_part_of_a_party_changes_the_key)
{
	struct seal_party a = { .id = 1, .incarnation = 1 };
	struct seal_party b = { .id = 2, .incarnation = 1 };
	struct seal_party others[3] = { a, a, a };
	uint8_t key[KEY_BYTES] = { 1 }, first[KEY_BYTES], other[KEY_BYTES];

	others[0].id = 3;
	others[1].incarnation = 2;
	others[2].salt[SALT_BYTES - 1] = 1;
	seal_session_key(first, key, &a, &b);
	for (int i = 0; i < 3; i++) {
		seal_session_key(other, key, &others[i], &b);
		assert_memory_not_equal(first, other, KEY_BYTES);
	}
	key[0] = 2;
	seal_session_key(other, key, &a, &b);
	assert_memory_not_equal(first, other, KEY_BYTES);
}

TEST(fresh_bytes_follow_from_entropy_and_counter)
{
	uint8_t entropy[KEY_BYTES], a[24], b[24];

	count_up(entropy, sizeof(entropy), 0);
	seal_fresh(a, sizeof(a), entropy, 7);
	assert_string_equal(hex_of(a, sizeof(a)),
	    "5937b4c55bf82da8ab2d97c0b57a524be89e225c868b352e");
	seal_fresh(b, sizeof(b), entropy, 8);
	assert_memory_not_equal(a, b, sizeof(a));
	entropy[31] ^= 1;
	seal_fresh(b, sizeof(b), entropy, 7);
	assert_memory_not_equal(a, b, sizeof(a));
}

TEST(cluster_tag_has_these_bytes)
{
	assert_int_equal(seal_cluster_tag("web"), 0x042d9853);
	assert_int_not_equal(seal_cluster_tag("wec"), 0x042d9853);
	assert_int_not_equal(seal_cluster_tag(""), 0);
}

/* draft-irtf-cfrg-xchacha-03, A.3.1. */
TEST(seal_is_xchacha20_poly1305)
{
	static const char plain[] =
	    "Ladies and Gentlemen of the class of '99: If I could offer you "
	    "only one tip for the future, sunscreen would be it.";
	static const uint8_t clear[] = { 0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1,
		0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7 };
	uint8_t key[KEY_BYTES], nonce[SEAL_NONCE_BYTES], tag[SEAL_TAG_BYTES];
	uint8_t bytes[sizeof(plain) - 1];

	count_up(key, sizeof(key), 0x80);
	count_up(nonce, sizeof(nonce), 0x40);
	memcpy(bytes, plain, sizeof(bytes));
	seal_close(key, nonce, clear, sizeof(clear), bytes, sizeof(bytes), tag);
	assert_string_equal(hex_of(bytes, 32),
	    "bd6d179d3e83d43b9576579493c0e939"
	    "572a1700252bfaccbed2902c21396cbb");
	assert_string_equal(
	    hex_of(tag, sizeof(tag)), "c0875924c1c7987947deafd8780acf49");
}

#define CLEAR 8
#define PLAIN 21

/* Sealed bytes, and everything that is needed to open them. */
struct sealed {
	uint8_t key[KEY_BYTES];
	uint8_t nonce[SEAL_NONCE_BYTES];
	uint8_t clear[CLEAR];
	uint8_t bytes[PLAIN];
	uint8_t tag[SEAL_TAG_BYTES];
};

static struct sealed
sealed_sample(void)
{
	struct sealed s;

	count_up((uint8_t *)&s, sizeof(s), 1);
	seal_close(
	    s.key, s.nonce, s.clear, CLEAR, s.bytes, sizeof(s.bytes), s.tag);
	return s;
}

static bool
sealed_open(const struct sealed *s, uint8_t *plain)
{
	return seal_open(
	    s->key, s->nonce, s->clear, CLEAR, s->bytes, PLAIN, s->tag, plain);
}

TEST(sealed_bytes_are_opened)
{
	struct sealed s = sealed_sample();
	uint8_t plain[PLAIN], wanted[PLAIN];

	count_up(wanted, PLAIN, (uint8_t)(1 + offsetof(struct sealed, bytes)));
	assert_memory_not_equal(s.bytes, wanted, PLAIN);
	assert_true(sealed_open(&s, plain));
	assert_memory_equal(plain, wanted, PLAIN);
}

/* Flips bits of the key, the nonce, the clear bytes, the sealed ones, and the
 * tag. */
TEST(every_single_bit_flipped_breaks_the_seal)
{
	static const uint8_t zeros[PLAIN];
	struct sealed s = sealed_sample();
	uint8_t *bytes = (uint8_t *)&s;

	for (size_t bit = 0; bit < 8 * sizeof(s); bit++) {
		uint8_t plain[PLAIN];

		memset(plain, 0x5a, sizeof(plain));
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(sealed_open(&s, plain));
		assert_memory_equal(plain, zeros, PLAIN);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

TEST(nothing_at_all_can_be_sealed)
{
	uint8_t key[KEY_BYTES] = { 1 }, nonce[SEAL_NONCE_BYTES] = { 2 };
	uint8_t tag[SEAL_TAG_BYTES], none[1] = { 0 }, clear[2] = { 3, 4 };

	seal_close(key, nonce, clear, sizeof(clear), none, 0, tag);
	assert_true(seal_open(key, nonce, clear, 2, none, 0, tag, none));
	assert_false(seal_open(key, nonce, clear, 1, none, 0, tag, none));
}

TEST(wiped_secret_is_gone)
{
	static const uint8_t zeros[40];
	uint8_t secret[40];

	count_up(secret, sizeof(secret), 1);
	seal_wipe(secret, sizeof(secret));
	assert_memory_equal(secret, zeros, sizeof(secret));
}
