/* SPDX-License-Identifier: ISC */
/*
 * The only file of the node that uses keys and draws secret numbers; the others
 * carry keys from place to place, but for node_has_keys(), which is no input.
 * What a key says, such as whether it opens a datagram and what that holds,
 * goes to the tape (tape.h). A tape that is played says the same without a key:
 * all keys are zero then. No key goes to a tape, nor a sealed byte.
 *
 * Each function is the one of seal.h with that name, and `tape` may be NULL.
 */
#ifndef ELECTD_COMMON_NODE_TAPE_VAULT_H
#define ELECTD_COMMON_NODE_TAPE_VAULT_H

#include "common/node/tape/tape.h"
#include "common/wire/seal.h"

void vault_handshake_key(const struct tape *tape, uint8_t key[KEY_BYTES],
    const uint8_t cluster_key[KEY_BYTES]);
uint8_t vault_key_id(struct tape *tape, const uint8_t cluster_key[KEY_BYTES]);
void vault_session_key(const struct tape *tape, uint8_t key[KEY_BYTES],
    const uint8_t cluster_key[KEY_BYTES], const struct seal_party *from,
    const struct seal_party *to);

/* Draws bytes that others may know. */
void vault_fresh(struct tape *tape, uint8_t *bytes, size_t size,
    const uint8_t entropy[KEY_BYTES], uint64_t counter);

/* Draws a key, or what no tape needs. */
void vault_fresh_secret(const struct tape *tape, uint8_t *bytes, size_t size,
    const uint8_t entropy[KEY_BYTES], uint64_t counter);

/* True if two keys are the same. */
bool vault_same(
    struct tape *tape, const uint8_t a[KEY_BYTES], const uint8_t b[KEY_BYTES]);

void vault_close(struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, uint8_t *bytes, size_t size,
    uint8_t tag[SEAL_TAG_BYTES]);
bool vault_open(struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, const uint8_t *bytes, size_t size,
    const uint8_t tag[SEAL_TAG_BYTES], uint8_t *plain);

/* The same of a body with frames, one of which may have a key in it. */
void vault_close_body(struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, uint8_t *bytes, size_t size,
    uint8_t tag[SEAL_TAG_BYTES]);
bool vault_open_body(struct tape *tape, const uint8_t key[KEY_BYTES],
    const uint8_t nonce[SEAL_NONCE_BYTES], const uint8_t *clear,
    size_t clear_size, const uint8_t *bytes, size_t size,
    const uint8_t tag[SEAL_TAG_BYTES], uint8_t *plain);

#endif
