/* SPDX-License-Identifier: ISC */
#include "tests/lib/member.h"

#include <string.h>

void
member_init(
    struct member *m, node_id id, node_id to, const uint8_t key[KEY_BYTES])
{
	*m = (struct member){
		.id = id,
		.to = to,
		.incarnation = 1,
		.cluster_tag = seal_cluster_tag("web"),
		.versions = PACKET_VERSIONS,
		.version = PACKET_VERSION_MAX,
	};
	memcpy(m->key, key, KEY_BYTES);
	m->instance[0] = (uint8_t)id;
	m->group_key[0] = (uint8_t)id;
	m->group_number = 1;
}

/* Draws a number that differs from all earlier ones of this member. */
static void
member_fresh(struct member *m, uint8_t *bytes, size_t size)
{
	uint8_t entropy[KEY_BYTES] = { 'm', (uint8_t)m->id, (uint8_t)m->to };

	seal_fresh(bytes, size, entropy, m->drawn++);
}

static void
head_write(const struct member *m, struct writer *w, enum packet_type type,
    uint8_t flags, uint64_t number)
{
	static const uint8_t no_tag[SEAL_TAG_BYTES];
	bool is_handshake = type == PACKET_HELLO || type == PACKET_HELLO_ACK ||
			    type == PACKET_ANNOUNCE;
	struct packet_head head = {
		.version = is_handshake ? PACKET_VERSION_HANDSHAKE : m->version,
		.type = type,
		.key_id = seal_key_id(m->key),
		.flags = flags,
		.cluster_tag = m->cluster_tag,
		.source = m->id,
		.destination = m->to,
		.incarnation = m->incarnation,
		.number = number,
	};

	packet_head_encode(w, &head);
	write_bytes(w, no_tag, sizeof(no_tag));
}

size_t
member_handshake(struct member *m, enum packet_type type,
    const struct handshake *h, uint8_t *datagram)
{
	struct writer w = writer_of(datagram, HANDSHAKE_BYTES);
	uint8_t nonce[SEAL_NONCE_BYTES], key[KEY_BYTES];
	struct handshake said = *h;

	said.versions = m->versions;
	member_fresh(m, nonce, sizeof(nonce));
	head_write(m, &w, type, 0, type == PACKET_HELLO ? ++m->hellos : 0);
	write_bytes(&w, nonce, sizeof(nonce));
	handshake_encode(&w, &said);
	assert(!w.failed && w.size == HANDSHAKE_BYTES);
	seal_handshake_key(key, m->key);
	seal_close(key, nonce, datagram, PACKET_CLEAR_BYTES,
	    datagram + HANDSHAKE_SEALED_AT, HANDSHAKE_SEALED_BYTES,
	    datagram + PACKET_CLEAR_BYTES);
	return w.size;
}

size_t
member_announce(struct member *m, const struct announce *a, uint8_t *datagram)
{
	struct writer w = writer_of(datagram, ANNOUNCE_BYTES);
	uint8_t nonce[SEAL_NONCE_BYTES], key[KEY_BYTES];

	member_fresh(m, nonce, sizeof(nonce));
	head_write(m, &w, PACKET_ANNOUNCE, 0, 0);
	write_bytes(&w, nonce, sizeof(nonce));
	announce_encode(&w, a);
	assert(!w.failed && w.size == ANNOUNCE_BYTES);
	seal_handshake_key(key, m->key);
	seal_close(key, nonce, datagram, PACKET_CLEAR_BYTES,
	    datagram + HANDSHAKE_SEALED_AT, ANNOUNCE_SEALED_BYTES,
	    datagram + PACKET_CLEAR_BYTES);
	return w.size;
}

/* Notes the challenge. */
static bool
hear_announce(struct member *m, const uint8_t *bytes, size_t size)
{
	uint8_t plain[ANNOUNCE_SEALED_BYTES], key[KEY_BYTES];
	struct announce i;
	struct reader r;

	if (size != ANNOUNCE_BYTES)
		return false;
	seal_handshake_key(key, m->key);
	if (!seal_open(key, bytes + PACKET_HEAD_BYTES, bytes,
		PACKET_CLEAR_BYTES, bytes + HANDSHAKE_SEALED_AT, sizeof(plain),
		bytes + PACKET_CLEAR_BYTES, plain))
		return false;
	r = reader_of(plain, sizeof(plain));
	if (!announce_decode(&r, &i))
		return false;
	memcpy(m->their_challenge, i.challenge, SALT_BYTES);
	m->announced = i;
	return true;
}

static struct handshake
handshake_of(struct member *m)
{
	struct handshake h = { .verdict = VERDICT_WELCOME };

	member_fresh(m, m->salt, SALT_BYTES);
	memcpy(h.salt, m->salt, SALT_BYTES);
	memcpy(h.instance, m->instance, SALT_BYTES);
	h.config_id = m->config_id;
	h.is_quorum = m->is_quorum;
	h.exchanges = m->exchanges;
	return h;
}

size_t
member_hello(struct member *m, uint8_t *datagram)
{
	struct handshake h = handshake_of(m);

	return member_handshake(m, PACKET_HELLO, &h, datagram);
}

/* `theirs` is what the node said. Without a common version the member speaks
 * its own. */
static void
session_begin(struct member *m, const struct handshake *theirs)
{
	struct seal_party us = { .id = m->id, .incarnation = m->incarnation };
	struct seal_party them = { .id = m->to,
		.incarnation = m->their_incarnation };

	memcpy(us.salt, m->salt, SALT_BYTES);
	memcpy(them.salt, theirs->salt, SALT_BYTES);
	seal_session_key(m->send_key, m->key, &us, &them);
	seal_session_key(m->receive_key, m->key, &them, &us);
	m->version = 0;
	if (m->versions.lowest > 0) /* or the node refuses what it says */
		m->version = versions_common(&m->versions, &theirs->versions);
	if (m->version == 0)
		m->version = m->versions.highest;
	m->has_session = true;
	m->number = 0;
	m->sequence = 0;
	m->ack = 0;
}

size_t
member_welcome(struct member *m, uint8_t *datagram)
{
	struct handshake h = handshake_of(m);

	assert(m->was_greeted);
	memcpy(h.echo, m->their_salt, SALT_BYTES);
	session_begin(m, &m->greeting);
	return member_handshake(m, PACKET_HELLO_ACK, &h, datagram);
}

size_t
member_seal(struct member *m, enum packet_type type, uint8_t flags,
    const uint8_t *plain, size_t size, uint8_t *datagram)
{
	struct writer w = writer_of(datagram, PACKET_MAX);

	head_write(m, &w, type, flags, m->number++);
	write_bytes(&w, plain, size);
	assert(!w.failed);
	seal_close(m->send_key, datagram + PACKET_NONCE_AT, datagram,
	    PACKET_CLEAR_BYTES, datagram + PACKET_HEAD_BYTES, size,
	    datagram + PACKET_CLEAR_BYTES);
	return w.size;
}

struct body
member_body(const struct member *m, nsec_t now)
{
	struct body body = {
		.incarnation = m->their_incarnation,
		.ack = m->ack,
		.timestamp = (uint32_t)(now / USEC),
		.echo = m->heard.timestamp,
		.heartbeat_us = 100000,
		.watch = WATCH_WANTED,
		.flags = BODY_HEARD | BODY_ELIGIBLE | BODY_CONTENDER,
		.config_tag = config_tag(&m->config_id),
		.second_key_id = seal_key_id(m->key),
	};

	body.flags |= m->is_voting ? BODY_VOTES : 0;
	body.flags |= m->is_denouncing ? BODY_DUPLICATE : 0;
	body.flags &= (uint8_t) ~(m->is_abstaining ? BODY_ELIGIBLE : 0);
	return body;
}

size_t
member_say(struct member *m, const struct body *body, const uint8_t *frames,
    size_t size, uint8_t *datagram)
{
	uint8_t plain[PACKET_SEALED_MAX], flags;
	struct writer w = writer_of(plain, sizeof(plain));

	body_encode(&w, body);
	write_bytes(&w, frames, size);
	assert(!w.failed);
	flags = m->is_pinged ? PACKET_ANSWER : 0;
	m->is_pinged = false;
	return member_seal(m, PACKET_SESSION, flags, plain, w.size, datagram);
}

void
member_write_message(
    struct member *m, struct writer *w, const struct message *message)
{
	uint8_t bytes[TAGGED_BYTES_MAX];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_MESSAGE, ++m->sequence, bytes, 0 };

	write_u32(&b, config_tag(&m->config_id));
	message_encode(&b, message);
	f.size = b.size;
	frame_encode(w, &f);
}

void
member_write_beacon(struct writer *w, const struct beacon *beacon)
{
	uint8_t bytes[BEACON_BYTES];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_BEACON, 0, bytes, sizeof(bytes) };

	beacon_encode(&b, beacon);
	frame_encode(w, &f);
}

struct beacon
member_beacon(const struct member *m, uint64_t term, uint64_t number)
{
	return (struct beacon){
		.term = term,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = m->id },
		.incarnation = m->incarnation,
		.number = number,
	};
}

struct lease_left
member_lease_left(const struct member *m, nsec_t valid)
{
	return (struct lease_left){
		.timestamp = m->heard.timestamp,
		.valid_us = (uint32_t)(valid / USEC),
	};
}

void
member_write_told(struct writer *w, const struct config_advert *told)
{
	uint8_t bytes[CONFIG_ADVERT_BYTES];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_CONFIG, 0, bytes, sizeof(bytes) };

	config_advert_encode(&b, told);
	frame_encode(w, &f);
}

void
member_write_tree(struct writer *w, const struct tree_word *word)
{
	uint8_t bytes[TREE_WORD_BYTES];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_TREE, 0, bytes, sizeof(bytes) };

	tree_word_encode(&b, word);
	frame_encode(w, &f);
}

void
member_write_ask(struct writer *w, const struct config_ask *ask)
{
	uint8_t bytes[CONFIG_ASK_BYTES];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_ASK, 0, bytes, sizeof(bytes) };

	config_ask_encode(&b, ask);
	frame_encode(w, &f);
}

void
member_write_piece(struct writer *w, const struct config_piece *piece)
{
	uint8_t bytes[PIECE_BYTES + PIECE_MAX];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_PIECE, 0, bytes, 0 };

	config_piece_encode(&b, piece);
	f.size = b.size;
	frame_encode(w, &f);
}

void
member_write_group_key(struct writer *w, const struct group_key *key)
{
	uint8_t bytes[GROUP_KEY_BYTES];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_GROUP_KEY, 0, bytes, sizeof(bytes) };

	write_bytes(&b, key->key, KEY_BYTES);
	write_u64(&b, key->first);
	frame_encode(w, &f);
}

void
member_write_group_heard(struct writer *w, const struct group_heard *heard)
{
	uint8_t bytes[GROUP_HEARD_BYTES];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_GROUP_HEARD, 0, bytes, sizeof(bytes) };

	group_heard_encode(&b, heard);
	frame_encode(w, &f);
}

struct group_body
member_group_body(const struct member *m, nsec_t now, unsigned place)
{
	static uint8_t places[1], echoes[GROUP_ECHO_BYTES];
	struct writer w = writer_of(echoes, sizeof(echoes));

	places[0] = (uint8_t)(1U << place);
	write_u32(&w, m->heard.timestamp);
	return (struct group_body){
		.timestamp = (uint32_t)(now / USEC),
		.heartbeat_us = 100000,
		.flags = BODY_ELIGIBLE | BODY_CONTENDER,
		.config_tag = config_tag(&m->config_id),
		.second_key_id = seal_key_id(m->key),
		.places_size = sizeof(places),
		.places = places,
		.echoes = echoes,
	};
}

size_t
member_seal_group(struct member *m, uint8_t flags, const uint8_t *plain,
    size_t size, uint8_t *datagram)
{
	struct writer w = writer_of(datagram, PACKET_MAX);
	struct member as_group = *m;

	as_group.to = NODE_NONE;
	as_group.version = PACKET_VERSION_GROUP;
	head_write(&as_group, &w, PACKET_GROUP, flags, m->group_number++);
	write_bytes(&w, plain, size);
	assert(!w.failed);
	seal_close(m->group_key, datagram + PACKET_NONCE_AT, datagram,
	    PACKET_CLEAR_BYTES, datagram + PACKET_HEAD_BYTES, size,
	    datagram + PACKET_CLEAR_BYTES);
	return w.size;
}

size_t
member_say_group(struct member *m, const struct group_body *body,
    const uint8_t *frames, size_t size, uint8_t *datagram)
{
	uint8_t plain[PACKET_SEALED_MAX];
	struct writer w = writer_of(plain, sizeof(plain));

	group_body_encode(&w, body);
	write_bytes(&w, frames, size);
	assert(!w.failed);
	return member_seal_group(m, 0, plain, w.size, datagram);
}

size_t
member_will(struct member *m, uint64_t number, uint64_t term, uint8_t *datagram)
{
	struct writer w = writer_of(datagram, PACKET_WILL_BYTES);

	head_write(m, &w, PACKET_DIED, 0, number);
	will_encode(&w, &(struct will){ term });
	assert(!w.failed && w.size == PACKET_WILL_BYTES);
	seal_close(m->send_key, datagram + PACKET_NONCE_AT, datagram,
	    PACKET_CLEAR_BYTES, datagram + PACKET_HEAD_BYTES, WILL_BYTES,
	    datagram + PACKET_CLEAR_BYTES);
	return w.size;
}

bool
member_hear_will(const struct member *m, const uint8_t *bytes, size_t size,
    struct packet_head *head, struct will *will)
{
	struct reader r = reader_of(bytes, size);
	uint8_t plain[WILL_BYTES];

	if (!m->has_session || size != PACKET_WILL_BYTES ||
	    !packet_head_decode(&r, head) || head->type != PACKET_DIED ||
	    !seal_open(m->receive_key, bytes + PACKET_NONCE_AT, bytes,
		PACKET_CLEAR_BYTES, bytes + PACKET_HEAD_BYTES, WILL_BYTES,
		bytes + PACKET_CLEAR_BYTES, plain))
		return false;
	r = reader_of(plain, sizeof(plain));
	return will_decode(&r, will);
}

void
kept_will_take(struct kept_will *will, const struct action *a)
{
	assert(a->kind == ACTION_WILL);
	assert(a->size == 0 || a->size == PACKET_WILL_BYTES);
	will->size = a->size;
	will->place = a->place;
	will->count += a->size > 0;
	memcpy(will->bytes, a->datagram, a->size);
}

static bool
hear_handshake(struct member *m, const struct packet_head *head,
    const uint8_t *bytes, size_t size)
{
	uint8_t key[KEY_BYTES], plain[HANDSHAKE_SEALED_BYTES];
	struct handshake h;
	struct reader r;

	seal_handshake_key(key, m->key);
	if (size != HANDSHAKE_BYTES ||
	    !seal_open(key, bytes + PACKET_HEAD_BYTES, bytes,
		PACKET_CLEAR_BYTES, bytes + HANDSHAKE_SEALED_AT,
		HANDSHAKE_SEALED_BYTES, bytes + PACKET_CLEAR_BYTES, plain))
		return false;
	r = reader_of(plain, sizeof(plain));
	if (!handshake_decode(&r, &h))
		return false;
	m->their_incarnation = head->incarnation;
	if (head->type == PACKET_HELLO) {
		memcpy(m->their_salt, h.salt, SALT_BYTES);
		m->was_greeted = true;
		m->greeting = h;
		m->greeting_number = head->number;
		return true;
	}
	m->answers++;
	m->answer = h;
	if (memcmp(h.echo, m->salt, SALT_BYTES) != 0)
		return false;
	session_begin(m, &h);
	return true;
}

/* Takes a frame of configurations, groups or of the tree; true also for any
 * other frame. */
static bool
hear_state(struct member *m, uint8_t type, struct reader *bytes)
{
	switch (type) {
	case FRAME_GROUP_KEY:
		m->group_keys++;
		return group_key_decode(bytes, &m->their_group);
	case FRAME_GROUP_HEARD:
		m->group_heards++;
		return group_heard_decode(bytes, &m->group_heard);
	case FRAME_TREE:
		m->trees++;
		return tree_word_decode(bytes, &m->tree);
	case FRAME_CONFIG:
		m->tolds++;
		return config_advert_decode(bytes, &m->told);
	case FRAME_ASK:
		m->asks++;
		return config_ask_decode(bytes, &m->ask);
	case FRAME_PIECE:
		m->pieces++;
		if (!config_piece_decode(bytes, &m->piece))
			return false;
		memcpy(m->piece_bytes, m->piece.bytes, m->piece.size);
		m->piece.bytes = m->piece_bytes;
		return true;
	default:
		return true;
	}
}

/* Takes a frame of votes, leases or reports; true also for any other frame. */
static bool
hear_votes(struct said *said, uint8_t type, struct reader *bytes)
{
	switch (type) {
	case FRAME_VOTE_REQUEST:
		said->requests++;
		said->has_request = true;
		return vote_request_decode(bytes, &said->request);
	case FRAME_VOTE_RESPONSE:
		said->votes++;
		said->has_vote = true;
		return vote_response_decode(bytes, &said->vote);
	case FRAME_RELEASE:
		said->releases++;
		said->has_release = true;
		return release_decode(bytes, &said->release);
	case FRAME_LEASE_LEFT:
		said->has_lease_left = true;
		return lease_left_decode(bytes, &said->lease_left);
	case FRAME_BEACON:
		return beacon_decode(bytes, &said->beacon);
	default:
		return true;
	}
}

static bool
hear_frames(struct member *m, struct reader *r)
{
	m->said = (struct said){
		.requests = m->said.requests,
		.votes = m->said.votes,
		.releases = m->said.releases,
	};
	for (unsigned i = 0; i < m->heard.frames_count; i++) {
		struct packet_frame f;
		struct reader bytes;

		if (!frame_decode(r, &f))
			return false;
		bytes = reader_of(f.bytes, f.size);
		assert(hear_votes(&m->said, f.type, &bytes));
		assert(hear_state(m, f.type, &bytes));
		m->standbys += f.type == FRAME_STANDBY;
		m->files += f.type == FRAME_FILE;
		if (f.type == FRAME_MESSAGE && f.sequence == m->ack + 1) {
			m->ack++;
			m->tag = read_u32(&bytes);
		}
	}
	return reader_at_end(r);
}

static bool
hear_session(struct member *m, const uint8_t *bytes, size_t size)
{
	uint8_t plain[PACKET_SEALED_MAX];
	struct reader r;

	if (!m->has_session ||
	    !seal_open(m->receive_key, bytes + PACKET_NONCE_AT, bytes,
		PACKET_CLEAR_BYTES, bytes + PACKET_HEAD_BYTES,
		size - PACKET_HEAD_BYTES, bytes + PACKET_CLEAR_BYTES, plain))
		return false;
	r = reader_of(plain, size - PACKET_HEAD_BYTES);
	m->heard_version = bytes[0];
	m->is_pinged |= (bytes[3] & PACKET_PING) != 0;
	return body_decode(&r, &m->heard) && hear_frames(m, &r);
}

/* Ids are as in the stage: we are the first node. */
static bool
hear_group(struct member *m, const struct packet_head *head,
    const uint8_t *bytes, size_t size)
{
	uint8_t plain[PACKET_SEALED_MAX];
	struct reader r, frame;
	struct group_body b;
	struct packet_frame f;
	unsigned turn;

	if (m->group_keys == 0 ||
	    !seal_open(m->their_group.key, bytes + PACKET_NONCE_AT, bytes,
		PACKET_CLEAR_BYTES, bytes + PACKET_HEAD_BYTES,
		size - PACKET_HEAD_BYTES, bytes + PACKET_CLEAR_BYTES, plain))
		return false;
	r = reader_of(plain, size - PACKET_HEAD_BYTES);
	if (!group_body_decode(&r, &b))
		return false;
	m->groups++;
	m->their_group_number = head->number;
	m->groups_for_us += group_find(&b, 0, &m->group_echo, &turn);
	for (unsigned i = 0; i < b.frames_count; i++) {
		if (!frame_decode(&r, &f))
			return false;
		frame = reader_of(f.bytes, f.size);
		m->severals += f.type == FRAME_SEVERAL;
		if (f.type == FRAME_LEASE_LEFT &&
		    !lease_left_decode(&frame, &m->group_left))
			return false;
	}
	return reader_at_end(&r);
}

bool
member_is_addressed(const struct action *a)
{
	return a->kind == ACTION_HELLO || a->kind == ACTION_SEND;
}

bool
member_hear(struct member *m, const uint8_t *bytes, size_t size)
{
	struct reader r = reader_of(bytes, size);
	struct packet_head head;

	if (size < PACKET_HEAD_BYTES || !packet_head_decode(&r, &head) ||
	    head.source != m->to)
		return false;
	if (head.type == PACKET_ANNOUNCE)
		return hear_announce(m, bytes, size);
	if (head.type == PACKET_GROUP)
		return hear_group(m, &head, bytes, size);
	if (head.destination != m->id)
		return false;
	switch (head.type) {
	case PACKET_HELLO:
	case PACKET_HELLO_ACK:
		return hear_handshake(m, &head, bytes, size);
	case PACKET_BYE:
		m->goodbyes++;
		break;
	case PACKET_SESSION:
		break;
	case PACKET_DIED:
	case PACKET_ANNOUNCE:
	case PACKET_GROUP:
		return false;
	}
	return hear_session(m, bytes, size);
}
