/* SPDX-License-Identifier: ISC */
/*
 * How long a node may take another for the leader: what the leader tells
 * others, what a follower makes of that, and how a leader hands over to a
 * better node.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#define TERM  99
#define VALID (1100 * MSEC) /* told; on a clock that may be fast: */
#define SURE  (VALID / 11 * 9)

static struct stage s;
static struct said *const said = &s.members[0].said;

/* Nobody leads: the member grants nothing. The node prefers the member. */
static int
enter(void **state)
{
	(void)state;
	quorum_set(&s);
	s.setups[0].prefer = PREFER_LOWEST;
	quorum_begin(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	return 0;
}

/* The member says that it leads; a lease_left says for how long. */
static void
lead(uint64_t term, uint64_t number, const struct lease_left *lease_left)
{
	struct beacon beacon = member_beacon(&s.members[0], term, number);

	stage_lead(&s, 0, &beacon, lease_left);
}

static nsec_t
sent_at(void)
{
	return s.members[0].heard.timestamp * USEC;
}

/* Sends one more beacon, which counts for a moment. */
static void
lead_briefly(uint64_t term, uint64_t number)
{
	struct lease_left t = member_lease_left(
	    &s.members[0], (s.now - sent_at() + 10 * MSEC) / 9 * 11 + MSEC);

	lead(term, number, &t);
}

#define CASE(name)   STAGE_CASE(name, enter, &s)
#define LEADER(name) STAGE_CASE(name, quorum_enter_leader, &s)

CASE(leader_without_a_lease_left_is_not_believed)
{
	lead(TERM, 1, NULL);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(stage_status(&s, 0).until, 0);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
}

/* The follower assumes the worst of both clocks, and counts from the question,
 * not the answer. */
CASE(follower_counts_a_lease_left_from_its_own_datagram)
{
	struct lease_left t = member_lease_left(&s.members[0], VALID);
	nsec_t until = sent_at() + SURE;

	s.now += 5 * MSEC;
	lead(TERM, 1, &t);
	assert_int_equal(stage_status(&s, 0).until, until);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), until);
	for (uint64_t number = 2; s.now + 65 * MSEC < until; number++) {
		stage_run(&s, 50 * MSEC);
		lead_briefly(TERM, number);
	}
	/* The answer is computed, so the node need not run for it. */
	s.now = until - 1;
	assert_int_equal(stage_status(&s, 0).leader, 1);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), until);
	s.now = until;
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
}

/* The leader goes on with its beacons, but its lease is not renewed. */
CASE(follower_gives_up_when_the_lease_left_is_over)
{
	struct lease_left t = member_lease_left(&s.members[0], VALID);

	lead(TERM, 1, &t);
	for (uint64_t number = 2; number < 16; number++) {
		stage_run(&s, 50 * MSEC);
		lead_briefly(TERM, number);
	}
	assert_int_equal(stage_status(&s, 0).leader, 1);
	for (uint64_t number = 16; number < 24; number++)
		stage_run(&s, 50 * MSEC);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_LEASE);
	assert_int_equal(s.lead.reason.node, 1);
}

/* The daemon may still have clients when its node has stopped. */
CASE(stopped_follower_tells_of_no_leader_when_the_lease_left_is_over)
{
	struct lease_left t = member_lease_left(&s.members[0], VALID);

	lead(TERM, 1, &t);
	stage_stop(&s, 0);
	assert_true(node_stopped(s.nodes[0]));
	assert_int_equal(stage_status(&s, 0).leader, 1);
	s.now += QUORUM_LEASE;
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
}

CASE(lease_left_is_never_shortened)
{
	struct lease_left t = member_lease_left(&s.members[0], VALID),
			  shorter = member_lease_left(&s.members[0], VALID / 2);
	nsec_t until = sent_at() + SURE;

	lead(TERM, 1, &t);
	lead(TERM, 2, &shorter);
	assert_int_equal(stage_status(&s, 0).until, until);
	t.valid_us += 11000;
	lead(TERM, 3, &t);
	assert_int_equal(stage_status(&s, 0).until, until + 9 * MSEC);
	/* The lease left of an earlier beacon changes nothing. */
	t.valid_us += 11000;
	lead(TERM, 2, &t);
	assert_int_equal(stage_status(&s, 0).until, until + 9 * MSEC);
}

/* Nobody asked at that time: the timestamp lies ahead. */
CASE(lease_left_of_a_timestamp_that_was_not_given_counts_for_nothing)
{
	struct lease_left t = member_lease_left(&s.members[0], VALID);

	t.timestamp += 1000000;
	lead(TERM, 1, &t);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(stage_status(&s, 0).until, 0);
}

/* The lease left is for another process of the leader's, or another term. */
CASE(lease_left_belongs_to_the_leader_it_came_with)
{
	struct lease_left t = member_lease_left(&s.members[0], VALID);
	struct beacon other;
	nsec_t until;

	lead_briefly(TERM, 1);
	until = stage_status(&s, 0).until;
	assert_true(until > s.now);
	lead(TERM - 1, 2, &t);
	assert_int_equal(stage_status(&s, 0).until, until);
	other = member_beacon(&s.members[0], TERM, 3);
	other.leader.id = 3;
	stage_lead(&s, 0, &other, &t);
	assert_int_equal(stage_status(&s, 0).until, until);
	other = member_beacon(&s.members[0], TERM, 4);
	other.incarnation++;
	stage_lead(&s, 0, &other, &t);
	assert_int_equal(stage_status(&s, 0).until, until);
	assert_int_equal(stage_status(&s, 0).leader, 1);
	lead(TERM + 1, 3, &t);
	assert_int_equal(stage_status(&s, 0).until, t.timestamp * USEC + SURE);
	/* A later term's lease is its own, though it ends earlier. */
	lead_briefly(TERM + 2, 4);
	assert_true(stage_status(&s, 0).until < t.timestamp * USEC + SURE);
}

/* The leader tells the rest of the lease, and never more. */
LEADER(leader_tells_less_than_it_has)
{
	nsec_t told;

	said->has_lease_left = false;
	for (int i = 0; i < 300 && !said->has_lease_left; i++)
		stage_run(&s, MSEC);
	assert_true(said->has_lease_left);
	told = said->lease_left.timestamp * USEC +
	       (nsec_t)said->lease_left.valid_us * USEC;
	assert_true(told > s.now);
	assert_true(told <= stage_status(&s, 0).until);
}

/* The longest lease that may be configured is four hours. */
STAGE_CASE(leader_tells_no_more_than_can_be_written, NULL, &s)
{
	quorum_set(&s);
	s.setups[0].timing.lease = 4 * 3600 * SEC;
	stage_start(&s);
	s.now += s.setups[0].timing.lease;
	stage_join(&s, 0);
	s.is_beating = s.is_granting = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(said->has_lease_left);
	assert_true(said->lease_left.valid_us == UINT32_MAX);
}

/* A word's age rests on the time of day, which a lease never does. */
LEADER(word_that_waited_makes_no_lease_left_longer)
{
	s.age = 180 * MSEC;
	stage_run(&s, SEC);
	leader_tells_less_than_it_has(state);
}

/* The node grants, and names the node that asks in vain, and its term. */
static void
grant_with_rival(node_id id, uint64_t term)
{
	struct vote_response v = {
		.rival = { .is_eligible = true, .is_contender = true, .id = id }
	};

	s.is_granting = false;
	said->has_request = false;
	for (int i = 0; i < 300 && !said->has_request; i++)
		stage_run(&s, MSEC);
	v.term = said->request.term;
	v.promised = v.term;
	v.rival_term = term;
	v.sent = said->request.sent;
	stage_vote(&s, 0, &v);
}

LEADER(leader_hands_over_for_a_better_one_that_asks_in_vain)
{
	unsigned releases = said->releases;

	grant_with_rival(3, stage_status(&s, 0).term + 1);
	/* The node hands over until that one has its promise, or does not come.
	 */
	assert_int_equal(stage_status(&s, 0).leader, 2);
	stage_run(&s, 3 * STAGE_BEAT);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_PREEMPT);
	assert_int_equal(s.lead.reason.node, 2);
	stage_run(&s, STAGE_BEAT + STAGE_BEAT / 4);
	assert_true(said->releases > releases);
}

LEADER(leader_does_not_hand_over_to_a_worse_one)
{
	grant_with_rival(1, stage_status(&s, 0).term);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stage_run(&s, STAGE_BEAT);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* The worse leader won without us, and will follow no leader of an earlier
 * term. */
LEADER(leader_that_meets_a_worse_one_of_a_later_term_goes_above_it)
{
	uint64_t term = stage_status(&s, 0).term;

	grant_with_rival(1, term + 5);
	s.is_granting = true;
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(stage_status(&s, 0).term > term + 5);
	assert_int_equal(s.lead.kind, NOTICE_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_MERGE);
	assert_int_equal(s.lead.reason.node, 1);
}

/* Bully: the member says that it has won. */
static void
win(uint64_t term)
{
	struct message coordinator = { .kind = 2,
		.term = term,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	uint8_t frames[FRAME_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	member_write_message(&s.members[0], &w, &coordinator);
	stage_beat(&s, 0, w.start, w.size, 1);
}

/* The algorithm only nominates: nobody follows the winner until it leads. */
STAGE_CASE(leader_that_loses_an_election_hands_over, NULL, &s)
{
	uint64_t term;

	quorum_set(&s);
	s.setups[0].prefer = PREFER_LOWEST;
	s.members[0].is_abstaining = s.is_granting = true;
	quorum_begin(&s, 8 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	term = stage_status(&s, 0).term;
	s.members[0].is_abstaining = s.is_granting = false;
	win(term + 1);
	stage_run(&s, 3 * STAGE_BEAT);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_PREEMPT);
	assert_int_equal(s.lead.reason.node, 2);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	lead_briefly(term + 1, 1);
	assert_int_equal(stage_status(&s, 0).leader, 1);
}

STAGE_CASE(nominee_that_learns_of_a_leader_requests_no_more_votes, NULL, &s)
{
	uint64_t term;

	quorum_set(&s);
	s.setups[0].prefer = PREFER_LOWEST;
	s.members[0].is_abstaining = true;
	quorum_begin(&s, 3 * SEC);
	assert_true(said->requests > 0);
	term = stage_status(&s, 0).term;
	s.members[0].is_abstaining = false;
	said->requests = 0;
	for (uint64_t number = 1; number <= 10; number++) {
		struct lease_left t = member_lease_left(&s.members[0], VALID);

		lead(term + 1, number, &t);
		stage_run(&s, STAGE_BEAT);
	}
	assert_int_equal(said->requests, 0);
	assert_int_equal(stage_status(&s, 0).leader, 1);
	assert_int_equal(stage_status(&s, 0).term, term + 1);
}

/* The nominee's own voter is bound to the member; then the member gives up. */
STAGE_CASE(nominee_asks_again_as_soon_as_a_holder_gives_up, quorum_enter, &s)
{
	const struct vote_request c = { .term = 50, .sent = 1 };

	quorum_request(&s, &c);
	assert_int_equal(said->vote.denial, DENIAL_NONE);
	stage_run(&s, SEC);
	assert_true(said->request.term > 50);
	said->requests = 0;
	said->has_request = false;
	quorum_release(&s, 50);
	assert_int_equal(said->requests, 1);
	assert_true(said->request.is_prevote);
	s.is_granting = true;
	stage_grant(&s, 0);
	stage_grant(&s, 0);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

/* A client relies on it until then. */
LEADER(leader_hands_over_after_its_last_deadline)
{
	unsigned releases = said->releases;
	nsec_t until = node_hand_out(s.nodes[0], s.now);

	assert_true(until > s.now);
	grant_with_rival(3, stage_status(&s, 0).term + 1);
	grant_with_rival(4, stage_status(&s, 0).term + 1);
	s.is_granting = true;
	while (s.now < until) {
		assert_int_equal(stage_status(&s, 0).leader, 2);
		assert_int_equal(said->releases, releases);
		assert_int_equal(node_hand_out(s.nodes[0], s.now), until);
		stage_run(&s, MSEC);
	}
	assert_int_equal(node_hand_out(s.nodes[0], s.now), 0);
	s.is_granting = false;
	stage_run(&s, 3 * STAGE_BEAT);
	assert_int_equal(s.lead.kind, NOTICE_NO_LEADER);
	assert_int_equal(s.lead.reason.kind, REASON_PREEMPT);
	assert_int_equal(s.lead.reason.node, 2);
}
