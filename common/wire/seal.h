/* SPDX-License-Identifier: ISC */
/*
 * Keys and seals: the only file of the core that knows libsodium. Keyed
 * BLAKE2b derives keys and fresh random values, XChaCha20-Poly1305 seals
 * datagrams (PROTOCOL.md, Keys).
 */
#ifndef ELECTD_COMMON_WIRE_SEAL_H
#define ELECTD_COMMON_WIRE_SEAL_H

#include "common/util/types.h"

#define SEAL_TAG_BYTES   16
#define SEAL_NONCE_BYTES 24

/* One side of a key agreement: who, which process, and its fresh salt. */
struct seal_party {
	node_id id;
	uint64_t incarnation;
	uint8_t salt[SALT_BYTES];
};

/* The key under which handshakes of this cluster key are sealed. */
void seal_handshake_key(
    uint8_t key[KEY_BYTES], const uint8_t cluster_key[KEY_BYTES]);

/* One byte that tells cluster keys apart; two may share it by chance. */
uint8_t seal_key_id(const uint8_t cluster_key[KEY_BYTES]);

/* The key of a session's direction `from` -> `to`. */
void seal_session_key(uint8_t key[KEY_BYTES],
    const uint8_t cluster_key[KEY_BYTES], const struct seal_party *from,
    const struct seal_party *to);

/*
 * `size` bytes (16 to 64) that are secret and never the same twice, from the
 * process's entropy and a counter that the caller raises for each.
 */
void seal_fresh(uint8_t *bytes, size_t size, const uint8_t entropy[KEY_BYTES],
    uint64_t counter);

/* The first four bytes of BLAKE2b(name): a cheap reject of other clusters. */
uint32_t seal_cluster_tag(const char *name);

/*
 * Encrypts `size` bytes in place and writes the tag over them and over
 * `clear_size` bytes in clear. A (key, nonce) pair is never used twice.
 */
void seal_close(const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, uint8_t *bytes, size_t size,
    uint8_t tag[SEAL_TAG_BYTES]);

/*
 * The reverse, from `bytes` to a buffer apart. False if the tag does not
 * verify; `plain` is then zeroed.
 */
bool seal_open(const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, const uint8_t *bytes, size_t size,
    const uint8_t tag[SEAL_TAG_BYTES], uint8_t *plain);

/* Overwrites a secret; not optimised away. */
void seal_wipe(void *secret, size_t size);

#endif
