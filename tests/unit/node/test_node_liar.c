/* SPDX-License-Identifier: ISC */
/*
 * The limits of what one member that lies can do under "quorum", as electd(8),
 * CAVEATS, states them. Two nodes do not hear each other; each has a member of
 * the same id, so that it may tell each another thing.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#define LONG (20 * SEC) /* ten leases */

static struct stage two, three; /* the node of each is that one */

static void
set(struct stage *b, node_id self, node_id other, enum role role)
{
	quorum_set(b);
	b->setups[0].self = self;
	b->configured[0][0].role = role;
	b->configured[0][1].id = other;
	b->members[0].to = self;
	b->is_granting = b->is_beating = true;
}

static void
begin(enum role role)
{
	set(&two, 2, 3, role);
	set(&three, 3, 2, role);
	stage_start(&two);
	stage_start(&three);
	stage_run(&two, 0);
	stage_run(&three, 0);
	stage_join(&two, 0);
	stage_join(&three, 0);
}

static void
end(void)
{
	stage_strike(&two);
	stage_strike(&three);
}

/* Each has its own vote and that of the member: two of three. The term is the
 * same for both. */
TEST(voter_that_grants_twice_makes_two_leaders_of_one_term)
{
	struct node_status a, b;

	begin(ROLE_CANDIDATE);
	stage_run(&two, 5 * SEC);
	stage_run(&three, 5 * SEC);
	a = stage_status(&two, 0);
	b = stage_status(&three, 0);
	assert_int_equal(a.state, STATE_LEADER);
	assert_int_equal(b.state, STATE_LEADER);
	assert_int_equal(a.term, b.term);
	end();
}

/* The member grants as eagerly, but has no vote: no node hears a majority. */
TEST(observer_makes_no_leader)
{
	begin(ROLE_OBSERVER);
	stage_run(&two, LONG);
	stage_run(&three, LONG);
	assert_int_equal(two.notices[NOTICE_LEADER], 0);
	assert_int_equal(three.notices[NOTICE_LEADER], 0);
	end();
}

static void
request_for(struct stage *b, nsec_t duration, struct vote_request request)
{
	for (nsec_t until = b->now + duration; b->now < until;) {
		request.sent = b->now;
		quorum_request(b, &request);
		stage_run(b, STAGE_BEAT);
	}
}

/* The nominee requests votes with each heartbeat and never leads; as soon as
 * it stops, all is well. */
TEST(candidate_that_never_leads_holds_all_others_off)
{
	begin(ROLE_CANDIDATE);
	request_for(&two, LONG, (struct vote_request){ .term = 100 });
	assert_int_equal(two.notices[NOTICE_LEADER], 0);
	stage_run(&two, 3 * QUORUM_LEASE);
	assert_int_equal(stage_status(&two, 0).state, STATE_LEADER);
	assert_true(stage_status(&two, 0).term > 100);
	end();
}

/* The observer requests votes with each heartbeat, but the only voter still has
 * its own vote. The test is about requests; endless terms that others begin
 * because of the observer are another matter. */
TEST(observer_that_requests_votes_holds_no_candidate_off)
{
	set(&two, 2, 3, ROLE_OBSERVER);
	two.configured[0][1].role = ROLE_OBSERVER;
	stage_start(&two);
	stage_run(&two, 0);
	stage_join(&two, 0);
	request_for(&two, LONG, (struct vote_request){ .term = 100 });
	assert_int_equal(two.members[0].said.votes, 0);
	assert_int_equal(two.durable.promise.owner.id, 2);
	assert_int_equal(two.notices[NOTICE_LEADER], 1);
	assert_int_equal(two.notices[NOTICE_NO_LEADER], 0);
	assert_int_equal(stage_status(&two, 0).state, STATE_LEADER);
	assert_true(stage_status(&two, 0).term < 100);
	stage_strike(&two);
}

/* The member, node 1, tells node 2 once that node 3 leads, by a beacon with
 * this number that it claims to have heard over so many hops. */
static void
misquote(struct stage *s, uint64_t number, uint16_t hops)
{
	struct beacon beacon = {
		.term = stage_status(s, 0).term,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 3 },
		.incarnation = s->setups[1].durable.incarnation,
		.number = number,
		.hops = hops,
	};
	struct lease_left left =
	    member_lease_left(&s->members[0], QUORUM_LEASE);

	stage_lead(s, 0, &beacon, &left);
}

static void
assert_lie_deposes_nobody(enum guarantee guarantee, uint16_t hops)
{
	static struct stage s;

	stage_set(&s, 2);
	for (unsigned i = 0; i < 2; i++) {
		s.setups[i].guarantee = guarantee;
		s.setups[i].timing.lease = QUORUM_LEASE;
	}
	stage_begin(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	s.notices[NOTICE_NO_LEADER] = 0;
	misquote(&s, UINT64_MAX, hops);
	stage_run(&s, LONG);
	assert_int_equal(stage_status(&s, 0).leader, 3);
	assert_int_equal(stage_status(&s, 1).leader, 3);
	assert_int_equal(s.notices[NOTICE_NO_LEADER], 0);
	stage_strike(&s);
}

/* A node believes the leader's own beacons more than what a peer says of
 * them. So it does not take the next ones for old. */
TEST(beacon_number_that_a_member_invents_deposes_nobody)
{
	assert_lie_deposes_nobody(GUARANTEE_QUORUM, 1);
	assert_lie_deposes_nobody(GUARANTEE_COMPONENT, 1);
}

/* The member does not pass for the leader itself either. */
TEST(beacon_without_hops_of_another_than_its_leader_deposes_nobody)
{
	assert_lie_deposes_nobody(GUARANTEE_QUORUM, 0);
	assert_lie_deposes_nobody(GUARANTEE_COMPONENT, 0);
}
