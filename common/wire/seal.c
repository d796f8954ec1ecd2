/* SPDX-License-Identifier: ISC */
#include "common/wire/seal.h"

#include <string.h>

#include <sodium.h>

#include "common/util/bytes.h"

_Static_assert(KEY_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
    "one key size everywhere");
_Static_assert(SEAL_TAG_BYTES == crypto_aead_xchacha20poly1305_ietf_ABYTES,
    "the tag is Poly1305's");
_Static_assert(SEAL_NONCE_BYTES == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    "the nonce is XChaCha20's");

#define INPUT_MAX 128 /* bytes of a key derivation: a label, two parties */

/* Writes the keyed BLAKE2b of what `w` has to `out`. */
static void
derive(uint8_t *out, size_t size, const uint8_t key[KEY_BYTES],
    const struct writer *w)
{
	int rc;

	assert(!w->failed);
	assert(size >= crypto_generichash_BYTES_MIN);
	assert(size <= crypto_generichash_BYTES_MAX);
	rc = crypto_generichash(out, size, w->start, w->size, key, KEY_BYTES);
	assert(rc == 0);
}

/* A writer on `input`, INPUT_MAX bytes, that begins with the label. */
static struct writer
labelled(uint8_t *input, const char *label)
{
	struct writer w = writer_of(input, INPUT_MAX);

	write_bytes(&w, label, strlen(label));
	return w;
}

void
seal_handshake_key(uint8_t key[KEY_BYTES], const uint8_t cluster_key[KEY_BYTES])
{
	uint8_t input[INPUT_MAX];
	struct writer w = labelled(input, "electd1 handshake");

	derive(key, KEY_BYTES, cluster_key, &w);
}

uint8_t
seal_key_id(const uint8_t cluster_key[KEY_BYTES])
{
	uint8_t input[INPUT_MAX], digest[SALT_BYTES];
	struct writer w = labelled(input, "electd1 key id");

	derive(digest, sizeof(digest), cluster_key, &w);
	return digest[0];
}

void
seal_session_key(uint8_t key[KEY_BYTES], const uint8_t cluster_key[KEY_BYTES],
    const struct seal_party *from, const struct seal_party *to)
{
	uint8_t input[INPUT_MAX];
	struct writer w = labelled(input, "electd1 traffic");

	assert(from->id != to->id);
	write_u32(&w, from->id);
	write_u32(&w, to->id);
	write_u64(&w, from->incarnation);
	write_u64(&w, to->incarnation);
	write_bytes(&w, from->salt, SALT_BYTES);
	write_bytes(&w, to->salt, SALT_BYTES);
	derive(key, KEY_BYTES, cluster_key, &w);
}

void
seal_fresh(uint8_t *bytes, size_t size, const uint8_t entropy[KEY_BYTES],
    uint64_t counter)
{
	uint8_t input[INPUT_MAX];
	struct writer w = labelled(input, "electd1 fresh");

	write_u64(&w, counter);
	derive(bytes, size, entropy, &w);
}

uint32_t
seal_cluster_tag(const char *name)
{
	uint8_t digest[crypto_generichash_BYTES_MIN];
	struct reader r;
	int rc;

	rc = crypto_generichash(digest, sizeof(digest), (const uint8_t *)name,
	    strlen(name), NULL, 0);
	assert(rc == 0);
	r = reader_of(digest, sizeof(digest));
	return read_u32(&r);
}

void
seal_close(const uint8_t key[KEY_BYTES], const uint8_t nonce[SEAL_NONCE_BYTES],
    const uint8_t *clear, size_t clear_size, uint8_t *bytes, size_t size,
    uint8_t tag[SEAL_TAG_BYTES])
{
	int rc = crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
	    bytes, tag, NULL, bytes, size, clear, clear_size, NULL, nonce, key);

	assert(rc == 0);
}

bool
seal_open(const uint8_t key[KEY_BYTES], const uint8_t nonce[SEAL_NONCE_BYTES],
    const uint8_t *clear, size_t clear_size, const uint8_t *bytes, size_t size,
    const uint8_t tag[SEAL_TAG_BYTES], uint8_t *plain)
{
	return crypto_aead_xchacha20poly1305_ietf_decrypt_detached(plain, NULL,
		   bytes, size, tag, clear, clear_size, nonce, key) == 0;
}

void
seal_wipe(void *secret, size_t size)
{
	sodium_memzero(secret, size);
}
