/* SPDX-License-Identifier: ISC */
/*
 * Another configuration is put into effect while the node runs: what goes on,
 * and what follows from each change.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"

#define BEAT (100 * MSEC)
#define SOON (10 * BEAT)

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

/* The file that the test's operator writes; it counts only as bytes. */
static const uint8_t document[300] = { 'd', 'o', 'c' };

static const struct config_id first = { .config_version = 1,
	.digest = "first" };
static const struct config_id second = { .config_version = 2,
	.digest = "second" };

static void
set(unsigned nodes_count)
{
	stage_set(&s, nodes_count);
	for (unsigned i = 0; i < nodes_count; i++) {
		s.setups[i].config_id = first;
		s.setups[i].document = document;
		s.setups[i].document_size = sizeof(document);
		s.members[i].incarnation = 5;
		s.members[i].config_id = first;
		s.members[i].exchanges = true;
	}
}

/* Nodes 2 and 3, which leads, and the member. */
static int
enter(void **state)
{
	(void)state;
	set(2);
	stage_begin(&s, 3 * SEC);
	assert(stage_status(&s, 0).leader == 3);
	assert(stage_status(&s, 1).state == STATE_LEADER);
	assert(node_peer_status(s.nodes[0], 0).up);
	return 0;
}

/* Node 2 leads; there is only the member besides. */
static int
enter_alone(void **state)
{
	(void)state;
	set(1);
	stage_begin(&s, 3 * SEC);
	assert(stage_status(&s, 0).state == STATE_LEADER);
	assert(node_peer_status(s.nodes[0], 0).up);
	return 0;
}

static void
change(unsigned node)
{
	s.setups[node].config_id = second;
	stage_change(&s, node);
}

/* From now on the node's file names these alone. */
static void
set_peers(unsigned node, const struct peer_setup *peers, unsigned count)
{
	s.setups[node].peers = peers;
	s.setups[node].peers_count = count;
}

static void
assert_leader(node_id leader)
{
	for (unsigned i = 0; i < s.nodes_count; i++)
		assert_int_equal(stage_status(&s, i).leader, leader);
}

#define CASE(name)       STAGE_CASE(name, enter, &s)
#define CASE_ALONE(name) STAGE_CASE(name, enter_alone, &s)

CASE(sessions_leader_and_term_go_on)
{
	struct node_status was = stage_status(&s, 0), is;

	memset(s.notices, 0, sizeof(s.notices));
	for (unsigned i = 0; i < 2; i++) {
		s.setups[i].timing.heartbeat = BEAT / 2;
		change(i);
		assert_int_equal(
		    config_id_compare(node_config_id(s.nodes[i]), &second), 0);
	}
	stage_run(&s, 3 * SEC);
	is = stage_status(&s, 0);
	assert_int_equal(is.leader, was.leader);
	assert_int_equal(is.term, was.term);
	assert_int_equal(is.since, was.since);
	assert_int_equal(is.incarnation, was.incarnation);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	assert_int_equal(s.notices[NOTICE_PEER_UP], 0);
	assert_int_equal(s.notices[NOTICE_LEADER], 0);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], 0);
	assert_int_equal(member->heard.config_tag, config_tag(&second));
	assert_int_equal(member->heard.heartbeat_us, BEAT / 2 / USEC);
}

CASE(no_term_is_used_again)
{
	uint64_t term = stage_status(&s, 0).term;

	change(0);
	change(1);
	/* Elections wait for the member's configuration. */
	assert_int_equal(stage_elect(&s, 0), 0);
	member->config_id = second;
	stage_run(&s, BEAT);
	assert_int_equal(stage_elect(&s, 0), term + 1);
	stage_run(&s, SOON);
	assert_leader(3);
	assert_int_equal(stage_status(&s, 0).term, term + 1);
	assert_non_null(node_past_election(s.nodes[0], term));
}

CASE(an_election_that_has_begun_ends_and_the_next_has_a_later_term)
{
	uint64_t term;

	s.is_cut = true;
	term = stage_elect(&s, 0);
	s.is_cut = false;
	change(0);
	change(1);
	stage_run(&s, 3 * SEC);
	assert_leader(3);
	assert_true(stage_elect(&s, 0) > term);
}

/* The datagram with it was lost; the message bears the old configuration's
 * tag. */
CASE_ALONE(messages_under_way_get_there)
{
	uint32_t before, after;

	stage_run(&s, SOON);
	s.is_beating = false;
	before = member->ack;
	stage_elect(&s, 0);
	after = member->ack;
	assert_true(after > before);
	member->ack = before;
	change(0);
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, SOON);
	assert_true(member->ack >= after);
	assert_int_equal(member->heard.config_tag, config_tag(&second));
	assert_int_equal(member->tag, config_tag(&first));
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	/* Messages of the new configuration get there after the old ones. */
	member->config_id = second;
	stage_run(&s, BEAT);
	before = member->ack;
	stage_elect(&s, 0);
	assert_true(member->ack > before);
	assert_int_equal(member->tag, config_tag(&second));
}

CASE(a_peer_that_is_removed_is_gone_at_once)
{
	static const struct peer_setup only[] = {
		{ .id = 3, .role = ROLE_CANDIDATE },
	};
	const struct notice *down = &s.last_notices[NOTICE_PEER_DOWN];
	uint64_t term = stage_status(&s, 0).term, dropped;

	s.is_beating = false;
	set_peers(0, only, 1);
	change(0);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 1);
	assert_int_equal(down->peer, 1);
	assert_int_equal(down->evidence, EVIDENCE_REMOVED);
	assert_int_equal(stage_status(&s, 0).reachable, 2);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(node_peer_status(s.nodes[0], 0).id, 3);
	/* What it says on counts no more; its hello is answered. */
	dropped = stage_dropped(&s, 0, DROP_UNKNOWN);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_UNKNOWN), dropped + 1);
	assert_int_equal(s.peers[0][FROM_MEMBER], PEER_NONE);
	member_hello(member, datagram);
	s.last.size = 0;
	stage_feed(&s, 0, FROM_NODE, datagram, HANDSHAKE_BYTES);
	member_hear(member, s.last.bytes, s.last.size);
	assert_int_equal(member->answer.verdict, VERDICT_OUTSIDE);
}

STAGE_CASE(a_peer_that_is_added_is_greeted_and_comes_up, NULL, &s)
{
	static const struct peer_setup both[] = {
		{ .id = 1, .role = ROLE_CANDIDATE },
		{ .id = 3, .role = ROLE_CANDIDATE },
	};

	set(2);
	set_peers(0, both + 1, 1);
	stage_start(&s);
	s.peers[0][FROM_MEMBER] = PEER_NONE;
	s.peers[0][FROM_NODE] = 0;
	stage_run(&s, 3 * SEC);
	assert_leader(3);
	assert_false(member->was_greeted);
	set_peers(0, both, 2);
	change(0);
	stage_run(&s, SOON);
	assert_true(member->was_greeted);
	stage_join(&s, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_true(node_peer_status(s.nodes[0], 1).up);
	assert_int_equal(stage_status(&s, 0).leader, 3);
}

/* The peer has kept the number of the last hello that made a session: one that
 * is not higher would be a copy to it. */
CASE(a_peer_that_is_added_again_gets_hellos_with_higher_numbers)
{
	const struct peer_setup *both = s.setups[0].peers;
	uint64_t number = 0;

	s.is_beating = false;
	for (uint32_t i = 0; i < 4; i++) {
		member->was_greeted = false;
		stage_run(&s, SEC);
		assert_true(member->was_greeted);
		assert_true(member->greeting_number > number);
		number = member->greeting_number;
		set_peers(0, both + 1, 1);
		s.setups[0].config_id.config_version++;
		stage_change(&s, 0);
		stage_run(&s, SOON);
		set_peers(0, both, 2);
		s.setups[0].config_id.config_version++;
		stage_change(&s, 0);
	}
}

/* 500 peers come, and go. The pool of messages keeps what it has. */
CASE_ALONE(sessions_outlive_many_new_peers)
{
	static struct peer_setup many[500];
	const struct peer_setup *few = s.setups[0].peers;
	uint32_t before, after;

	for (unsigned i = 0; i < 500; i++)
		many[i] = (struct peer_setup){ .id = 1000 + i };
	many[250].id = 1;
	many[250].role = ROLE_CANDIDATE;
	stage_run(&s, SOON);
	before = member->ack;
	stage_elect(&s, 0);
	after = member->ack;
	assert_true(after > before);
	member->ack = before;
	set_peers(0, many, 500);
	change(0);
	stage_run(&s, SOON);
	assert_true(member->ack >= after);
	assert_true(node_peer_status(s.nodes[0], 250).up);
	set_peers(0, few, 2);
	s.setups[0].config_id.config_version++;
	stage_change(&s, 0);
	stage_run(&s, SOON);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	assert_leader(2);
}

static void
turn_peers(void)
{
	static const struct peer_setup turned[] = {
		{ .id = 3, .role = ROLE_CANDIDATE },
		{ .id = 1, .role = ROLE_CANDIDATE },
	};

	set_peers(0, turned, 2);
	change(0);
}

/* A will names its peer by number, so each is given to the helper again. */
CASE(peers_keep_their_sessions_and_wills_under_other_numbers)
{
	struct packet_head head;
	struct will will;
	unsigned counts[2];

	for (unsigned i = 0; i < 2; i++)
		counts[i] = s.wills[0][i][0].count;
	turn_peers();
	assert_int_equal(s.peers[0][FROM_MEMBER], 1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(s.wills[0][i][0].count, counts[i] + 1);
	assert_true(member_hear_will(member, s.wills[0][FROM_MEMBER][0].bytes,
	    s.wills[0][FROM_MEMBER][0].size, &head, &will));
	stage_run(&s, 3 * SEC);
	assert_int_equal(node_peer_status(s.nodes[0], 0).id, 3);
	assert_int_equal(node_peer_status(s.nodes[0], 1).id, 1);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_true(node_peer_status(s.nodes[0], 1).up);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	assert_leader(3);
}

CASE(a_hint_of_another_key_follows_its_peer_to_its_number)
{
	struct member other = *member;

	s.is_beating = false;
	stage_run(&s, SEC);
	other.key[0] ^= 1;
	for (unsigned i = 0; i < 3; i++)
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_hello(&other, datagram));
	assert_true(node_peer_status(s.nodes[0], 0).other_key);
	turn_peers();
	assert_true(node_peer_status(s.nodes[0], 1).other_key);
	assert_false(node_peer_status(s.nodes[0], 0).other_key);
	stage_run(&s, 600 * SEC);
	assert_false(node_peer_status(s.nodes[0], 1).other_key);
}

CASE(an_id_in_use_twice_follows_its_peer_to_its_number)
{
	const struct member first_process = *member;

	s.is_beating = false;
	member->instance[0]++;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	assert_int_equal(member->answer.verdict, VERDICT_DUPLICATE);
	stage_beat(&s, 0, NULL, 0, 0);
	*member = first_process;
	assert_true(node_peer_status(s.nodes[0], 0).duplicate);
	turn_peers();
	assert_true(node_peer_status(s.nodes[0], 1).duplicate);
	assert_false(node_peer_status(s.nodes[0], 0).duplicate);
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, 10 * SEC);
	assert_false(node_peer_status(s.nodes[0], 1).duplicate);
}

STAGE_CASE(a_ring_closes_again_in_another_order, NULL, &s)
{
	uint64_t term;

	set(2);
	stage_ring(&s);
	for (unsigned i = 0; i < 2; i++)
		s.setups[i].algorithm = &algorithm_hirschberg_sinclair;
	stage_start(&s);
	stage_run(&s, 60 * SEC);
	assert_leader(3);
	term = stage_status(&s, 0).term;
	memset(s.notices, 0, sizeof(s.notices));
	for (unsigned i = 0; i < 2; i++) {
		struct ring_setup ring = s.setups[i].ring;

		s.setups[i].ring.right = ring.left;
		s.setups[i].ring.left = ring.right;
		change(i);
	}
	stage_run(&s, SOON);
	assert_leader(3);
	assert_int_equal(stage_status(&s, 0).term, term);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	for (unsigned i = 0; i < 2; i++)
		assert_false(stage_status(&s, i).is_bypassed);
	assert_int_equal(stage_elect(&s, 0), term + 1);
	stage_run(&s, SOON);
	assert_leader(3);
	assert_int_equal(stage_status(&s, 1).term, term + 1);
}

STAGE_CASE(
    a_neighbour_of_another_configuration_is_no_link_of_the_ring, NULL, &s)
{
	uint64_t before, after;

	set(2);
	stage_ring(&s);
	for (unsigned i = 0; i < 2; i++)
		s.setups[i].algorithm = &algorithm_lelann;
	stage_start(&s);
	stage_run(&s, 60 * SEC);
	assert_leader(3);
	before = node_counters(s.nodes[0])->messages[0];
	assert_true(before > 0);
	change(0);
	stage_elect(&s, 0);
	stage_run(&s, SOON);
	after = node_counters(s.nodes[0])->messages[0];
	assert_int_equal(after, before);
	change(1);
	stage_run(&s, 60 * SEC);
	assert_true(stage_elect(&s, 0) > 0);
	stage_run(&s, SOON);
	assert_true(node_counters(s.nodes[0])->messages[0] > after);
	assert_int_equal(
	    stage_status(&s, 0).leader, stage_status(&s, 1).leader);
}

/* The node has said HELLO, and the next is due much later by the old times. */
STAGE_CASE(a_lost_neighbour_is_sought_by_the_new_times, NULL, &s)
{
	set(2);
	stage_ring(&s);
	for (unsigned i = 0; i < 2; i++) {
		s.setups[i].algorithm = &algorithm_lelann;
		s.setups[i].timing.heartbeat = 30 * SEC;
	}
	stage_start(&s);
	stage_run(&s, 600 * SEC);
	assert_leader(3);
	s.is_cut = true;
	stage_run(&s, 600 * SEC);
	assert_false(node_peer_status(s.nodes[0], FROM_NODE).up);
	s.is_cut = false;
	for (unsigned i = 0; i < 2; i++) {
		s.setups[i].timing.heartbeat = BEAT;
		change(i);
	}
	stage_run(&s, BEAT);
	assert_true(node_peer_status(s.nodes[0], FROM_NODE).up);
}

CASE(another_algorithm_runs_the_next_election)
{
	uint64_t term = stage_status(&s, 0).term;

	s.is_beating = false;
	for (unsigned i = 0; i < 2; i++) {
		s.setups[i].algorithm = &algorithm_bully_broadcast;
		change(i);
	}
	stage_run(&s, SEC); /* the member is gone: it would not answer */
	stage_elect(&s, 0);
	stage_run(&s, SOON);
	assert_leader(3);
	assert_true(stage_status(&s, 0).term > term);
}

/* The member is the last by its id. */
CASE(another_priority_counts_in_the_next_election)
{
	static const struct peer_setup peers[] = {
		{ .id = 1, .role = ROLE_CANDIDATE, .priority = 9 },
		{ .id = 3, .role = ROLE_CANDIDATE },
	};
	uint32_t before;

	before = member->ack;
	stage_elect(&s, 0);
	assert_int_equal(member->ack, before);
	stage_run(&s, SOON);
	set_peers(0, peers, 2);
	change(0);
	change(1);
	member->config_id = second;
	stage_run(&s, SOON);
	before = member->ack;
	stage_elect(&s, 0);
	assert_true(member->ack > before);
}

CASE(a_better_node_takes_over_once_no_peer_has_another_configuration)
{
	static const struct peer_setup peers[] = {
		{ .id = 1, .role = ROLE_CANDIDATE },
		{ .id = 2, .role = ROLE_CANDIDATE, .priority = 9 },
	};
	uint64_t term = stage_status(&s, 0).term;

	s.is_beating = false;
	stage_run(&s, SEC); /* the member is gone */
	s.setups[0].priority = 9;
	change(0);
	stage_run(&s, SEC);
	assert_leader(3);
	assert_int_equal(stage_status(&s, 0).term, term);
	set_peers(1, peers, 2);
	change(1);
	stage_run(&s, SOON);
	assert_leader(2);
}

CASE(a_leader_that_is_removed_is_followed_no_more)
{
	static const struct peer_setup only[] = {
		{ .id = 1, .role = ROLE_CANDIDATE },
	};
	uint64_t term = stage_status(&s, 0).term;

	set_peers(0, only, 1);
	change(0);
	assert_int_not_equal(stage_status(&s, 0).leader, 3);
	assert_true(s.notices[NOTICE_NO_LEADER] > 0);
	assert_int_equal(
	    s.last_notices[NOTICE_NO_LEADER].reason.kind, REASON_REMOVED);
	assert_int_equal(s.last_notices[NOTICE_NO_LEADER].reason.node, 3);
	member->config_id = second;
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, 2);
	assert_true(stage_status(&s, 0).term > term);
	/* The old leader asks for a session, and hears that it is outside. */
	assert_int_equal(stage_status(&s, 1).eligibility, INELIGIBLE_OUTSIDE);
	assert_int_not_equal(stage_status(&s, 1).leader, 3);
}

/* The nodes' files make node 3 an observer. */
static void
demote_leader(unsigned node)
{
	static const struct peer_setup peers[] = {
		{ .id = 1, .role = ROLE_CANDIDATE },
		{ .id = 3, .role = ROLE_OBSERVER },
	};

	if (node == 1)
		s.setups[1].role = ROLE_OBSERVER;
	else
		set_peers(0, peers, 2);
	change(node);
}

CASE(a_leader_that_loses_its_role_hands_over)
{
	uint64_t term = stage_status(&s, 0).term;

	s.setups[0].timing.heartbeat = s.setups[1].timing.heartbeat = BEAT;
	demote_leader(1);
	demote_leader(0);
	member->config_id = second;
	for (unsigned i = 0; i < 3000; i++) {
		stage_run(&s, MSEC);
		assert_int_not_equal(stage_status(&s, 0).leader, NODE_NONE);
	}
	assert_leader(2);
	assert_int_equal(stage_status(&s, 1).eligibility, INELIGIBLE_ROLE);
	assert_true(stage_status(&s, 0).term > term);
}

CASE_ALONE(a_leader_that_loses_its_role_alone_gives_up_at_once)
{
	static const struct peer_setup observers[] = {
		{ .id = 1, .role = ROLE_OBSERVER },
		{ .id = 3, .role = ROLE_OBSERVER },
	};

	s.is_beating = false;
	stage_run(&s, SEC);
	s.setups[0].role = ROLE_OBSERVER;
	set_peers(0, observers, 2);
	change(0);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(stage_status(&s, 0).reason.kind, REASON_REMOVED);
	assert_int_equal(stage_status(&s, 0).reason.node, 2);
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	/* The role comes back. */
	s.setups[0].role = ROLE_CANDIDATE;
	s.setups[0].config_id.config_version++;
	stage_change(&s, 0);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The leader resigns, and the successor is removed before it leads. */
CASE(a_handover_to_a_node_that_is_removed_comes_to_an_end)
{
	static const struct peer_setup only[] = {
		{ .id = 1, .role = ROLE_OBSERVER },
	};

	s.is_cut = true;
	assert_int_equal(stage_resign(&s, 1, 2), RESIGN_BEGUN);
	set_peers(1, only, 1);
	change(1);
	stage_run(&s, 10 * SEC);
	assert_int_equal(stage_status(&s, 1).state, STATE_LEADER);
}

CASE(a_change_ends_the_fetching)
{
	unsigned asks;

	member->config_id = second;
	stage_tell_config(&s, 0, &second, 10);
	assert_true(member->asks > 0);
	change(0);
	asks = member->asks;
	stage_run(&s, SEC);
	stage_tell_config(&s, 0, &second, 10);
	stage_run(&s, SEC);
	assert_int_equal(member->asks, asks);
}

/* One has the later configuration, and the other's host cannot use it. */
CASE(nodes_of_different_heartbeats_keep_their_leader)
{
	uint64_t term = stage_status(&s, 0).term;

	for (unsigned i = 0; i < 2; i++) {
		s.setups[i].timing.heartbeat = BEAT / 5;
		change(i);
		node_refuse(s.nodes[1 - i], s.now, &second);
		stage_run(&s, 10 * SEC);
		assert_leader(3);
		assert_int_equal(stage_status(&s, 0).term, term);
		stage_strike(&s);
		enter(state);
		term = stage_status(&s, 0).term;
	}
}

/* Both nodes are real: one has the file, the other gets it. */
CASE(a_document_goes_from_node_to_node)
{
	const struct stage_document *got = &s.documents[1];

	change(0);
	stage_run(&s, 2 * BEAT);
	assert_int_equal(got->size, sizeof(document));
	assert_memory_equal(got->bytes, document, sizeof(document));
	assert_int_equal(config_id_compare(&got->config_id, &second), 0);
	assert_int_equal(got->giver, 2);
	assert_true(node_peer_status(s.nodes[1], FROM_NODE).is_behind);
	change(1);
	stage_run(&s, 2 * BEAT);
	assert_false(node_peer_status(s.nodes[1], FROM_NODE).is_behind);
	assert_false(node_peer_status(s.nodes[0], FROM_NODE).is_behind);
	assert_int_equal(s.documents[0].pieces, 0);
}

/* Discovery: node 3, which does not run, is forgotten for its absence since it
 * has been a neighbour. */
STAGE_CASE(node_that_becomes_a_neighbour_is_waited_for, NULL, &s)
{
	static struct peer_setup near[] = {
		{ .id = 1, .role = ROLE_CANDIDATE },
		{ .id = 3, .role = ROLE_CANDIDATE, .is_remote = true },
	};

	set(1);
	stage_graph(&s);
	s.setups[0].algorithm = &algorithm_extinction;
	s.setups[0].discovery.is_on = true;
	s.setups[0].discovery.forget = 20 * SEC;
	set_peers(0, near, 2);
	stage_begin(&s, 30 * SEC);
	assert_int_equal(node_forgets(s.nodes[0], s.now, NODE_NONE), NODE_NONE);
	near[1].is_remote = false;
	change(0);
	stage_run(&s, 19 * SEC);
	assert_int_equal(node_forgets(s.nodes[0], s.now, NODE_NONE), NODE_NONE);
	stage_run(&s, 2 * SEC);
	assert_int_equal(node_forgets(s.nodes[0], s.now, NODE_NONE), 3);
}
