/* SPDX-License-Identifier: ISC */
#include "tests/lib/ballot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/registry.h"

void
ballot_set(struct ballot *b)
{
	static const uint8_t key[KEY_BYTES] = { 'k', 'e', 'y' };

	*b = (struct ballot){ .now = BALLOT_BEGIN, .is_voting = true };
	b->peers[0] = (struct peer_setup){ .id = 1, .role = ROLE_CANDIDATE };
	b->peers[1] = (struct peer_setup){ .id = 3, .role = ROLE_CANDIDATE };
	b->setup = (struct node_setup){
		.self = 2,
		.role = ROLE_CANDIDATE,
		.peers = b->peers,
		.peers_count = 2,
		.algorithm = &algorithm_bully,
		.guarantee = GUARANTEE_QUORUM,
		.timing.lease = BALLOT_LEASE,
		.timing.heartbeat = BALLOT_BEAT,
		.timing.misses = 3,
		.timing.startup = SEC,
		.cluster = "web",
		.versions = PACKET_VERSIONS,
		.durable = { .incarnation = 7 },
		.entropy = { 2 },
	};
	memcpy(b->setup.key, key, KEY_BYTES);
	member_init(&b->member, 1, 2, key);
}

void
ballot_start(struct ballot *b)
{
	void *memory = calloc(1, node_size(&b->setup));

	assert(memory != NULL);
	b->member.is_quorum = b->setup.guarantee == GUARANTEE_QUORUM;
	b->node = node_init(memory, &b->setup, b->now);
}

void
ballot_exchange(struct ballot *b, const struct config_id *config_id)
{
	b->setup.config_id = b->member.config_id = *config_id;
	b->setup.document = ballot_document(0);
	b->setup.document_size = BALLOT_DOCUMENT;
	b->member.exchanges = true;
}

const uint8_t *
ballot_document(unsigned number)
{
	static uint8_t bytes[UINT8_MAX + BALLOT_DOCUMENT];

	assert(number <= UINT8_MAX);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	return bytes + number;
}

void
ballot_strike(struct ballot *b)
{
	node_done(b->node);
	free(b->node);
	b->node = NULL;
}

/* Opens a datagram that the node sent to the member, and keeps its frames. */
static void
hear_words(struct ballot *b, const uint8_t *bytes, size_t size)
{
	uint8_t plain[PACKET_SEALED_MAX];
	struct words *said = &b->said;
	struct packet_frame f;
	struct body body;
	struct reader r;

	if (!b->member.has_session ||
	    !seal_open(b->member.receive_key, bytes + PACKET_NONCE_AT, bytes,
		PACKET_CLEAR_BYTES, bytes + PACKET_HEAD_BYTES,
		size - PACKET_HEAD_BYTES, bytes + PACKET_CLEAR_BYTES, plain))
		return;
	r = reader_of(plain, size - PACKET_HEAD_BYTES);
	if (!body_decode(&r, &body))
		return;
	*said = (struct words){ .has_request = false };
	for (unsigned i = 0; i < body.frames_count; i++) {
		struct reader w;
		bool ok = true;

		if (!frame_decode(&r, &f))
			return;
		w = reader_of(f.bytes, f.size);
		if (f.type == FRAME_VOTE_REQUEST)
			ok = said->has_request =
			    vote_request_decode(&w, &said->request);
		else if (f.type == FRAME_VOTE_RESPONSE)
			ok = said->has_vote =
			    vote_response_decode(&w, &said->vote);
		else if (f.type == FRAME_RELEASE)
			ok = said->has_release =
			    release_decode(&w, &said->release);
		else if (f.type == FRAME_LEASE_LEFT)
			ok = said->has_lease_left =
			    lease_left_decode(&w, &said->lease_left);
		else if (f.type == FRAME_BEACON)
			ok = said->has_beacon =
			    beacon_decode(&w, &said->beacon);
		assert_true(ok);
	}
	b->requests += said->has_request;
	b->votes += said->has_vote;
	b->releases += said->has_release;
}

static void
take_will(struct ballot *b, const struct action *a)
{
	struct packet_head head;
	struct will will;

	if (a->peer != 0)
		return;
	kept_will_take(&b->wills[a->releases], a);
	if (a->size == 0)
		return;
	assert(b->wills_count < BALLOT_WILLS);
	assert(
	    member_hear_will(&b->member, a->datagram, a->size, &head, &will));
	b->will_numbers[b->wills_count++] = head.number;
}

static void
perform(struct ballot *b, const struct action *a)
{
	switch (a->kind) {
	case ACTION_PERSIST:
		assert(!b->is_persisting);
		b->durable = a->durable;
		b->is_anew = a->is_anew;
		b->is_persisting = true;
		break;
	case ACTION_NOTICE:
		b->notices[a->notice.kind]++;
		if (a->notice.kind == NOTICE_LEADER ||
		    a->notice.kind == NOTICE_NO_LEADER)
			b->lead = a->notice;
		break;
	case ACTION_ADDRESS:
		break;
	case ACTION_HELLO:
	case ACTION_SEND:
	case ACTION_REPLY:
		b->sent++;
		if (member_is_addressed(a) && a->peer != 0)
			break;
		member_hear(&b->member, a->datagram, a->size);
		b->goodbyes += a->datagram[1] == PACKET_BYE;
		hear_words(b, a->datagram, a->size);
		break;
	case ACTION_WILL:
		take_will(b, a);
		break;
	case ACTION_GROUP:
	case ACTION_JOIN:
	case ACTION_JOINER:
	case ACTION_PULLED:
		break;
	case ACTION_DOCUMENT:
		assert(a->total == BALLOT_DOCUMENT);
		b->got = a->config_id;
		b->got_size = a->offset + a->size;
		b->pieces++;
		memcpy(b->bytes + a->offset, a->datagram, a->size);
		break;
	}
}

static void
pull(struct ballot *b)
{
	static struct action action;

	for (;;) {
		node_check(b->node);
		while (node_act(b->node, b->now, &action))
			perform(b, &action);
		node_check(b->node);
		if (!b->is_persisting || b->is_slow)
			return;
		b->is_persisting = false;
		node_persisted(b->node, b->now, true);
	}
}

static void
feed(struct ballot *b, const uint8_t *bytes, size_t size)
{
	node_receive(b->node, b->now, b->age, 0, bytes, size);
	pull(b);
}

void
ballot_say(struct ballot *b, const struct writer *frames, unsigned count)
{
	uint8_t datagram[PACKET_MAX];
	struct body body = member_body(&b->member, b->now);

	body.flags |= b->is_voting ? BODY_VOTES : 0;
	body.flags |= b->is_denouncing ? BODY_DUPLICATE : 0;
	body.flags &= (uint8_t) ~(b->is_abstaining ? BODY_ELIGIBLE : 0);
	body.frames_count = (uint16_t)count;
	feed(b, datagram,
	    member_say(&b->member, &body, count > 0 ? frames->start : NULL,
		count > 0 ? frames->size : 0, datagram));
}

void
ballot_change(struct ballot *b)
{
	void *memory = calloc(1, node_change_size(b->node, &b->setup));
	struct node *old = b->node;

	assert(memory != NULL);
	b->node = node_change(memory, old, &b->setup, b->now);
	free(old);
	pull(b);
}

void
ballot_move_member(struct ballot *b, const struct config_id *config_id)
{
	b->member.config_id = *config_id;
	ballot_say(b, NULL, 0);
}

void
ballot_hello(struct ballot *b, node_id id)
{
	uint8_t datagram[PACKET_MAX];
	struct member m;

	member_init(&m, id, b->setup.self, b->setup.key);
	m.exchanges = true;
	m.is_quorum = b->member.is_quorum;
	node_receive(b->node, b->now, 0, PEER_NONE, datagram,
	    member_hello(&m, datagram));
	pull(b);
}

void
ballot_frame(struct ballot *b, uint8_t type, const uint8_t *bytes, size_t size)
{
	uint8_t frames[PACKET_SEALED_MAX - BODY_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));
	struct packet_frame f = { type, 0, bytes, size };

	frame_encode(&w, &f);
	assert(!w.failed);
	ballot_say(b, &w, 1);
}

void
ballot_request(struct ballot *b, const struct vote_request *c)
{
	uint8_t bytes[VOTE_REQUEST_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct vote_request request = *c;

	if (request.lease == 0) {
		request.lease = b->setup.timing.lease;
		request.config_id = b->setup.config_id;
	}
	vote_request_encode(&w, &request);
	ballot_frame(b, FRAME_VOTE_REQUEST, bytes, w.size);
}

void
ballot_vote(struct ballot *b, const struct vote_response *v)
{
	uint8_t bytes[VOTE_RESPONSE_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	vote_response_encode(&w, v);
	ballot_frame(b, FRAME_VOTE_RESPONSE, bytes, w.size);
}

void
ballot_release(struct ballot *b, uint64_t term)
{
	uint8_t bytes[RELEASE_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	release_encode(&w, &(struct release){ term });
	ballot_frame(b, FRAME_RELEASE, bytes, w.size);
}

void
ballot_grant(struct ballot *b)
{
	const struct vote_request c = b->said.request;

	assert(b->said.has_request);
	b->said.has_request = false;
	ballot_vote(b, &(struct vote_response){
			   .term = c.term,
			   .sent = c.sent,
			   .is_prevote = c.is_prevote,
			   .promised = c.is_prevote ? 0 : c.term,
			   .config_id = config_tag(&b->member.config_id),
		       });
}

void
ballot_assert_voted(
    const struct ballot *b, const struct vote_request *c, enum denial denial)
{
	assert_true(b->said.has_vote);
	assert_int_equal(b->said.vote.term, c->term);
	assert_int_equal(b->said.vote.sent, c->sent);
	assert_int_equal(b->said.vote.is_prevote, c->is_prevote);
	assert_int_equal(b->said.vote.denial, denial);
}

void
ballot_join(struct ballot *b)
{
	uint8_t datagram[PACKET_MAX];

	feed(b, datagram, member_hello(&b->member, datagram));
	assert(b->member.has_session);
	ballot_say(b, NULL, 0);
}

void
ballot_run(struct ballot *b, nsec_t duration)
{
	nsec_t until = b->now + duration;
	nsec_t beat_at = b->now + BALLOT_BEAT;

	for (;;) {
		nsec_t at = nsec_earlier(beat_at, node_deadline(b->node));

		if (at > until)
			break;
		if (at > b->now)
			b->now = at;
		if (node_deadline(b->node) <= b->now) {
			node_tick(b->node, b->now);
			pull(b);
		}
		if (beat_at <= b->now) {
			beat_at = b->now + BALLOT_BEAT;
			ballot_say(b, NULL, 0);
		}
		for (int i = 0; i < 4 && b->is_granting && b->said.has_request;
		     i++)
			ballot_grant(b);
	}
	b->now = until;
}

void
ballot_begin(struct ballot *b, nsec_t duration)
{
	ballot_start(b);
	ballot_run(b, 0);
	ballot_join(b);
	ballot_run(b, duration);
	assert(node_peer_status(b->node, 0).up);
}

int
ballot_enter(void **state)
{
	struct ballot *b = *state;

	ballot_set(b);
	ballot_begin(b, 3 * SEC);
	assert(ballot_status(b).leader == NODE_NONE);
	assert(b->requests > 0 && b->said.request.is_prevote);
	return 0;
}

int
ballot_enter_leader(void **state)
{
	struct ballot *b = *state;

	ballot_enter(state);
	b->is_granting = true;
	ballot_run(b, 5 * SEC);
	assert(ballot_status(b).state == STATE_LEADER);
	return 0;
}

void
ballot_lead_by(struct ballot *b, const struct config_id *config_id)
{
	ballot_set(b);
	ballot_exchange(b, config_id);
	b->is_granting = true;
	ballot_begin(b, 5 * SEC);
	assert(ballot_status(b).state == STATE_LEADER);
}

int
ballot_enter_voter(void **state)
{
	struct ballot *b = *state;

	ballot_set(b);
	b->setup.role = ROLE_VOTER;
	ballot_begin(b, 3 * SEC);
	return 0;
}

int
ballot_leave(void **state)
{
	ballot_strike(*state);
	return 0;
}

void
ballot_await_request(struct ballot *b)
{
	b->said.has_request = false;
	for (int i = 0; i < 5000 && !b->said.has_request; i++)
		ballot_run(b, MSEC);
	assert(b->said.has_request);
}

void
ballot_persist(struct ballot *b, bool ok)
{
	assert(b->is_persisting || !ok);
	b->is_persisting = false;
	node_persisted(b->node, b->now, ok);
	pull(b);
}

uint64_t
ballot_elect(struct ballot *b)
{
	uint64_t term = node_elect(b->node, b->now);

	pull(b);
	return term;
}

void
ballot_stop(struct ballot *b)
{
	node_stop(b->node, b->now);
	pull(b);
}

enum resignation
ballot_resign(struct ballot *b, node_id to)
{
	enum resignation begun = node_resign(b->node, b->now, to);

	pull(b);
	return begun;
}

void
ballot_stand(struct ballot *b)
{
	static const struct standby off = { .cause = STANDBY_RESIGNED };

	node_set_standby(b->node, b->now, &off);
	pull(b);
}

void
ballot_declare_dead(struct ballot *b)
{
	node_declare_dead(b->node, b->now);
	pull(b);
}

void
ballot_feed_will(struct ballot *b, const uint8_t *bytes)
{
	node_receive(b->node, b->now, 0, PEER_NONE, bytes, PACKET_WILL_BYTES);
	pull(b);
}

void
ballot_will(struct ballot *b, uint64_t term)
{
	uint8_t datagram[PACKET_WILL_BYTES];

	member_will(&b->member, UINT64_MAX - b->said_wills++, term, datagram);
	ballot_feed_will(b, datagram);
}

struct node_status
ballot_status(const struct ballot *b)
{
	return node_status(b->node, b->now);
}

uint64_t
ballot_dropped(const struct ballot *b, enum drop drop)
{
	return node_counters(b->node)->dropped[drop];
}
