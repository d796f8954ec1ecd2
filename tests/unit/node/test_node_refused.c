/* SPDX-License-Identifier: ISC */
/*
 * A host reports, by ICMP, that nothing listens there: the node first asks,
 * then ends the session; and the leader is lost by that unless another node
 * reaches it.
 */
#include "tests/lib/stage.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define BEAT  (100 * MSEC)
#define PAUSE (10 * MSEC) /* between two refusals that count; */
#define FAR   BEAT        /* the member's echoes are so late */
#define FLAGS 3           /* their place in a datagram */

static struct stage s;
static uint8_t datagram[PACKET_MAX];

/* Node 3 leads; node 2, and the member, follow. */
static int
enter(void **state)
{
	(void)state;
	stage_set(&s, STAGE_NODES);
	s.members[0].incarnation = 5;
	stage_begin(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	return 0;
}

static struct peer_status
peer(enum stage_from from)
{
	return node_peer_status(s.nodes[0], from);
}

/* Waits for the first refusal, the question, the second, and an answer. */
static void
refuse_twice(enum stage_from from)
{
	nsec_t pause = from == FROM_MEMBER ? FAR : PAUSE;

	stage_refuse(&s, 0, from);
	stage_run(&s, pause);
	stage_refuse(&s, 0, from);
	stage_run(&s, pause / 2);
}

/* Node 3's process and its helper are gone, a moment after a heartbeat. */
static void
kill_leader(void)
{
	uint64_t received = peer(FROM_NODE).received;

	while (peer(FROM_NODE).received == received)
		stage_run(&s, MSEC / 10);
	s.is_cut = true;
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(one_refusal_leads_to_a_question_and_nothing_else)
{
	uint64_t sent;

	kill_leader();
	sent = peer(FROM_NODE).sent;
	stage_refuse(&s, 0, FROM_NODE);
	assert_int_equal(peer(FROM_NODE).sent, sent);
	stage_run(&s, PAUSE - 1);
	assert_int_equal(peer(FROM_NODE).sent, sent);
	stage_run(&s, 1);
	assert_int_equal(peer(FROM_NODE).sent, sent + 1);
	assert_true(s.last.bytes[FLAGS] & PACKET_PING);
	stage_run(&s, BEAT / 2);
	assert_true(peer(FROM_NODE).up);
	assert_int_equal(stage_status(&s, 0).leader, 3);
}

/* A tenth of a short heartbeat would be no time to answer. */
CASE(question_comes_no_sooner_than_answers_take)
{
	uint64_t sent;

	stage_strike(&s);
	stage_set(&s, STAGE_NODES);
	s.setups[0].timing.heartbeat = s.setups[1].timing.heartbeat = 20 * MSEC;
	stage_start(&s);
	stage_run(&s, 5 * SEC);
	kill_leader();
	sent = peer(FROM_NODE).sent;
	stage_refuse(&s, 0, FROM_NODE);
	stage_run(&s, 5 * MSEC - 1);
	assert_int_equal(peer(FROM_NODE).sent, sent);
	stage_run(&s, 1);
	assert_int_equal(peer(FROM_NODE).sent, sent + 1);
}

CASE(refusals_before_the_question_are_one)
{
	kill_leader();
	for (unsigned i = 0; i < 9; i++) {
		stage_refuse(&s, 0, FROM_NODE);
		stage_run(&s, MSEC);
	}
	assert_true(peer(FROM_NODE).up);
}

CASE(second_refusal_ends_the_session)
{
	kill_leader();
	refuse_twice(FROM_NODE);
	assert_false(peer(FROM_NODE).session);
	assert_int_equal(peer(FROM_NODE).evidence, EVIDENCE_REFUSED);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 1);
}

/* Any datagram of it counts, not only the answer. */
CASE(word_of_the_peer_makes_up_for_a_refusal)
{
	for (unsigned i = 0; i < 5; i++) {
		refuse_twice(FROM_NODE);
		assert_true(peer(FROM_NODE).up);
		stage_refuse(&s, 0, FROM_MEMBER);
		stage_beat(&s, 0, NULL, 0, 0);
		stage_refuse(&s, 0, FROM_MEMBER);
		stage_run(&s, FAR);
		assert_true(peer(FROM_MEMBER).up);
	}
	assert_int_equal(stage_status(&s, 0).leader, 3);
}

/* A host refuses each datagram of the peer's that the peer answers. */
CASE(peer_that_answers_is_not_asked_again_at_once)
{
	uint64_t sent;

	stage_run(&s, BEAT);
	sent = peer(FROM_MEMBER).sent;
	for (unsigned i = 0; i < 100; i++) {
		stage_refuse(&s, 0, FROM_MEMBER);
		stage_beat(&s, 0, NULL, 0, 0);
	}
	assert_true(peer(FROM_MEMBER).up);
	assert_in_range(peer(FROM_MEMBER).sent - sent, 0, 4);
}

/* An answer comes though its question was refused. */
CASE(peer_that_answers_after_the_second_refusal_is_up)
{
	stage_refuse(&s, 0, FROM_MEMBER);
	stage_run(&s, FAR);
	stage_refuse(&s, 0, FROM_MEMBER);
	stage_beat(&s, 0, NULL, 0, 0);
	stage_run(&s, FAR);
	assert_true(peer(FROM_MEMBER).up);
}

/* Followers do not watch each other, but a refused peer gets a question. */
CASE(another_follower_may_be_refused_too)
{
	s.is_beating = false;
	stage_refuse(&s, 0, FROM_MEMBER);
	assert_true(s.members[0].heard.watch & WATCH_WANTED);
	stage_run(&s, FAR);
	stage_refuse(&s, 0, FROM_MEMBER);
	stage_run(&s, FAR / 2);
	assert_false(peer(FROM_MEMBER).session);
	assert_int_equal(peer(FROM_MEMBER).evidence, EVIDENCE_REFUSED);
	assert_int_equal(stage_status(&s, 0).leader, 3);
}

CASE(peer_without_a_session_cannot_be_refused)
{
	struct node_counters before;

	kill_leader();
	refuse_twice(FROM_NODE);
	before = *node_counters(s.nodes[0]);
	for (unsigned i = 0; i < 5; i++)
		stage_refuse(&s, 0, FROM_NODE);
	assert_int_equal(node_counters(s.nodes[0])->sent, before.sent);
	assert_int_equal(
	    node_counters(s.nodes[0])->suspicions, before.suspicions);
	stage_stop(&s, 0);
	stage_run(&s, 4 * BEAT);
	assert_true(node_stopped(s.nodes[0]));
	before = *node_counters(s.nodes[0]);
	for (unsigned i = 0; i < 5; i++)
		stage_refuse(&s, 0, FROM_MEMBER);
	assert_int_equal(node_counters(s.nodes[0])->sent, before.sent);
}

/* The peer was killed and started anew, and sends a hello. */
CASE(peer_that_comes_back_is_up_at_once)
{
	struct member *m = &s.members[0];

	s.is_beating = false;
	refuse_twice(FROM_MEMBER);
	assert_false(peer(FROM_MEMBER).up);
	m->incarnation++;
	m->instance[0]++;
	m->number = 0;
	stage_feed(&s, 0, FROM_MEMBER, datagram, member_hello(m, datagram));
	assert_true(m->has_session);
	stage_beat(&s, 0, NULL, 0, 0);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(peer(FROM_MEMBER).up);
	stage_refuse(&s, 0, FROM_MEMBER); /* an earlier one that comes late */
	stage_run(&s, BEAT / 2);
	assert_true(peer(FROM_MEMBER).up);
}

/* Others get a question with the first refusal, and have no news. */
CASE(leader_that_is_refused_is_lost)
{
	struct node_status status;

	kill_leader();
	stage_refuse(&s, 0, FROM_NODE);
	assert_true(s.members[0].heard.watch & WATCH_WANTED);
	stage_run(&s, PAUSE);
	stage_refuse(&s, 0, FROM_NODE);
	stage_run(&s, PAUSE / 2);
	status = stage_status(&s, 0);
	assert_int_not_equal(status.leader, 3);
	assert_int_equal(status.reason.kind, REASON_REFUSED);
	assert_int_equal(status.reason.node, 3);
}

/* The member says that it has heard of the leader since. */
CASE(leader_that_another_hears_is_kept)
{
	struct beacon beacon;

	kill_leader();
	beacon = s.members[0].said.beacon;
	assert_int_equal(beacon.leader.id, 3);
	beacon.number += 1;
	stage_refuse(&s, 0, FROM_NODE);
	stage_run(&s, PAUSE);
	stage_lead(&s, 0, &beacon, NULL);
	stage_refuse(&s, 0, FROM_NODE);
	stage_run(&s, PAUSE / 2);
	assert_false(peer(FROM_NODE).session);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	stage_run(&s, 2 * BEAT);
	assert_int_equal(stage_status(&s, 0).leader, 3);
}

/* The member, refused twice, says that it has no leader any more. */
CASE(two_peers_that_are_refused_believe_each_other)
{
	struct beacon beacon;

	s.is_beating = false;
	kill_leader();
	beacon = s.members[0].said.beacon;
	stage_lead(&s, 0, &beacon, NULL);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	stage_lead(&s, 0, &beacon, NULL);
	stage_refuse(&s, 0, FROM_NODE);
	stage_lead(&s, 0, &beacon, NULL);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(peer(FROM_NODE).session);
	assert_int_not_equal(stage_status(&s, 0).leader, 3);
	assert_int_equal(stage_status(&s, 0).reason.kind, REASON_REFUSED);
}

/* An election begins at once: nobody waits for the leader. */
CASE(peer_that_was_refused_once_is_believed_in_an_election)
{
	struct message m = { .kind = 0, .reason = { REASON_REFUSED, 3 } };
	uint8_t frames[128];
	struct writer w = writer_of(frames, sizeof(frames));

	s.is_beating = false;
	kill_leader();
	m.term = stage_status(&s, 0).term + 1;
	m.rank =
	    (struct rank){ .is_eligible = true, .is_contender = true, .id = 1 };
	member_write_message(&s.members[0], &w, &m);
	stage_refuse(&s, 0, FROM_NODE);
	stage_beat(&s, 0, frames, w.size, 1);
	assert_false(peer(FROM_NODE).session);
	assert_int_equal(peer(FROM_NODE).evidence, EVIDENCE_REFUSED);
}

/* Hosts refuse only one datagram a second, and that changes nothing. */
CASE(peer_that_refuses_gets_few_hellos)
{
	uint64_t sent;

	kill_leader();
	refuse_twice(FROM_NODE);
	sent = peer(FROM_NODE).sent;
	for (unsigned i = 1; i <= 3; i++) {
		stage_run(&s, 9 * BEAT);
		assert_int_equal(peer(FROM_NODE).sent, sent);
		while (peer(FROM_NODE).sent == sent)
			stage_run(&s, BEAT / 10);
		stage_refuse(&s, 0, FROM_NODE);
		sent = peer(FROM_NODE).sent;
	}
}

/* The peer was lost otherwise, but its host refuses datagrams now. */
CASE(hello_that_is_refused_is_not_soon_repeated)
{
	uint64_t sent;

	kill_leader();
	stage_run(&s, 5 * BEAT);
	assert_int_equal(peer(FROM_NODE).evidence, EVIDENCE_MISSED);
	sent = peer(FROM_NODE).sent;
	stage_run(&s, 3 * BEAT);
	assert_in_range(peer(FROM_NODE).sent - sent, 2, 4);
	stage_refuse(&s, 0, FROM_NODE);
	sent = peer(FROM_NODE).sent;
	stage_run(&s, 9 * BEAT);
	assert_int_equal(peer(FROM_NODE).sent, sent);
	stage_run(&s, 3 * BEAT);
	assert_in_range(peer(FROM_NODE).sent, sent + 1, sent + 3);
}

/* A node that gets a question about the leader asks the leader, but not each
 * time. */
CASE(leader_is_asked_on_behalf_of_a_peer_that_doubts_it)
{
	struct body body;
	uint64_t sent, number;

	s.is_beating = false;
	stage_run(&s, MSEC);
	stage_beat(&s, 0, NULL, 0, 0);
	number = s.members[0].said.beacon.number;
	sent = peer(FROM_NODE).sent;
	for (unsigned i = 0; i < 5; i++) {
		body = member_body(&s.members[0], s.now);
		body.watch = i % 2 == 0 ? WATCH_WANTED : 0;
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_say(&s.members[0], &body, NULL, 0, datagram));
	}
	assert_int_equal(peer(FROM_NODE).sent, sent + 1);
	assert_int_equal(s.members[0].said.beacon.leader.id, 3);
	assert_true(s.members[0].said.beacon.number > number);
}

/* In a world: measures from the death of the leader and its helper until all
 * others follow another, on hosts that refuse as often as that. */
static nsec_t
time_without_leader(uint64_t seed, unsigned refuses, enum reason_kind reason)
{
	struct world *w =
	    world_with((struct world_setup){ .nodes = 5, .seed = seed });
	nsec_t taken;

	w->network.refuses = refuses;
	world_begin(w);
	world_run(w, seed * 17 * MSEC);
	world_crash(w, 5);
	assert_settles_on(w, 4);
	for (process_name name = 1; name <= 4; name++)
		assert_int_equal(world_status(w, name).reason.kind, reason);
	taken = w->changes.settled_at - w->changes.fault_at;
	world_end(w);
	return taken;
}

TEST(leader_that_died_silently_is_followed_within_a_beat)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		assert_in_range(time_without_leader(seed, 1000, REASON_REFUSED),
		    MSEC, BEAT + BEAT / 10 + 2 * PAUSE);
		assert_in_range(time_without_leader(seed, 0, REASON_MISSED),
		    2 * BEAT, 5 * BEAT);
	}
}

/* A firewall between them begins to refuse both ways. */
TEST(leader_that_refuses_one_of_many_leads_on)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world *w = world_with(
		    (struct world_setup){ .nodes = 5, .seed = seed });
		const struct pending refusal = { .target = 1, .from = 5 };
		struct pending copy = refusal;
		uint64_t term;

		world_begin(w);
		world_run(w, seed * 17 * MSEC);
		term = world_status(w, 1).term;
		world_cut(w, 1, 5);
		process_refused(w, &copy);
		world_run(w, PAUSE + MSEC);
		process_refused(w, &copy);
		world_run(w, PAUSE / 2 + MSEC);
		assert_false(node_peer_status(w->processes[1].node, 3).session);
		world_settle(w);
		world_run(w, SEC);
		assert_leader(w, 5);
		assert_int_equal(world_status(w, 1).term, term);
		world_end(w);
	}
}
