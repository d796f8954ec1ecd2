/* SPDX-License-Identifier: ISC */
/*
 * Keys and seals: the only file of the core that knows libsodium. Keyed
 * BLAKE2b derives keys and fresh random values, XChaCha20-Poly1305 seals
 * datagrams (PROTOCOL.md, Keys).
 */
#ifndef ELECTD_COMMON_WIRE_SEAL_H
#define ELECTD_COMMON_WIRE_SEAL_H

#include "common/util/types.h"

#define SEAL_TAG_BYTES   16 /* bytes of a tag of Poly1305 */
#define SEAL_NONCE_BYTES 24 /* bytes of a nonce of XChaCha20 */

/* One side of a key agreement. */
struct seal_party {
	node_id id;
	uint64_t incarnation;     /* incarnation of the node's process */
	uint8_t salt[SALT_BYTES]; /* fresh for the session */
};

/* Derives the key that seals the handshakes of this cluster key. */
void seal_handshake_key(
    uint8_t key[KEY_BYTES], const uint8_t cluster_key[KEY_BYTES]);

/* A byte that tells cluster keys apart; one pair of 256 shares it by chance. */
uint8_t seal_key_id(const uint8_t cluster_key[KEY_BYTES]);

/* Derives the key of a session's direction `from` -> `to`. */
void seal_session_key(uint8_t key[KEY_BYTES],
    const uint8_t cluster_key[KEY_BYTES], const struct seal_party *from,
    const struct seal_party *to);

/*
 * Derives `size` bytes, 16 to 64, that are secret and never the same twice,
 * from the process's entropy and a counter that the caller raises each time.
 */
void seal_fresh(uint8_t *bytes, size_t size, const uint8_t entropy[KEY_BYTES],
    uint64_t counter);

/*
 * The first four bytes of BLAKE2b-128(name). A datagram of another cluster is
 * refused by it before any cryptography.
 */
uint32_t seal_cluster_tag(const char *name);

/*
 * Encrypts `size` bytes in place, and writes the tag that authenticates them
 * and the `clear_size` bytes in clear. The caller uses a pair of key and nonce
 * once only.
 */
void seal_close(const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, uint8_t *bytes, size_t size,
    uint8_t tag[SEAL_TAG_BYTES]);

/*
 * Verifies the tag and decrypts `bytes` to `plain`, another buffer of `size`
 * bytes. False if the tag does not verify; `plain` is then zeroed.
 */
bool seal_open(const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, const uint8_t *bytes, size_t size,
    const uint8_t tag[SEAL_TAG_BYTES], uint8_t *plain);

/* Overwrites a secret; the compiler cannot drop it. */
void seal_wipe(void *secret, size_t size);

#endif
