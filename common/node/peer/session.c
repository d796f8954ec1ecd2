/* SPDX-License-Identifier: ISC */
/*
 * The keys of a session (PROTOCOL.md, Keys): they seal and open the datagrams
 * and wills between this process and one process of a peer. No number is used
 * twice under a key, and none is taken twice (Replay window).
 */

#include "common/node/peer/session.h"

#include <string.h>

#include "common/node/context.h"
#include "common/node/tape/vault.h"

/* Both ends know both salts, which are fresh and no secrets. */
static uint64_t
name_make(const uint8_t *our_salt, const uint8_t *their_salt)
{
	uint64_t name = 0;

	_Static_assert(SALT_BYTES >= 6, "a salt has the bytes of a name");
	for (unsigned i = 0; i < 6; i++)
		name = name << 8 | (our_salt[i] ^ their_salt[i]);
	return name;
}

void
session_init(const struct node *node, struct session *s,
    const uint8_t *cluster_key, const uint8_t *our_salt,
    const struct packet_head *head, const struct handshake *h)
{
	struct seal_party us = {
		.id = node->setup.self,
		.incarnation = node->setup.durable.incarnation,
	};
	struct seal_party them = {
		.id = head->source,
		.incarnation = head->incarnation,
	};

	memcpy(us.salt, our_salt, SALT_BYTES);
	memcpy(them.salt, h->salt, SALT_BYTES);
	*s = (struct session){
		.incarnation = head->incarnation,
		.release = h->release,
		.name = name_make(us.salt, them.salt),
	};
	s->opener.version =
	    versions_common(&node->setup.versions, &h->versions);
	vault_session_key(
	    node->recording.tape, s->send_key, cluster_key, &us, &them);
	vault_session_key(
	    node->recording.tape, s->opener.key, cluster_key, &them, &us);
}

void
session_seal(const struct node *node, struct session *s,
    struct packet_head *head, uint8_t *datagram, size_t size)
{
	struct writer w = writer_of(datagram, PACKET_HEAD_BYTES);

	head->version = s->opener.version;
	head->number = s->number++;
	assert(s->number < WILL_NUMBERS);
	packet_head_encode(&w, head);
	assert(w.size == PACKET_CLEAR_BYTES);
	vault_close_body(node->recording.tape, s->send_key,
	    datagram + PACKET_NONCE_AT, datagram, PACKET_CLEAR_BYTES,
	    datagram + PACKET_HEAD_BYTES, size, datagram + PACKET_CLEAR_BYTES);
}

void
session_adopt(struct session *s, const struct session *from)
{
	assert(from->opener.version != 0);
	*s = *from;
}

void
session_wipe(struct session *s)
{
	seal_wipe(s, sizeof(*s));
}

enum drop
session_open(const struct node *node, struct session *s,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    uint8_t *plain)
{
	assert(size >= PACKET_HEAD_BYTES);
	assert(size <= PACKET_MAX);
	if (head->incarnation != s->incarnation)
		return DROP_SESSION;
	if (head->version != s->opener.version)
		return DROP_FOREIGN;
	if (!replay_fresh(&s->replay, head->number))
		return DROP_REPLAY;
	if (!vault_open_body(node->recording.tape, s->opener.key,
		bytes + PACKET_NONCE_AT, bytes, PACKET_CLEAR_BYTES,
		bytes + PACKET_HEAD_BYTES, size - PACKET_HEAD_BYTES,
		bytes + PACKET_CLEAR_BYTES, plain))
		return DROP_SEAL;
	replay_accept(&s->replay, head->number);
	return DROP_NONE;
}

bool
session_is_latest(const struct session *s, const struct packet_head *head)
{
	return replay_is_latest(&s->replay, head->number);
}

size_t
session_seal_will(const struct node *node, struct session *s,
    struct packet_head *head, uint64_t term, uint8_t *datagram)
{
	struct writer w = writer_of(datagram, PACKET_HEAD_BYTES);
	struct writer plain =
	    writer_of(datagram + PACKET_HEAD_BYTES, WILL_BYTES);

	head->version = s->opener.version;
	head->number = UINT64_MAX - s->wills++;
	assert(head->number >= WILL_NUMBERS);
	packet_head_encode(&w, head);
	assert(w.size == PACKET_CLEAR_BYTES);
	will_encode(&plain, &(struct will){ term });
	assert(plain.size == WILL_BYTES);
	vault_close(node->recording.tape, s->send_key,
	    datagram + PACKET_NONCE_AT, datagram, PACKET_CLEAR_BYTES,
	    datagram + PACKET_HEAD_BYTES, WILL_BYTES,
	    datagram + PACKET_CLEAR_BYTES);
	return PACKET_WILL_BYTES;
}

const struct opener *
session_opener(const struct session *s, uint64_t incarnation)
{
	return session_is_with(s, incarnation) ? &s->opener : NULL;
}

enum drop
session_open_will(const struct node *node, const struct opener *opener,
    const struct packet_head *head, const uint8_t *bytes, struct will *will)
{
	uint8_t plain[WILL_BYTES] = { 0 };
	struct reader r = reader_of(plain, sizeof(plain));

	if (head->version != opener->version)
		return DROP_FOREIGN;
	if (!vault_open(node->recording.tape, opener->key,
		bytes + PACKET_NONCE_AT, bytes, PACKET_CLEAR_BYTES,
		bytes + PACKET_HEAD_BYTES, WILL_BYTES,
		bytes + PACKET_CLEAR_BYTES, plain))
		return DROP_SEAL;
	return will_decode(&r, will) ? DROP_NONE : DROP_FORMAT;
}

uint32_t
session_release(const struct session *s)
{
	return s->release;
}

uint64_t
session_name(const struct session *s)
{
	return s->name;
}

void
session_record(struct node *node, nsec_t now, const struct peer *p,
    enum event_kind kind, const struct message *m)
{
	bool is_sent = kind == EVENT_SENT;

	assert(p->has_session);
	assert(is_sent || kind == EVENT_TAKEN);
	node_record(node, now,
	    (struct event){
		.kind = (uint8_t)kind,
		.term = m->term,
		.session = p->session.name,
		.peer = p->setup.id,
		.sequence = is_sent ? channel_last_sent(&p->channel)
				    : channel_last_delivered(&p->channel),
		.rank = m->rank.id,
		.origin = m->origin,
		.phase = m->phase,
		.message = m->kind,
		.link = m->link,
	    });
}

bool
session_is_with(const struct session *s, uint64_t incarnation)
{
	assert(s->incarnation != 0);
	return s->incarnation == incarnation;
}

bool
session_is_up_to(const struct session *s, uint64_t incarnation)
{
	assert(s->incarnation != 0);
	return s->incarnation <= incarnation;
}

struct owner
session_owner(const struct peer *p)
{
	assert(p->session.incarnation != 0);
	return (struct owner){ .id = p->setup.id,
		.incarnation = p->session.incarnation };
}

void
session_check(const struct node *node, const struct peer *p)
{
	const struct session *s = &p->session;

	assert(p->has_session == (s->incarnation != 0));
	if (!p->has_session)
		return;
	assert(s->number < WILL_NUMBERS);
	assert(s->wills < WILL_NUMBERS);
	assert(s->opener.version >= node->setup.versions.lowest);
	assert(s->opener.version <= node->setup.versions.highest);
}
