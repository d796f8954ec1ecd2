/* SPDX-License-Identifier: ISC */
/*
 * Handovers under "quorum" that fail: which node keeps the lead, and what
 * others still know of them.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define LEASE_LEFT (200 * MSEC) /* of the member, when it leads */

static struct stage s;
static struct said *const said = &s.members[0].said;

/* The leader's elections were outbid, so it begins none for a while. */
STAGE_CASE(
    leader_that_paused_before_it_resigned_leads_on, quorum_enter_leader, &s)
{
	unsigned begun = s.notices[NOTICE_ELECTION];
	nsec_t until;

	while (s.notices[NOTICE_ELECTION] < begun + 5) {
		quorum_deny(&s, DENIAL_PROMISED, said->request.term + 1);
		stage_run(&s, STAGE_BEAT / 2);
	}
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	s.members[0].is_abstaining = true;
	for (until = s.now + 2 * SEC; s.now < until;) {
		stage_run(&s, 5 * MSEC);
		assert_int_equal(stage_status(&s, 0).leader, 2);
	}
	assert_false(stage_status(&s, 0).standby.is_on);
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
	struct lease_left left = member_lease_left(&s.members[0], LEASE_LEFT);

	beacon->number++;
	stage_lead(&s, 0, beacon, &left);
}

static int
enter_follower(void **state)
{
	(void)state;
	quorum_set(&s);
	s.setups[0].preempt = PREEMPT_NEVER;
	s.members[0].is_abstaining = true;
	quorum_begin(&s, 3 * SEC);
	return 0;
}

/* A successor has the right to displace a leader, but not one that no longer
 * wants to hand over. */
STAGE_CASE(named_successor_requests_no_votes_when_the_leader_leads_on,
    enter_follower, &s)
{
	struct beacon beacon = {
		.term = stage_status(&s, 0).term + 50,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 1 },
		.incarnation = s.members[0].incarnation,
		.hands_over = true,
		.successor = 2,
		.is_named = true,
	};
	unsigned begun;

	tell(&beacon);
	quorum_await_request(&s);
	quorum_deny(&s, DENIAL_PROMISED, said->request.term + 3);
	beacon.hands_over = beacon.is_named = false;
	beacon.successor = NODE_NONE;
	s.members[0].is_abstaining = false;
	begun = s.notices[NOTICE_ELECTION];
	for (unsigned i = 0; i < 100; i++) {
		stage_run(&s, 10 * MSEC);
		tell(&beacon);
	}
	assert_int_equal(stage_status(&s, 0).leader, 1);
	assert_int_equal(s.notices[NOTICE_ELECTION], begun);
}
