/* SPDX-License-Identifier: ISC */
/*
 * The keys of the cluster (PROTOCOL.md, Keys): what this node derives from them
 * and from its entropy, and the seal of handshakes (Handshake bytes). The keys
 * of a session: session.c.
 */

#include "common/node/peer/keys.h"

#include <string.h>

#include "common/node/tape/tape.h"
#include "common/node/tape/vault.h"

/* Rounds that tell of changed keys. Peers that want no heartbeats hear of the
 * change by these alone, and a datagram may be lost. */
#define TELL_ROUNDS 3

static void
keys_derive(struct tape *tape, struct cluster_key *k, const uint8_t *key)
{
	memcpy(k->key, key, KEY_BYTES);
	vault_handshake_key(tape, k->handshake, key);
	k->id = vault_key_id(tape, key);
}

static void
keys_set(struct node *node, const struct setup_keys *from)
{
	struct node_keys *keys = &node->keys;

	keys_derive(node->recording.tape, &keys->first, from->first);
	seal_wipe(&keys->second, sizeof(keys->second));
	keys->has_second = from->has_second;
	if (from->has_second)
		keys_derive(node->recording.tape, &keys->second, from->second);
}

void
keys_init(struct node *node)
{
	const struct node_setup *setup = &node->setup;

	node->keys.cluster_tag = seal_cluster_tag(setup->cluster);
	keys_set(node, &setup->keys);
	keys_fresh(node, node->keys.instance, SALT_BYTES);
}

void
keys_change(struct node *node, const struct setup_keys *keys)
{
	keys_set(node, keys);
	node->keys.rounds_due = TELL_ROUNDS;
}

bool
keys_beat(struct node *node)
{
	if (node->keys.rounds_due == 0)
		return false;
	node->keys.rounds_due--;
	return true;
}

bool
node_has_keys(const struct node *node, const struct setup_keys *keys)
{
	const struct node_keys *own = &node->keys;

	return memcmp(own->first.key, keys->first, KEY_BYTES) == 0 &&
	       own->has_second == keys->has_second &&
	       (!keys->has_second ||
		   memcmp(own->second.key, keys->second, KEY_BYTES) == 0);
}

const struct cluster_key *
keys_first(const struct node *node)
{
	return &node->keys.first;
}

void
keys_fresh(struct node *node, uint8_t *bytes, size_t size)
{
	assert(size > 0);
	vault_fresh(node->recording.tape, bytes, size, node->setup.entropy,
	    node->keys.fresh_count++);
}

void
keys_fresh_secret(struct node *node, uint8_t *bytes, size_t size)
{
	assert(size > 0);
	vault_fresh_secret(node->recording.tape, bytes, size,
	    node->setup.entropy, node->keys.fresh_count++);
}

const uint8_t *
keys_instance(const struct node *node)
{
	return node->keys.instance;
}

bool
keys_name_cluster(const struct node *node, const struct packet_head *head)
{
	return head->cluster_tag == node->keys.cluster_tag;
}

bool
keys_have(const struct node *node, uint8_t key_id)
{
	return key_id == node->keys.first.id ||
	       (node->keys.has_second && key_id == node->keys.second.id);
}

uint8_t
keys_second_id(const struct node *node)
{
	const struct node_keys *keys = &node->keys;

	return keys->has_second ? keys->second.id : keys->first.id;
}

void
keys_hear(struct peer *p, uint8_t first, uint8_t second)
{
	assert(p->has_session);
	p->keys = (struct peer_keys){
		.are_known = true,
		.first = first,
		.second = second,
	};
}

void
keys_reset(struct peer *p)
{
	assert(!p->has_session);
	p->keys.are_known = false;
}

static enum key_match
key_match(const struct node_keys *keys, uint8_t id)
{
	if (id == keys->first.id)
		return KEY_FIRST;
	return keys->has_second && id == keys->second.id ? KEY_SECOND
							 : KEY_OTHER;
}

enum key_match
keys_match_first(const struct node *node, const struct peer *p)
{
	return p->keys.are_known ? key_match(&node->keys, p->keys.first)
				 : KEY_UNKNOWN;
}

enum key_match
keys_match_second(const struct node *node, const struct peer *p)
{
	if (!p->keys.are_known)
		return KEY_UNKNOWN;
	return p->keys.second == p->keys.first
		   ? KEY_NONE
		   : key_match(&node->keys, p->keys.second);
}

bool
node_peer_lacks_key(const struct node *node, unsigned peer, const uint8_t *key)
{
	const struct peer_keys *keys;
	uint8_t id = seal_key_id(key);

	assert(peer < node->peers_count);
	keys = &node->peers[peer].keys;
	return keys->are_known && keys->first != id && keys->second != id;
}

struct packet_head
keys_head(const struct node *node, node_id to, enum packet_type type)
{
	return (struct packet_head){
		.version = PACKET_VERSION_HANDSHAKE,
		.type = type,
		.key_id = node->keys.first.id,
		.cluster_tag = node->keys.cluster_tag,
		.source = node->setup.self,
		.destination = to,
		.incarnation = node->setup.durable.incarnation,
	};
}

/* Begins a datagram that is sealed under `key`: all but the sealed part. */
static struct writer
datagram_begin(struct node *node, const struct packet_head *head,
    uint8_t *datagram, size_t capacity)
{
	struct writer w = writer_of(datagram, capacity);
	static const uint8_t no_tag[SEAL_TAG_BYTES];
	uint8_t nonce[SEAL_NONCE_BYTES];

	assert(keys_have(node, head->key_id));
	keys_fresh_secret(node, nonce, sizeof(nonce));
	packet_head_encode(&w, head);
	write_bytes(&w, no_tag, sizeof(no_tag));
	write_bytes(&w, nonce, sizeof(nonce));
	return w;
}

static void
datagram_close(
    struct node *node, const struct writer *w, const struct cluster_key *key)
{
	assert(!w->failed);
	assert(w->size == w->capacity);
	vault_close(node->recording.tape, key->handshake,
	    w->start + PACKET_HEAD_BYTES, w->start, PACKET_CLEAR_BYTES,
	    w->start + HANDSHAKE_SEALED_AT, w->size - HANDSHAKE_SEALED_AT,
	    w->start + PACKET_CLEAR_BYTES);
}

void
keys_seal_handshake(struct node *node, node_id to, enum packet_type type,
    uint64_t number, const struct cluster_key *key, const struct handshake *h,
    uint8_t *datagram)
{
	struct packet_head head = keys_head(node, to, type);
	struct writer w;

	assert(type == PACKET_HELLO || type == PACKET_HELLO_ACK);
	assert(h->verdict < VERDICTS);
	head.key_id = key->id;
	head.number = number;
	w = datagram_begin(node, &head, datagram, HANDSHAKE_BYTES);
	handshake_encode(&w, h);
	datagram_close(node, &w, key);
}

void
keys_seal_announce(struct node *node, node_id to, const struct cluster_key *key,
    const struct announce *a, uint8_t *datagram)
{
	struct packet_head head = keys_head(node, to, PACKET_ANNOUNCE);
	struct writer w;

	head.key_id = key->id;
	w = datagram_begin(node, &head, datagram, ANNOUNCE_BYTES);
	announce_encode(&w, a);
	datagram_close(node, &w, key);
}

/* Opens `size` bytes to `plain`. */
static bool
key_opens(const struct node *node, const struct cluster_key *key,
    uint8_t key_id, const uint8_t *bytes, size_t size, uint8_t *plain)
{
	return key_id == key->id &&
	       vault_open(node->recording.tape, key->handshake,
		   bytes + PACKET_HEAD_BYTES, bytes, PACKET_CLEAR_BYTES,
		   bytes + HANDSHAKE_SEALED_AT, size - HANDSHAKE_SEALED_AT,
		   bytes + PACKET_CLEAR_BYTES, plain);
}

/* The key under which the datagram opens to `plain`, or NULL. */
static const struct cluster_key *
keys_open(const struct node *node, const uint8_t *bytes, size_t size,
    uint8_t key_id, uint8_t *plain)
{
	const struct node_keys *keys = &node->keys;

	if (key_opens(node, &keys->first, key_id, bytes, size, plain))
		return &keys->first;
	if (keys->has_second &&
	    key_opens(node, &keys->second, key_id, bytes, size, plain))
		return &keys->second;
	return NULL;
}

enum drop
keys_open_handshake(const struct node *node, const uint8_t *bytes, size_t size,
    uint8_t key_id, const struct cluster_key **key, struct handshake *h)
{
	uint8_t plain[HANDSHAKE_SEALED_BYTES];
	struct reader r;

	*key = size == HANDSHAKE_BYTES
		   ? keys_open(node, bytes, size, key_id, plain)
		   : NULL;
	if (*key == NULL)
		return DROP_SEAL;
	r = reader_of(plain, sizeof(plain));
	return handshake_decode(&r, h) ? DROP_NONE : DROP_FORMAT;
}

enum drop
keys_open_announce(const struct node *node, const uint8_t *bytes, size_t size,
    uint8_t key_id, const struct cluster_key **key, struct announce *a)
{
	uint8_t plain[ANNOUNCE_SEALED_BYTES];
	struct reader r;

	*key = size == ANNOUNCE_BYTES
		   ? keys_open(node, bytes, size, key_id, plain)
		   : NULL;
	if (*key == NULL)
		return DROP_SEAL;
	r = reader_of(plain, sizeof(plain));
	return announce_decode(&r, a) ? DROP_NONE : DROP_FORMAT;
}
