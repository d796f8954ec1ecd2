/* SPDX-License-Identifier: ISC */
/*
 * The limits of what one member that lies can do under "quorum", as electd(8),
 * CAVEATS, states them. Two nodes do not hear each other; each has a member of
 * the same id, so that it may tell each another thing.
 */
#include "tests/lib/ballot.h"
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#define LONG (20 * SEC) /* ten leases */

static struct ballot two, three; /* the node of each is that one */

static void
set(struct ballot *b, node_id self, node_id other, enum role role)
{
	ballot_set(b);
	b->setup.self = self;
	b->peers[0].role = role;
	b->peers[1].id = other;
	member_init(&b->member, 1, self, b->setup.key);
	b->is_granting = true;
}

static void
begin(enum role role)
{
	set(&two, 2, 3, role);
	set(&three, 3, 2, role);
	ballot_start(&two);
	ballot_start(&three);
	ballot_run(&two, 0);
	ballot_run(&three, 0);
	ballot_join(&two);
	ballot_join(&three);
}

static void
end(void)
{
	ballot_strike(&two);
	ballot_strike(&three);
}

/* Each has its own vote and that of the member: two of three. The term is the
 * same for both. */
TEST(voter_that_grants_twice_makes_two_leaders_of_one_term)
{
	struct node_status a, b;

	begin(ROLE_CANDIDATE);
	ballot_run(&two, 5 * SEC);
	ballot_run(&three, 5 * SEC);
	a = ballot_status(&two);
	b = ballot_status(&three);
	assert_int_equal(a.state, STATE_LEADER);
	assert_int_equal(b.state, STATE_LEADER);
	assert_int_equal(a.term, b.term);
	end();
}

/* The member grants as eagerly, but has no vote: no node hears a majority. */
TEST(observer_makes_no_leader)
{
	begin(ROLE_OBSERVER);
	ballot_run(&two, LONG);
	ballot_run(&three, LONG);
	assert_int_equal(two.notices[NOTICE_LEADER], 0);
	assert_int_equal(three.notices[NOTICE_LEADER], 0);
	end();
}

static void
request_for(struct ballot *b, nsec_t duration, struct vote_request request)
{
	for (nsec_t until = b->now + duration; b->now < until;) {
		request.sent = b->now;
		ballot_request(b, &request);
		ballot_run(b, BALLOT_BEAT);
	}
}

/* It requests votes with each heartbeat and never leads; as soon as it stops,
 * all is well. */
TEST(candidate_that_never_leads_holds_all_others_off)
{
	begin(ROLE_CANDIDATE);
	request_for(&two, LONG, (struct vote_request){ .term = 100 });
	assert_int_equal(two.notices[NOTICE_LEADER], 0);
	ballot_run(&two, 3 * BALLOT_LEASE);
	assert_int_equal(ballot_status(&two).state, STATE_LEADER);
	assert_true(ballot_status(&two).term > 100);
	end();
}

/* It requests as often, but the only voter still has its own vote. This is
 * about requests; endless terms that others begin because of it are another
 * matter. */
TEST(observer_that_requests_votes_holds_no_candidate_off)
{
	set(&two, 2, 3, ROLE_OBSERVER);
	two.peers[1].role = ROLE_OBSERVER;
	ballot_start(&two);
	ballot_run(&two, 0);
	ballot_join(&two);
	request_for(&two, LONG, (struct vote_request){ .term = 100 });
	assert_int_equal(two.votes, 0);
	assert_int_equal(two.durable.promise.owner.id, 2);
	assert_int_equal(two.notices[NOTICE_LEADER], 1);
	assert_int_equal(two.notices[NOTICE_NO_LEADER], 0);
	assert_int_equal(ballot_status(&two).state, STATE_LEADER);
	assert_true(ballot_status(&two).term < 100);
	ballot_strike(&two);
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
	uint8_t frames[2 * FRAME_BYTES + BEACON_BYTES + LEASE_LEFT_BYTES];
	uint8_t bytes[LEASE_LEFT_BYTES];
	struct packet_frame frame = { FRAME_LEASE_LEFT, 0, bytes,
		sizeof(bytes) };
	struct writer w = writer_of(frames, sizeof(frames));
	struct writer t = writer_of(bytes, sizeof(bytes));

	lease_left_encode(
	    &t, &(struct lease_left){
		    s->members[0].heard.timestamp, BALLOT_LEASE / USEC });
	member_write_beacon(&w, &beacon);
	frame_encode(&w, &frame);
	stage_beat(s, 0, frames, w.size, 2);
}

static void
assert_lie_deposes_nobody(enum guarantee guarantee, uint16_t hops)
{
	static struct stage s;

	stage_set(&s, 2);
	for (unsigned i = 0; i < 2; i++) {
		s.setups[i].guarantee = guarantee;
		s.setups[i].timing.lease = BALLOT_LEASE;
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
