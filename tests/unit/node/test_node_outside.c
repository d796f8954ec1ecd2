/* SPDX-License-Identifier: ISC */
/*
 * What handshakes say of configurations (PROTOCOL.md, Configurations): a node
 * that another configuration does not name, and nodes that cannot exchange
 * documents.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

static const struct config_id now = { .config_version = 3, .digest = "now" };
static const struct config_id early = { .config_version = 2,
	.digest = "early" };
static const struct config_id late = { .config_version = 4, .digest = "late" };

static const uint8_t document[300] = { 'd', 'o', 'c' };

/* Node 2, which gives and takes documents, has just started. The member has a
 * later configuration. */
static int
enter(void **state)
{
	(void)state;
	stage_set(&s, 1);
	s.setups[0].config_id = now;
	s.setups[0].document = document;
	s.setups[0].document_size = sizeof(document);
	member->incarnation = 5;
	member->config_id = late;
	member->exchanges = true;
	stage_start(&s);
	stage_run(&s, 0);
	return 0;
}

static struct node_status
status(void)
{
	return stage_status(&s, 0);
}

/* The member answers the node's hello. */
static void
answer_outside(const struct config_id *config_id)
{
	struct handshake h = {
		.verdict = VERDICT_OUTSIDE,
		.config_id = *config_id,
		.exchanges = true,
	};

	assert_true(member->was_greeted);
	memcpy(h.echo, member->their_salt, SALT_BYTES);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_handshake(member, PACKET_HELLO_ACK, &h, datagram));
}

/* From now on the node is eligible, and listens as at a start. */
static void
assert_listens(uint64_t term)
{
	assert_int_equal(status().eligibility, ELIGIBLE);
	assert_false(status().is_outside);
	assert_int_equal(status().removed_by, 0);
	assert_int_equal(status().state, STATE_STARTING);
	stage_run(&s, s.setups[0].timing.startup - 1);
	assert_int_equal(status().state, STATE_STARTING);
	assert_int_equal(status().term, term);
	stage_run(&s, SEC);
	assert_int_equal(status().state, STATE_LEADER);
}

static void
assert_removed_for_3_s(void)
{
	uint64_t term = status().term;

	assert_int_equal(status().eligibility, INELIGIBLE_OUTSIDE);
	assert_true(status().is_outside);
	assert_int_equal(status().state, STATE_NO_LEADER);
	stage_run(&s, 3 * SEC - 1);
	assert_int_equal(status().eligibility, INELIGIBLE_OUTSIDE);
	assert_int_equal(status().state, STATE_NO_LEADER);
	stage_run(&s, 1);
	assert_listens(term);
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(a_leader_that_a_later_configuration_does_not_name_gives_up)
{
	stage_run(&s, 3 * SEC);
	assert_int_equal(status().state, STATE_LEADER);
	answer_outside(&late);
	assert_int_equal(status().reason.kind, REASON_REMOVED);
	assert_int_equal(status().reason.node, 2);
	assert_int_equal(status().removed_by, late.config_version);
	assert_removed_for_3_s();
}

/* The node takes part in no election of a lower term, and begins none. */
CASE(a_node_that_is_outside_tells_the_highest_term)
{
	stage_run(&s, 3 * SEC);
	member->config_id = now;
	stage_join(&s, 0);
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, SEC);
	assert_int_equal(member->said.beacon.leader.id, 2);
	stage_tell_config(&s, 0, &late, 0);
	assert_true(status().is_outside);
	stage_run(&s, SEC);
	assert_int_equal(member->said.beacon.leader.id, NODE_NONE);
	assert_int_equal(member->said.beacon.term, status().term);
}

/* The cluster has a config term, and the joiner only the file that names it. */
CASE(joiner_was_not_removed)
{
	const struct config_id stamped = {
		.config_term = 5,
		.config_version = s.setups[0].config_id.config_version,
		.digest = "stamped",
	};

	answer_outside(&stamped);
	assert_true(status().is_outside);
	assert_int_equal(status().removed_by, 0);
}

CASE(each_answer_extends_the_time_for_which_a_node_is_outside)
{
	answer_outside(&late);
	stage_run(&s, 2 * SEC);
	answer_outside(&late);
	assert_removed_for_3_s();
}

CASE(the_host_hears_once_that_the_node_is_outside_and_once_that_it_is_not)
{
	const struct notice *last = &s.last_notices[NOTICE_OUTSIDE];

	for (unsigned i = 0; i < 3; i++) {
		answer_outside(&late);
		assert_int_equal(s.notices[NOTICE_OUTSIDE], 1);
		assert_true(last->on);
		stage_run(&s, SEC);
	}
	stage_run(&s, 2 * SEC);
	assert_int_equal(s.notices[NOTICE_OUTSIDE], 2);
	assert_false(last->on);
}

/* The cluster does not know it yet: as many nodes say so as are of its
 * configuration, with itself. */
CASE(a_node_alone_waits_if_an_earlier_configuration_does_not_name_it)
{
	answer_outside(&early);
	assert_removed_for_3_s();
	answer_outside(&early);
	assert_int_equal(status().reason.kind, REASON_MERGE);
}

/* The node hears the member, but perhaps not yet the leader. */
CASE(a_node_that_is_named_again_listens_as_at_a_start)
{
	stage_run(&s, 3 * SEC);
	answer_outside(&early);
	stage_run(&s, 2 * SEC);
	assert_int_equal(status().state, STATE_NO_LEADER);
	member->config_id = now;
	stage_join(&s, 0);
	s.is_beating = true;
	assert_listens(status().term);
}

/* A node that no configuration of ours names says hello from the other's
 * address; returns the number of answers to it. */
static unsigned
greet_as_outsider(struct member *m)
{
	unsigned answers = m->answers;

	s.last.size = 0;
	stage_feed(&s, 0, FROM_NODE, datagram, member_hello(m, datagram));
	member_hear(m, s.last.bytes, s.last.size);
	return m->answers - answers;
}

static void
make_outsider(struct member *m)
{
	member_init(m, 9, 2, s.setups[0].keys.first);
	m->exchanges = true;
	m->config_id = early;
}

CASE(an_unknown_node_with_our_key_is_told_that_it_is_outside)
{
	struct member m;

	make_outsider(&m);
	assert_int_equal(greet_as_outsider(&m), 1);
	assert_int_equal(m.answer.verdict, VERDICT_OUTSIDE);
	assert_int_equal(config_id_compare(&m.answer.config_id, &now), 0);
	assert_true(m.answer.exchanges);
	assert_false(m.answer.is_quorum);
	/* The log has the unknown node, as its operator may have forgotten this
	 * host. */
	assert_int_equal(stage_dropped(&s, 0, DROP_UNKNOWN), 1);
}

CASE(strangers_are_answered_at_most_20_times_a_second)
{
	unsigned at_once = 0, then = 0;
	struct member m;

	make_outsider(&m);
	for (unsigned i = 0; i < 100; i++)
		at_once += greet_as_outsider(&m);
	assert_int_equal(at_once, 21);
	assert_int_equal(stage_dropped(&s, 0, DROP_UNKNOWN), 100);
	for (unsigned i = 0; i < 1000; i++) {
		stage_run(&s, 10 * MSEC);
		then += greet_as_outsider(&m);
	}
	assert_int_equal(then, 10 * 20);
}

/* Starts the node anew, as it exchanges documents or not, and gives its
 * verdict on a hello of the member. */
static enum verdict
verdict_with(bool we_exchange)
{
	stage_strike(&s);
	s.setups[0].document = we_exchange ? document : NULL;
	s.setups[0].document_size = we_exchange ? sizeof(document) : 0;
	stage_start(&s);
	stage_run(&s, 0);
	member->has_session = false;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	return member->answer.verdict;
}

CASE(an_unknown_node_gets_no_answer_without_a_key_or_an_exchange)
{
	struct member m;

	make_outsider(&m);
	m.key[0] ^= 1;
	assert_int_equal(greet_as_outsider(&m), 0);
	assert_int_equal(s.last.size, 0);
	make_outsider(&m);
	m.exchanges = false;
	assert_int_equal(greet_as_outsider(&m), 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_UNKNOWN), 1);
	/* The outsider's hello is damaged under way. */
	make_outsider(&m);
	member_hello(&m, datagram);
	datagram[HANDSHAKE_BYTES - 1] ^= 1;
	s.bytes_sent = 0;
	stage_feed(&s, 0, FROM_NODE, datagram, HANDSHAKE_BYTES);
	assert_int_equal(s.bytes_sent, 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_UNKNOWN), 2);
	/* Our own configuration goes to nobody. */
	verdict_with(false);
	make_outsider(&m);
	assert_int_equal(greet_as_outsider(&m), 0);
	assert_int_equal(s.last.size, 0);
}

CASE(different_configurations_meet_only_if_both_nodes_exchange_documents)
{
	for (int bits = 0; bits < 8; bits++) {
		bool we = bits & 1, they = bits & 2, same = bits & 4;

		member->exchanges = they;
		member->config_id = same ? now : late;
		assert_int_equal(verdict_with(we),
		    same || (we && they) ? VERDICT_WELCOME : VERDICT_DIFFERS);
	}
}

static void
assert_tells(const struct handshake *h, bool exchanges)
{
	assert_int_equal(config_id_compare(&h->config_id, &now), 0);
	assert_int_equal(h->exchanges, exchanges);
	assert_int_equal(
	    h->is_quorum, s.setups[0].guarantee == GUARANTEE_QUORUM);
}

CASE(handshakes_tell_configuration_guarantee_and_exchange)
{
	member->config_id = now;
	for (int we = 0; we <= 1; we++) {
		member->was_greeted = false;
		verdict_with(we);
		assert_true(member->was_greeted);
		assert_tells(&member->greeting, we);
		assert_tells(&member->answer, we);
	}
	s.setups[0].guarantee = GUARANTEE_QUORUM;
	s.setups[0].timing.lease = SEC;
	verdict_with(false);
	assert_tells(&member->greeting, false);
	assert_tells(&member->answer, false);
}

CASE(the_guarantee_must_be_the_same)
{
	member->config_id = now;
	member->is_quorum = true;
	for (int we = 0; we <= 1; we++) {
		enum verdict verdict;

		verdict = verdict_with(we);
		assert_int_equal(verdict, VERDICT_WELCOME);
		member->is_quorum = true;
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_hello(member, datagram));
		assert_int_equal(member->answer.verdict, VERDICT_DIFFERS);
	}
}
