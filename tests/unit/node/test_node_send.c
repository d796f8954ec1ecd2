/* SPDX-License-Identifier: ISC */
/*
 * Outgoing datagrams: timestamps that are never none, hellos within their
 * budget, and datagrams filled to the last byte that a frame can use.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define MANY   150                 /* peers */
#define BUDGET (2048 / (MANY + 1)) /* hellos an interval */
#define EAGER  10 /* of them to one of the best, beyond its turns */
/* When timestamps begin anew. */
#define TIMESTAMP_WRAP ((UINT64_C(1) << 32) * USEC)

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

#define CASE(name) STAGE_CASE(name, NULL, &s)

/* An echo of 0 says that there was no timestamp yet. */
CASE(timestamp_is_never_none_though_it_begins_anew)
{
	uint8_t plain[BODY_BYTES];
	struct writer w = writer_of(plain, sizeof(plain));
	struct body body;

	stage_set(&s, 1);
	s.now = s.beat_at = TIMESTAMP_WRAP - SEC;
	stage_begin(&s, SEC - 1);
	s.is_beating = false;
	assert_true(member->heard.timestamp > 1);
	s.now = TIMESTAMP_WRAP;
	body = member_body(member, s.now);
	body.timestamp = 1;
	body_encode(&w, &body);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_seal(
		member, PACKET_SESSION, PACKET_PING, plain, w.size, datagram));
	assert_int_equal(member->heard.timestamp, 1);
	/* The peer returns it, and the node measures the round trip all the
	 * same. */
	stage_run(&s, 10 * MSEC);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_true(node_peer_status(s.nodes[0], 0).rtt > 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_LATE), 0);
}

/* Counts hellos to all together, and the most, and the least, to one. */
static uint64_t
count_hellos(uint64_t *least, uint64_t *most)
{
	uint64_t sum = 0;

	*least = UINT64_MAX;
	*most = 0;
	for (unsigned i = 0; i < MANY; i++) {
		uint64_t sent = node_peer_status(s.nodes[0], i).sent;

		sum += sent;
		*least = sent < *least ? sent : *least;
		*most = sent > *most ? sent : *most;
	}
	return sum;
}

/* No peer answers, not even the best, which get hellos first. An interval is 90
 * to 110 ms. */
CASE(hellos_keep_to_their_budget_and_everybody_has_a_turn)
{
	static struct peer_setup peers[MANY];
	uint64_t sum, least, most;

	stage_set(&s, 1);
	for (unsigned i = 0; i < MANY; i++)
		peers[i] = (struct peer_setup){ .id = 100 + i };
	s.setups[0].peers = peers;
	s.setups[0].peers_count = MANY;
	s.setups[0].timing.startup =
	    10 * SEC; /* it leads nobody, and so sends fewer */
	stage_start(&s);
	for (uint64_t round = 0; round < 80; round++) {
		nsec_t until = STAGE_BEGIN + round * 100 * MSEC;

		stage_run(&s, until - s.now);
		sum = count_hellos(&least, &most);
		assert_true(sum <= (round * 100 / 90 + 1) * BUDGET);
		assert_true(sum >= (round * 100 / 110 + 1) * BUDGET);
		assert_true(most - least <= EAGER + 1);
	}
	assert_true(least >= 3);
}

/* Node 2 in a ring of two: the member is on both its sides. */
static void
make_ring_of_two(void)
{
	struct body body;

	stage_set(&s, 1);
	stage_ring(&s);
	s.setups[0].algorithm = &algorithm_lelann;
	stage_start(&s);
	stage_run(&s, 0);
	stage_join(&s, 0);
	body = member_body(member, s.now);
	body.flags |= BODY_TAKES_RIGHT | BODY_TAKES_LEFT;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, &body, NULL, 0, datagram));
	assert_false(stage_status(&s, 0).is_bypassed);
}

/*
 * CANDIDATEs of so many origins, nine of them with one more id on the list,
 * come in at once. The node passes each on with its own id appended, after its
 * own.
 */
static void
feed_candidates(unsigned count)
{
	struct body body = member_body(member, s.now);
	uint8_t frames[PACKET_SEALED_MAX - BODY_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	for (unsigned i = 0; i < count; i++) {
		node_id id = 200 + i;
		struct message m = {
			.term = 1,
			.rank = { .is_eligible = true,
			    .is_contender = true,
			    .id = id },
			.origin = id,
			.list_count = i < 9 ? 2 : 1,
			.list = { id, i < 9 ? 300 + i : NODE_NONE },
		};

		member_write_message(member, &w, &m);
	}
	assert_false(w.failed);
	body.flags |= BODY_TAKES_RIGHT | BODY_TAKES_LEFT;
	body.frames_count = (uint16_t)count;
	s.bytes_sent = 0;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, &body, frames, w.size, datagram));
}

/* No byte is left. */
CASE(datagram_is_filled_and_the_rest_goes_in_the_next)
{
	const size_t own = FRAME_BYTES + TAGGED_BYTES + 4;
	const size_t passed = FRAME_BYTES + TAGGED_BYTES + 8;
	const size_t full = own + 18 * passed + 9 * 4;

	assert_int_equal(full, PACKET_SEALED_MAX - BODY_BYTES);
	make_ring_of_two();
	feed_candidates(18);
	assert_int_equal(member->ack, 1 + 18);
	assert_int_equal(member->heard.frames_count, 1 + 18);
	assert_int_equal(s.bytes_sent, PACKET_HEAD_BYTES + BODY_BYTES + full);
	stage_strike(&s);
	make_ring_of_two();
	feed_candidates(19);
	assert_int_equal(member->ack, 1 + 19);
	assert_int_equal(member->heard.frames_count, 1);
	assert_int_equal(
	    s.bytes_sent, 2 * (PACKET_HEAD_BYTES + BODY_BYTES) + full + passed);
}
