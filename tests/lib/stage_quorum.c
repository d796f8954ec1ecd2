/* SPDX-License-Identifier: ISC */
#include "tests/lib/stage_quorum.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

void
quorum_set(struct stage *s)
{
	stage_set(s, 1);
	s->setups[0].guarantee = GUARANTEE_QUORUM;
	s->setups[0].timing.lease = QUORUM_LEASE;
	s->members[0].is_voting = true;
}

void
quorum_begin(struct stage *s, nsec_t duration)
{
	stage_start(s);
	stage_run(s, 0);
	stage_join(s, 0);
	s->is_beating = true;
	s->beat_at = s->now + STAGE_BEAT;
	stage_run(s, duration);
	assert(node_peer_status(s->nodes[0], 0).up);
}

void
quorum_exchange(struct stage *s, const struct config_id *config_id)
{
	s->setups[0].config_id = s->members[0].config_id = *config_id;
	s->setups[0].document = quorum_document(0);
	s->setups[0].document_size = QUORUM_DOCUMENT;
	s->members[0].exchanges = true;
}

void
quorum_lead_by(struct stage *s, const struct config_id *config_id)
{
	quorum_set(s);
	quorum_exchange(s, config_id);
	s->is_granting = true;
	quorum_begin(s, 5 * SEC);
	assert(stage_status(s, 0).state == STATE_LEADER);
}

const uint8_t *
quorum_document(unsigned number)
{
	static uint8_t bytes[UINT8_MAX + QUORUM_DOCUMENT];

	assert(number <= UINT8_MAX);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	return bytes + number;
}

int
quorum_enter(void **state)
{
	struct stage *s = *state;

	quorum_set(s);
	quorum_begin(s, 3 * SEC);
	assert(stage_status(s, 0).leader == NODE_NONE);
	assert(s->members[0].said.requests > 0);
	assert(s->members[0].said.request.is_prevote);
	return 0;
}

int
quorum_enter_leader(void **state)
{
	struct stage *s = *state;

	quorum_enter(state);
	s->is_granting = true;
	stage_run(s, 5 * SEC);
	assert(stage_status(s, 0).state == STATE_LEADER);
	return 0;
}

int
quorum_enter_voter(void **state)
{
	struct stage *s = *state;

	quorum_set(s);
	s->setups[0].role = ROLE_VOTER;
	quorum_begin(s, 3 * SEC);
	return 0;
}

void
quorum_move_member(struct stage *s, const struct config_id *config_id)
{
	s->members[0].config_id = *config_id;
	stage_beat(s, 0, NULL, 0, 0);
}

void
quorum_hello(struct stage *s, node_id id)
{
	uint8_t datagram[PACKET_MAX];
	struct member m;

	member_init(&m, id, s->setups[0].self, s->setups[0].keys.first);
	m.exchanges = true;
	m.is_quorum = s->members[0].is_quorum;
	stage_feed(s, 0, FROM_NOWHERE, datagram, member_hello(&m, datagram));
}

void
quorum_deny(struct stage *s, enum denial denial, uint64_t promised)
{
	const struct vote_request *c = &s->members[0].said.request;

	stage_vote(s, 0,
	    &(struct vote_response){
		.term = c->term,
		.sent = c->sent,
		.is_prevote = c->is_prevote,
		.denial = denial,
		.promised = promised,
	    });
}

void
quorum_request(struct stage *s, const struct vote_request *c)
{
	uint8_t bytes[VOTE_REQUEST_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct vote_request request = *c;

	if (request.lease == 0) {
		request.lease = s->setups[0].timing.lease;
		request.config_id = s->setups[0].config_id;
	}
	vote_request_encode(&w, &request);
	stage_frame(s, 0, FRAME_VOTE_REQUEST, bytes, w.size);
}

void
quorum_release(struct stage *s, uint64_t term)
{
	uint8_t bytes[RELEASE_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	release_encode(&w, &(struct release){ term });
	stage_frame(s, 0, FRAME_RELEASE, bytes, w.size);
}

void
quorum_will(struct stage *s, uint64_t term)
{
	uint8_t datagram[PACKET_WILL_BYTES];
	uint64_t number = UINT64_MAX - s->members[0].wills++;

	s->is_beating = false;
	stage_feed(s, 0, FROM_NOWHERE, datagram,
	    member_will(&s->members[0], number, term, datagram));
}

void
quorum_assert_voted(
    const struct stage *s, const struct vote_request *c, enum denial denial)
{
	const struct said *said = &s->members[0].said;

	assert_true(said->has_vote);
	assert_int_equal(said->vote.term, c->term);
	assert_int_equal(said->vote.sent, c->sent);
	assert_int_equal(said->vote.is_prevote, c->is_prevote);
	assert_int_equal(said->vote.denial, denial);
}

void
quorum_await_request(struct stage *s)
{
	struct said *said = &s->members[0].said;

	said->has_request = false;
	for (int i = 0; i < 5000 && !said->has_request; i++)
		stage_run(s, MSEC);
	assert(said->has_request);
}
