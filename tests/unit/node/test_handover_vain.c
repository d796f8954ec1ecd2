/* SPDX-License-Identifier: ISC */
/*
 * Handovers under "quorum" that fail: which node keeps the lead, and what
 * others still know of them.
 */
#include "tests/lib/ballot.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define LEASE_LEFT (200 * MSEC) /* of the member, when it leads */

static struct ballot b;

/* Its elections were outbid, so it begins none for a while. */
BALLOT_CASE(
    leader_that_paused_before_it_resigned_leads_on, ballot_enter_leader, &b)
{
	unsigned begun = b.notices[NOTICE_ELECTION];
	nsec_t until;

	while (b.notices[NOTICE_ELECTION] < begun + 5) {
		ballot_vote(&b, &(struct vote_response){
				    .term = b.said.request.term,
				    .sent = b.said.request.sent,
				    .denial = DENIAL_PROMISED,
				    .promised = b.said.request.term + 1,
				});
		ballot_run(&b, BALLOT_BEAT / 2);
	}
	assert_int_equal(ballot_resign(&b, NODE_NONE), RESIGN_BEGUN);
	b.is_abstaining = true;
	for (until = b.now + 2 * SEC; b.now < until;) {
		ballot_run(&b, 5 * MSEC);
		assert_int_equal(ballot_status(&b).leader, 2);
	}
	assert_false(ballot_status(&b).standby.is_on);
}

/* The others of the ring only vote; the node has no link to most, but hears
 * them. */
WORLD(resignation_in_a_ring_of_voters_is_refused)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 5,
	    .guarantee = GUARANTEE_QUORUM,
	    .topology = TOPOLOGY_RING,
	    .algorithm = &algorithm_chang_roberts,
	});

	for (process_name name = 1; name < 5; name++)
		w->processes[name].role = ROLE_VOTER;
	world_begin(w);
	world_run(w, SEC);
	assert_int_equal(world_resign(w, 5, NODE_NONE), RESIGN_NOBODY);
	assert_leader(w, 5);
}

/* The member leads, and sends this. */
static void
tell(struct beacon *beacon)
{
	uint8_t frames[2 * FRAME_BYTES + BEACON_BYTES + LEASE_LEFT_BYTES];
	uint8_t bytes[LEASE_LEFT_BYTES];
	struct packet_frame frame = { FRAME_LEASE_LEFT, 0, bytes,
		sizeof(bytes) };
	struct writer w = writer_of(frames, sizeof(frames));
	struct writer t = writer_of(bytes, sizeof(bytes));

	beacon->number++;
	member_write_beacon(&w, beacon);
	lease_left_encode(&t, &(struct lease_left){ b.member.heard.timestamp,
				  LEASE_LEFT / USEC });
	frame_encode(&w, &frame);
	ballot_say(&b, &w, 2);
}

static int
enter_follower(void **state)
{
	(void)state;
	ballot_set(&b);
	b.setup.preempt = PREEMPT_NEVER;
	b.is_abstaining = true;
	ballot_begin(&b, 3 * SEC);
	return 0;
}

/* A successor has the right to displace a leader, but not one that no longer
 * wants to hand over. */
BALLOT_CASE(named_successor_requests_no_votes_when_the_leader_leads_on,
    enter_follower, &b)
{
	struct beacon beacon = {
		.term = ballot_status(&b).term + 50,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 1 },
		.incarnation = b.member.incarnation,
		.hands_over = true,
		.successor = 2,
		.is_named = true,
	};
	unsigned begun;

	tell(&beacon);
	ballot_await_request(&b);
	ballot_vote(&b, &(struct vote_response){
			    .term = b.said.request.term,
			    .sent = b.said.request.sent,
			    .is_prevote = true,
			    .denial = DENIAL_PROMISED,
			    .promised = b.said.request.term + 3,
			});
	beacon.hands_over = beacon.is_named = false;
	beacon.successor = NODE_NONE;
	b.is_abstaining = false;
	begun = b.notices[NOTICE_ELECTION];
	for (unsigned i = 0; i < 100; i++) {
		ballot_run(&b, 10 * MSEC);
		tell(&beacon);
	}
	assert_int_equal(ballot_status(&b).leader, 1);
	assert_int_equal(b.notices[NOTICE_ELECTION], begun);
}
