/* SPDX-License-Identifier: ISC */
/*
 * The keys of the cluster, and what is sealed under them (keys.c; PROTOCOL.md,
 * Keys, Handshake bytes).
 */
#ifndef ELECTD_COMMON_NODE_PEER_KEYS_H
#define ELECTD_COMMON_NODE_PEER_KEYS_H

#include "common/node/node_parts.h"
#include "common/wire/announce.h"

/* Takes the keys from node->setup, and names this process. */
void keys_init(struct node *node);

/* Replaces the keys and what follows from them; the next rounds of heartbeats
 * tell every peer. */
void keys_change(struct node *node, const struct setup_keys *keys);

/* The key under which the node says HELLO. */
const struct cluster_key *keys_first(const struct node *node);

/* Draws `size` bytes, KEY_BYTES at most, that nobody can foresee and no other
 * call of this process draws. They are no secret once they are drawn. */
void keys_fresh(struct node *node, uint8_t *bytes, size_t size);

/* The same of bytes that are a secret, or on which nothing depends that the
 * node does. */
void keys_fresh_secret(struct node *node, uint8_t *bytes, size_t size);

/* The random name of this process, of SALT_BYTES. */
const uint8_t *keys_instance(const struct node *node);

/* True if a datagram with this head is of our cluster, by its name. */
bool keys_name_cluster(const struct node *node, const struct packet_head *head);

/* True if a key of ours has this short id. */
bool keys_have(const struct node *node, uint8_t key_id);

/* The id of the key that the node accepts besides its first; without one, that
 * of the first. */
uint8_t keys_second_id(const struct node *node);

/* A datagram of the peer's session names the keys of these ids. */
void keys_hear(struct peer *p, uint8_t first, uint8_t second);

/* The session has ended: what it said counts no more. */
void keys_reset(struct peer *p);

/* Whether our keys are those that the peer has told. */
enum key_match keys_match_first(const struct node *node, const struct peer *p);
enum key_match keys_match_second(const struct node *node, const struct peer *p);

/* A round of heartbeats begins. True if it goes to every peer, as our keys have
 * changed lately. */
bool keys_beat(struct node *node);

/* The head of a datagram to this node, but for its number and flags, and the
 * version of a session. */
struct packet_head keys_head(
    const struct node *node, node_id to, enum packet_type type);

/* Seals a handshake to this node under `key`, one of the node's, into
 * `datagram`, which has room for HANDSHAKE_BYTES. */
void keys_seal_handshake(struct node *node, node_id to, enum packet_type type,
    uint64_t number, const struct cluster_key *key, const struct handshake *h,
    uint8_t *datagram);

/* Seals an announcement to this node, NODE_NONE: to any, likewise; `datagram`
 * has room for ANNOUNCE_BYTES. */
void keys_seal_announce(struct node *node, node_id to,
    const struct cluster_key *key, const struct announce *a, uint8_t *datagram);

/* Opens a handshake, any bytes. *key is the node's key under which it was
 * sealed, valid until the keys change. DROP_SEAL: none of ours opens it;
 * DROP_FORMAT: one does, but the bytes make no sense. */
enum drop keys_open_handshake(const struct node *node, const uint8_t *bytes,
    size_t size, uint8_t key_id, const struct cluster_key **key,
    struct handshake *h);

/* The same of an announcement. */
enum drop keys_open_announce(const struct node *node, const uint8_t *bytes,
    size_t size, uint8_t key_id, const struct cluster_key **key,
    struct announce *a);

#endif
