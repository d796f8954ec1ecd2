/* SPDX-License-Identifier: ISC */
/*
 * Versions: the range that a node tells in a handshake, the version of a
 * session, and what happens where two nodes have none in common. To the present
 * code each version is the same, apart from its number.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

static struct peer_status
member_status(void)
{
	return node_peer_status(s.nodes[0], 0);
}

/* Node 2 speaks these, and is alone. */
static void
begin(uint8_t lowest, uint8_t highest)
{
	stage_set(&s, 1);
	s.setups[0].versions = (struct versions){ lowest, highest };
	stage_start(&s);
	member->incarnation = 5;
	stage_run(&s, 200 * MSEC);
	assert_true(member->was_greeted);
}

static void
greet(void)
{
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
}

/* The member answers the node's hello. */
static void
answer(enum verdict verdict)
{
	struct handshake h = { .verdict = verdict, .known = 9 };

	memcpy(h.echo, member->their_salt, SALT_BYTES);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_handshake(member, PACKET_HELLO_ACK, &h, datagram));
}

/* Nodes 2 and 3 start together. */
static void
two_nodes(struct versions two, struct versions three)
{
	stage_set(&s, 2);
	s.setups[0].versions = two;
	s.setups[1].versions = three;
	stage_start(&s);
	stage_run(&s, 5 * SEC);
}

#define CASE(name) STAGE_CASE(name, NULL, &s)

CASE(nodes_speak_the_highest_version_that_both_know)
{
	static const struct {
		struct versions two, three;
		uint8_t version;
	} rows[] = {
		{ { 6, 6 }, { 6, 6 }, 6 },
		{ { 6, 6 }, { 6, 7 }, 6 },
		{ { 6, 7 }, { 6, 6 }, 6 },
		{ { 6, 7 }, { 6, 7 }, 7 },
		{ { 5, 11 }, { 9, 13 }, 11 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		two_nodes(rows[i].two, rows[i].three);
		assert_true(node_peer_status(s.nodes[0], 1).up);
		assert_int_equal(stage_status(&s, 0).leader, 3);
		assert_int_equal(stage_status(&s, 1).leader, 3);
		assert_int_equal(s.last.bytes[0], rows[i].version);
		assert_int_equal(s.notices[NOTICE_OTHER_VERSION], 0);
		stage_strike(&s);
	}
}

CASE(nodes_tell_their_release)
{
	stage_set(&s, 2);
	s.setups[0].release = 513;
	stage_start(&s);
	assert_int_equal(node_peer_status(s.nodes[1], 1).release, 0);
	stage_run(&s, 5 * SEC);
	assert_int_equal(node_peer_status(s.nodes[1], 1).release, 513);
	assert_int_equal(node_peer_status(s.nodes[0], 1).release, 0);
}

CASE(nodes_without_a_common_version_name_each_other)
{
	two_nodes((struct versions){ 6, 7 }, (struct versions){ 8, 9 });
	for (unsigned i = 0; i < 2; i++) {
		struct peer_status other = node_peer_status(s.nodes[i], 1);

		assert_true(other.other_version);
		assert_false(other.session || other.differs || other.up);
		assert_false(other.duplicate || other.other_key);
		assert_int_equal(stage_status(&s, i).leader, i + 2);
	}
	assert_int_equal(s.notices[NOTICE_OTHER_VERSION], 2);
	assert_true(s.last_notices[NOTICE_OTHER_VERSION].on);
	/* All that they say to each other are handshakes. */
	assert_int_equal(s.last.bytes[0], PACKET_VERSION_HANDSHAKE);
	assert_true(s.last.bytes[1] == PACKET_HELLO ||
		    s.last.bytes[1] == PACKET_HELLO_ACK);
}

CASE(handshakes_tell_the_range_and_have_the_old_head)
{
	begin(7, 13);
	assert_int_equal(member->greeting.versions.lowest, 7);
	assert_int_equal(member->greeting.versions.highest, 13);
	member->versions = (struct versions){ 5, 8 };
	greet();
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	assert_int_equal(member->answer.versions.lowest, 7);
	assert_int_equal(member->answer.versions.highest, 13);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(member_status().session);
	stage_run(&s, 300 * MSEC);
	assert_int_equal(member->heard_version, 8);
}

/* An old copy proves nothing, so the node names nobody for a question. */
CASE(asker_without_a_common_version_gets_that_verdict)
{
	begin(6, 6);
	member->versions = (struct versions){ 7, 8 };
	for (int i = 0; i < 2; i++) {
		greet();
		assert_int_equal(member->answer.verdict, VERDICT_VERSIONS);
		stage_beat(&s, 0, NULL, 0, 0);
		assert_false(member_status().session);
		assert_false(member_status().other_version);
	}
	assert_int_equal(s.notices[NOTICE_OTHER_VERSION], 0);
}

/* Whatever it says: without a version there is no session, and we do not go
 * above an incarnation that it knows. */
CASE(answer_without_a_common_version_begins_nothing)
{
	static const enum verdict verdicts[] = { VERDICT_WELCOME, VERDICT_STALE,
		VERDICT_DUPLICATE, VERDICT_DIFFERS, VERDICT_VERSIONS };

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		begin(6, 6);
		member->versions = (struct versions){ 7, 8 };
		answer(verdicts[i]);
		assert_true(member_status().other_version);
		assert_false(member_status().session);
		assert_false(member_status().differs);
		assert_false(stage_status(&s, 0).duplicate);
		assert_int_equal(stage_status(&s, 0).incarnation, 7);
		assert_int_equal(s.notices[NOTICE_OTHER_VERSION], 1);
		stage_strike(&s);
	}
	begin(6, 6);
	answer(VERDICT_VERSIONS);
	assert_true(member_status().other_version);
	assert_false(member_status().session);
}

CASE(peer_of_another_version_is_named_until_it_has_ours)
{
	begin(7, 7);
	answer(VERDICT_DIFFERS);
	assert_true(member_status().differs);
	stage_run(&s, 200 * MSEC);
	member->versions = (struct versions){ 8, 8 };
	answer(VERDICT_VERSIONS);
	assert_true(member_status().other_version);
	assert_false(member_status().differs);
	assert_int_equal(s.notices[NOTICE_DIFFERS], 2);
	member->incarnation++;
	member->versions = (struct versions){ 7, 8 };
	stage_join(&s, 0);
	assert_true(member_status().up);
	assert_false(member_status().other_version);
	assert_int_equal(s.notices[NOTICE_OTHER_VERSION], 2);
	assert_false(s.last_notices[NOTICE_OTHER_VERSION].on);
}

/* A stranger with a version that we do not speak cannot prove that it lives. */
CASE(stranger_without_a_common_version_is_no_duplicate)
{
	struct member other;

	begin(7, 7);
	stage_join(&s, 0);
	assert_true(member_status().up);
	other = *member;
	other.versions = (struct versions){ 8, 8 };
	other.instance[3]++;
	s.bytes_sent = 0;
	stage_feed(
	    &s, 0, FROM_NOWHERE, datagram, member_hello(&other, datagram));
	assert_int_equal(s.bytes_sent, HANDSHAKE_BYTES);
	assert_true(member_status().up);
	assert_false(member_status().duplicate);
	assert_false(member_status().other_version);
}

/* Sealed under the keys of the session, so only a broken peer sends it. */
CASE(datagram_of_another_version_than_its_session_is_dropped)
{
	static const uint8_t others[] = { 5, 7, 9, 255 };

	begin(6, 9);
	member->versions = (struct versions){ 7, 8 };
	stage_join(&s, 0);
	assert_int_equal(member->version, 8);
	for (size_t i = 0; i < sizeof(others); i++) {
		uint64_t taken;
		nsec_t heard;

		stage_run(&s, 20 * MSEC);
		taken = member_status().received;
		heard = member_status().heard;
		member->version = others[i];
		stage_beat(&s, 0, NULL, 0, 0);
		assert_int_equal(stage_dropped(&s, 0, DROP_FOREIGN), 2 * i + 1);
		assert_int_equal(member_status().received, taken);
		assert_int_equal(member_status().heard, heard);
		stage_feed(&s, 0, FROM_NOWHERE, datagram,
		    member_will(member, UINT64_MAX, 0, datagram));
		assert_true(member_status().up);
		member->version = 8;
		stage_beat(&s, 0, NULL, 0, 0);
		assert_true(member_status().received > taken);
	}
}

/* The datagram's head is sealed, too: with the version number of the session it
 * does not open. */
CASE(version_of_a_datagram_cannot_be_changed_under_way)
{
	size_t size;

	begin(6, 7);
	member->versions = (struct versions){ 6, 7 };
	stage_join(&s, 0);
	member->version = 6;
	size = member_will(member, UINT64_MAX, 0, datagram);
	stage_feed(&s, 0, FROM_NOWHERE, datagram, size);
	assert_int_equal(stage_dropped(&s, 0, DROP_FOREIGN), 1);
	datagram[0] = 7;
	stage_feed(&s, 0, FROM_NOWHERE, datagram, size);
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 1);
	assert_true(member_status().up);
}

/* Also after the session: its keys outlive it for that. */
CASE(will_bears_the_version_of_its_session)
{
	begin(6, 7);
	member->versions = (struct versions){ 6, 7 };
	stage_join(&s, 0);
	assert_int_equal(s.wills[0][0][0].bytes[0], 7);
	s.is_beating = false;
	stage_run(&s, SEC);
	assert_false(member_status().session);
	assert_int_equal(member_status().evidence, EVIDENCE_MISSED);
	member->version = 6;
	stage_feed(&s, 0, FROM_NOWHERE, datagram,
	    member_will(member, UINT64_MAX, 0, datagram));
	assert_int_equal(stage_dropped(&s, 0, DROP_FOREIGN), 1);
	assert_int_equal(member_status().evidence, EVIDENCE_MISSED);
	member->version = 7;
	stage_feed(&s, 0, FROM_NOWHERE, datagram,
	    member_will(member, UINT64_MAX, 0, datagram));
	greet();
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
}

/* The next process of a peer may be of another release, in both directions. */
CASE(each_session_has_a_version_of_its_own)
{
	static const uint8_t highest[] = { 6, 7, 8, 6 };

	begin(6, 7);
	for (size_t i = 0; i < sizeof(highest); i++) {
		member->versions = (struct versions){ 6, highest[i] };
		member->incarnation++;
		member->instance[2]++;
		stage_join(&s, 0);
		assert_true(member_status().up);
		stage_run(&s, 200 * MSEC);
		assert_int_equal(
		    member->heard_version, highest[i] > 7 ? 7 : highest[i]);
	}
}

/* Such a handshake is no sign of another key. */
CASE(handshake_without_a_range_is_dropped)
{
	static const struct versions bad[] = { { 0, 0 }, { 0, 6 }, { 7, 6 } };

	begin(6, 6);
	for (unsigned i = 0; i < 6; i++) {
		member->versions = bad[i / 2];
		if (i % 2 == 0)
			greet();
		else
			answer(VERDICT_WELCOME);
		assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), i + 1);
	}
	assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), 0);
	assert_int_equal(member->answers, 0);
	assert_false(member_status().session);
	assert_false(member_status().other_key);
}

/* A change of the settings changes no program. */
CASE(range_outlives_a_change_of_the_settings)
{
	begin(6, 7);
	s.setups[0].versions = (struct versions){ 11, 11 };
	s.setups[0].config_id.config_version++;
	member->versions = (struct versions){ 6, 7 };
	member->config_id = s.setups[0].config_id;
	stage_change(&s, 0);
	stage_join(&s, 0);
	assert_true(member_status().up);
	assert_int_equal(member->answer.versions.lowest, 6);
	assert_int_equal(member->answer.versions.highest, 7);
}
