/* SPDX-License-Identifier: ISC */
/*
 * The wills that a node gives to its helper, and what its peers make of a will:
 * which process they take for dead, and for how long.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#define LEADER 1 /* node 3 */

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

/* Nodes 2 and 3 follow 3; the member is up at 2. */
static int
enter(void **state)
{
	(void)state;
	stage_set(&s, STAGE_NODES);
	member->incarnation = 5;
	stage_start(&s);
	stage_run(&s, 2 * SEC);
	stage_join(&s, 0);
	s.is_beating = true;
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	return 0;
}

static struct peer_status
member_status(void)
{
	return node_peer_status(s.nodes[0], FROM_MEMBER);
}

/* The member's helper says that it is dead. */
static void
say_will(void)
{
	stage_feed(&s, 0, FROM_NOWHERE, datagram,
	    member_will(member, UINT64_MAX, 0, datagram));
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(session_has_one_will_and_none_that_releases)
{
	stage_run(&s, 10 * SEC);
	for (unsigned i = 0; i < STAGE_NODES; i++)
		for (unsigned p = 0; p < 2; p++) {
			bool has = node_peer_status(s.nodes[i], p).session;

			assert_int_equal(
			    s.wills[i][p][0].size, has ? PACKET_WILL_BYTES : 0);
			assert_int_equal(s.wills[i][p][1].count, 0);
		}
	assert_int_equal(s.wills[0][FROM_NODE][0].count, 1);
	assert_int_equal(s.wills[0][FROM_MEMBER][0].count, 1);
	assert_int_equal(s.wills[LEADER][FROM_NODE][0].count, 1);
}

/* The other node has id 2 or 3, the member id 1; the highest leads. */
CASE(wills_go_out_in_the_order_of_ranks)
{
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		assert_int_equal(s.wills[i][FROM_NODE][0].place, 0);
		assert_int_equal(s.wills[i][FROM_MEMBER][0].place, 1);
	}
}

CASE(node_hangs_after_its_peers_may_have_given_it_up)
{
	static const struct {
		nsec_t heartbeat;
		unsigned misses;
		nsec_t hang;
	} rows[] = {
		{ 100 * MSEC, 3, 337500 * USEC },
		{ 100 * MSEC, 1, 200 * MSEC },
		{ 10 * MSEC, 8, 90 * MSEC },
		{ 1 * MSEC, 3, 10 * MSEC },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct node_setup setup = {
			.timing.heartbeat = rows[i].heartbeat,
			.timing.misses = rows[i].misses,
		};
		struct will_rules rules = node_will_rules(&setup);

		assert_int_equal(rules.hang, rows[i].hang);
		assert_true(rules.has_successor);
		setup.topology = TOPOLOGY_RING;
		assert_false(node_will_rules(&setup).has_successor);
		setup.topology = TOPOLOGY_FULL;
		setup.guarantee = GUARANTEE_QUORUM;
		assert_false(node_will_rules(&setup).has_successor);
	}
}

CASE(will_names_the_dead_process_and_gives_up_no_term)
{
	const struct kept_will *kept = &s.wills[0][FROM_MEMBER][0];
	struct packet_head head;
	struct will will;

	assert_true(
	    member_hear_will(member, kept->bytes, kept->size, &head, &will));
	assert_int_equal(head.source, 2);
	assert_int_equal(head.destination, 1);
	assert_int_equal(head.incarnation, 7);
	assert_true(head.number == UINT64_MAX);
	assert_int_equal(will.term, 0);
	assert_int_equal(node_handed_out(s.nodes[0]), 0);
}

CASE(end_of_a_session_voids_its_will)
{
	s.is_cut = true;
	stage_run(&s, SEC);
	assert_false(node_peer_status(s.nodes[0], FROM_NODE).session);
	assert_int_equal(s.wills[0][FROM_NODE][0].size, 0);
	assert_int_equal(s.wills[0][FROM_MEMBER][0].size, PACKET_WILL_BYTES);
	/* The next session has its own wills. */
	s.is_cut = false;
	stage_run(&s, 2 * SEC);
	assert_int_equal(s.wills[0][FROM_NODE][0].size, PACKET_WILL_BYTES);
	assert_int_equal(s.wills[0][FROM_NODE][0].count, 2);
}

/* The will comes before its silence is noticed. */
CASE(leaders_will_ends_its_reign_from_any_address)
{
	const struct kept_will kept = s.wills[LEADER][FROM_NODE][0];
	unsigned lost = s.notices[NOTICE_NO_LEADER];
	struct peer_status peer;
	struct node_status status;

	s.is_cut = true;
	stage_feed(&s, 0, FROM_NOWHERE, kept.bytes, kept.size);
	peer = node_peer_status(s.nodes[0], FROM_NODE);
	assert_false(peer.session);
	assert_int_equal(peer.evidence, EVIDENCE_DIED);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], lost + 1);
	stage_run(&s, 50 * MSEC);
	status = stage_status(&s, 0);
	assert_int_equal(status.leader, 2);
	assert_int_equal(status.reason.kind, REASON_DIED);
	assert_int_equal(status.reason.node, 3);
	assert_int_equal(node_counters(s.nodes[0])->suspicions, 0);
}

CASE(node_takes_nothing_of_a_dead_process)
{
	uint64_t before = stage_dropped(&s, 0, DROP_INCARNATION);

	s.is_beating = false;
	say_will();
	assert_false(member_status().session);
	assert_int_equal(member_status().evidence, EVIDENCE_DIED);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION), before + 1);
	member->has_session = false;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	assert_int_equal(member->answer.known, 5);
	stage_run(&s, 100 * MSEC);
	assert_true(member->was_greeted);
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_welcome(member, datagram));
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION), before + 2);
	assert_false(member_status().session);
}

CASE(next_process_is_welcome_and_outlives_copies_of_the_will)
{
	uint8_t will[PACKET_WILL_BYTES];

	s.is_beating = false;
	member_will(member, UINT64_MAX, 0, will);
	stage_feed(&s, 0, FROM_NOWHERE, will, sizeof(will));
	member->incarnation++;
	member->instance[2]++;
	stage_join(&s, 0);
	assert_true(member_status().up);
	stage_feed(&s, 0, FROM_NOWHERE, will, sizeof(will));
	stage_feed(&s, 0, FROM_MEMBER, will, sizeof(will));
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(member_status().up);
	assert_int_equal(member_status().incarnation, 6);
}

CASE(altered_wills_are_refused)
{
	uint8_t will[PACKET_WILL_BYTES];

	member_will(member, UINT64_MAX, 0, will);
	for (size_t at = 0; at < sizeof(will); at++) {
		uint8_t other[PACKET_WILL_BYTES];
		uint64_t before = 0, after = 0;

		memcpy(other, will, sizeof(other));
		other[at] ^= 1;
		for (enum drop d = DROP_NONE + 1; d < DROP_KINDS; d++)
			before += stage_dropped(&s, 0, d);
		stage_feed(&s, 0, FROM_NOWHERE, other, sizeof(other));
		for (enum drop d = DROP_NONE + 1; d < DROP_KINDS; d++)
			after += stage_dropped(&s, 0, d);
		assert_int_equal(after, before + 1);
		assert_true(member_status().up);
	}
	assert_true(stage_dropped(&s, 0, DROP_SEAL) >= SEAL_TAG_BYTES);
}

CASE(wills_of_another_size_or_number_are_refused)
{
	const uint64_t first = UINT64_C(1) << 63;
	size_t size = member_will(member, UINT64_MAX, 0, datagram);

	stage_feed(&s, 0, FROM_MEMBER, datagram, size - 1);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size + 1);
	stage_feed(&s, 0, FROM_MEMBER, datagram, PACKET_HEAD_BYTES);
	member_will(member, first - 1, 0, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	/* No node has opened these, so the node blames no member. */
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 4);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 0);
	member_will(member, UINT64_MAX, TERM_MAX + 1, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 1);
	assert_true(member_status().up);
	member_will(member, first, 0, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_false(member_status().session);
}

CASE(wills_of_no_session_are_refused)
{
	uint8_t later[PACKET_WILL_BYTES];

	/* A will of a process that no node has heard of. */
	member->incarnation++;
	member_will(member, UINT64_MAX, 0, later);
	member->incarnation--;
	stage_feed(&s, 0, FROM_MEMBER, later, sizeof(later));
	assert_int_equal(stage_dropped(&s, 0, DROP_SESSION), 1);
	assert_true(member_status().up);
}

/* No process has incarnation 0, and no node has a key of zeros. */
CASE(will_under_no_key_is_refused)
{
	struct member m = *member;
	uint8_t later[PACKET_WILL_BYTES];

	m.incarnation = 0;
	memset(m.send_key, 0, sizeof(m.send_key));
	member_will(&m, UINT64_MAX, 0, later);
	stage_feed(&s, 0, FROM_NOWHERE, later, sizeof(later));
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION) +
			     stage_dropped(&s, 0, DROP_SESSION),
	    1);
	assert_true(member_status().up);
}

/* The helper may not have the new one yet: it is the same process. */
CASE(will_under_a_session_that_was_replaced_is_taken)
{
	uint8_t later[PACKET_WILL_BYTES];

	member_will(member, UINT64_MAX, 0, later);
	stage_join(&s, 0);
	assert_true(member_status().up);
	stage_feed(&s, 0, FROM_MEMBER, later, sizeof(later));
	assert_false(member_status().up);
	assert_int_equal(member_status().evidence, EVIDENCE_DIED);
}

/* The node noticed its silence first; the will adds that it does not come back.
 */
CASE(will_after_the_silence_is_taken)
{
	uint8_t later[PACKET_WILL_BYTES];
	size_t size;

	member_will(member, UINT64_MAX, 0, later);
	s.is_beating = false;
	stage_run(&s, SEC);
	assert_false(member_status().session);
	stage_feed(&s, 0, FROM_NOWHERE, later, sizeof(later));
	assert_int_equal(stage_dropped(&s, 0, DROP_SESSION), 0);
	size = member_hello(member, datagram);
	stage_feed(&s, 0, FROM_MEMBER, datagram, size);
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	assert_false(member_status().session);
}

/* The member began a session and was killed; the node heard nothing in it. */
CASE(will_under_an_unconfirmed_session_is_taken)
{
	s.is_beating = false;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	assert_true(member->has_session);
	assert_true(member_status().up);
	say_will();
	assert_false(member_status().session);
	assert_int_equal(member_status().evidence, EVIDENCE_DIED);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION), 1);
	/* The same for a process that the node never heard at all. */
	member->incarnation = 9;
	member->instance[2]++;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	say_will();
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION), 2);
	assert_false(member_status().session);
}

/* A peer that was declared dead comes back as another process, and is heard. */
CASE(revived_leader_comes_back_as_another_process)
{
	const struct kept_will kept = s.wills[LEADER][FROM_NODE][0];
	struct peer_status peer;

	stage_feed(&s, 0, FROM_NOWHERE, kept.bytes, kept.size);
	stage_declare_dead(&s, LEADER);
	assert_int_equal(stage_status(&s, LEADER).leader, NODE_NONE);
	assert_int_equal(stage_status(&s, LEADER).incarnation, 8);
	assert_int_equal(s.durable.incarnation, 8);
	stage_run(&s, 100 * MSEC);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	peer = node_peer_status(s.nodes[0], FROM_NODE);
	assert_true(peer.up);
	assert_int_equal(peer.incarnation, 8);
	/* The node takes no will of the former one any more. */
	stage_feed(&s, 0, FROM_NOWHERE, kept.bytes, kept.size);
	assert_true(node_peer_status(s.nodes[0], FROM_NODE).up);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	assert_int_equal(stage_status(&s, LEADER).leader, 3);
}

/* Gives how long it takes until the best node leads again. */
static nsec_t
comeback(void)
{
	nsec_t since = s.now;

	stage_declare_dead(&s, LEADER);
	for (int i = 0; i < 200 && stage_status(&s, LEADER).leader != 3; i++)
		stage_run(&s, 100 * MSEC);
	assert_int_equal(stage_status(&s, LEADER).leader, 3);
	return s.now - since;
}

/* Else the others would lose it, and take it back, as long as it hangs. They
 * count this, and tell it. */
CASE(node_that_hangs_again_and_again_takes_over_ever_later)
{
	nsec_t first = comeback(), second = comeback(), third = comeback();

	assert_true(second >= first + SEC / 2);
	assert_true(third >= second + SEC / 2);
	assert_true(comeback() >= third + SEC);
	stage_run(&s, 120 * SEC);
	assert_true(comeback() < second);
}

CASE(node_that_has_ended_is_not_revived)
{
	stage_stop(&s, LEADER);
	stage_declare_dead(&s, LEADER);
	assert_true(node_stopped(s.nodes[LEADER]));
	assert_int_equal(stage_status(&s, LEADER).incarnation, 7);
}
