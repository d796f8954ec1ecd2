/* SPDX-License-Identifier: ISC */
/*
 * The keys of the cluster (PROTOCOL.md, Keys): what this node derives from them
 * and from its entropy, and the seal of handshakes (Handshake bytes). The keys
 * of a session: session.c.
 */
#include "common/node/keys.h"

#include "common/node/node_inside.h"

#include <string.h>

void
keys_init(struct node *node)
{
	const struct node_setup *setup = &node->setup;

	seal_handshake_key(node->keys.handshake, setup->key);
	node->keys.id = seal_key_id(setup->key);
	node->keys.cluster_tag = seal_cluster_tag(setup->cluster);
	if (setup->has_old_key) {
		seal_handshake_key(node->keys.old_handshake, setup->old_key);
		node->keys.old_id = seal_key_id(setup->old_key);
	}
	keys_fresh(node, node->keys.instance, SALT_BYTES);
}

void
keys_fresh(struct node *node, uint8_t *bytes, size_t size)
{
	uint8_t drawn[KEY_BYTES];

	assert(size > 0);
	assert(size <= sizeof(drawn));
	seal_fresh(drawn, sizeof(drawn), node->setup.entropy,
	    node->keys.fresh_count++);
	memcpy(bytes, drawn, size);
	seal_wipe(drawn, sizeof(drawn));
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
	return key_id == node->keys.id ||
	       (node->setup.has_old_key && key_id == node->keys.old_id);
}

struct packet_head
keys_head(const struct node *node, const struct peer *p, enum packet_type type)
{
	return (struct packet_head){
		.type = type,
		.key_id = node->keys.id,
		.cluster_tag = node->keys.cluster_tag,
		.source = node->setup.self,
		.destination = p->setup.id,
		.incarnation = node->setup.durable.incarnation,
	};
}

void
keys_seal_handshake(struct node *node, const struct peer *p,
    enum packet_type type, uint64_t number, const uint8_t *cluster_key,
    const struct handshake *h, uint8_t *datagram)
{
	bool is_old = cluster_key == node->setup.old_key;
	struct writer w = writer_of(datagram, HANDSHAKE_BYTES);
	struct packet_head head = keys_head(node, p, type);
	static const uint8_t no_tag[SEAL_TAG_BYTES];
	uint8_t nonce[SEAL_NONCE_BYTES];

	assert(type == PACKET_HELLO || type == PACKET_HELLO_ACK);
	assert(is_old || cluster_key == node->setup.key);
	assert(!is_old || node->setup.has_old_key);
	assert(h->verdict < VERDICTS);
	head.key_id = is_old ? node->keys.old_id : node->keys.id;
	head.number = number;
	keys_fresh(node, nonce, sizeof(nonce));
	packet_head_encode(&w, &head);
	write_bytes(&w, no_tag, sizeof(no_tag));
	write_bytes(&w, nonce, sizeof(nonce));
	handshake_encode(&w, h);
	assert(!w.failed);
	assert(w.size == HANDSHAKE_BYTES);
	seal_close(is_old ? node->keys.old_handshake : node->keys.handshake,
	    nonce, datagram, PACKET_CLEAR_BYTES, datagram + HANDSHAKE_SEALED_AT,
	    HANDSHAKE_SEALED_BYTES, datagram + PACKET_CLEAR_BYTES);
}

const uint8_t *
keys_open_handshake(const struct node *node, const uint8_t *bytes, size_t size,
    uint8_t key_id, struct handshake *h)
{
	uint8_t plain[HANDSHAKE_SEALED_BYTES];
	const uint8_t *found = NULL;
	struct reader r;

	if (size != HANDSHAKE_BYTES)
		return NULL;
	if (key_id == node->keys.id &&
	    seal_open(node->keys.handshake, bytes + PACKET_HEAD_BYTES, bytes,
		PACKET_CLEAR_BYTES, bytes + HANDSHAKE_SEALED_AT,
		HANDSHAKE_SEALED_BYTES, bytes + PACKET_CLEAR_BYTES, plain))
		found = node->setup.key;
	else if (node->setup.has_old_key && key_id == node->keys.old_id &&
		 seal_open(node->keys.old_handshake, bytes + PACKET_HEAD_BYTES,
		     bytes, PACKET_CLEAR_BYTES, bytes + HANDSHAKE_SEALED_AT,
		     HANDSHAKE_SEALED_BYTES, bytes + PACKET_CLEAR_BYTES, plain))
		found = node->setup.old_key;
	if (found == NULL)
		return NULL;
	r = reader_of(plain, sizeof(plain));
	return handshake_decode(&r, h) ? found : NULL;
}
