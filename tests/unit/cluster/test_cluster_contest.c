/* SPDX-License-Identifier: ISC */
/*
 * Nodes that want to lead where another does, under "quorum". They look for a
 * majority by pre-votes before they begin an election, and a leader that is
 * outbid goes above that when it has time.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define MAJORITY 3
#define OUTBIDS  7 /* elections that answer them in two seconds, at most */

static struct stage s;
static struct said *const said = &s.members[0].said;

static bool
five_is_alone(struct world *w)
{
	return world_status(w, 5).reachable == 1;
}

/*
 * The host of node 5 stood still, with its clock, so node 5 still takes itself
 * for the leader. Its links are up only after some heartbeats. Sessions, and so
 * beacons and votes, come before that: node 5 must not elect itself alone, or
 * both would outbid each other (swarm seed 13039490).
 */
WORLD(better_one_that_comes_back_waits_for_its_links)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 5,
	    .algorithm = &algorithm_floodmax,
	    .guarantee = GUARANTEE_QUORUM,
	    .heartbeat = 20 * MSEC,
	    .lease = 500 * MSEC,
	});
	const struct process *p = &w->processes[5];

	world_begin(w);
	for (unsigned i = 0; i < 3; i++) {
		unsigned begun = p->observed.notices[NOTICE_ELECTION];
		nsec_t until = w->now + 20 * SEC;

		assert_leader(w, 5);
		world_freeze(w, 5);
		world_run(w, 3 * SEC);
		assert_int_equal(world_status(w, 4).leader, 4);
		world_resume(w, 5);
		assert_true(world_run_until(w, five_is_alone, SEC));
		while (world_status(w, 5).reachable < MAJORITY) {
			assert_int_equal(
			    p->observed.notices[NOTICE_ELECTION], begun);
			assert_true(w->now < until);
			assert_true(world_step(w));
		}
		world_settle(w);
	}
	assert_leader(w, 5);
}

/* Each time that it requests votes, a voter has promised a later term. It keeps
 * the lead, and its elections must not keep the cluster busy. */
STAGE_CASE(leader_that_is_outbid_without_end_begins_few_elections,
    quorum_enter_leader, &s)
{
	unsigned begun = s.notices[NOTICE_ELECTION];
	nsec_t until = s.now + 2 * SEC;

	while (s.now < until) {
		stage_vote(&s, 0,
		    &(struct vote_response){
			.term = said->request.term,
			.sent = said->request.sent,
			.denial = DENIAL_PROMISED,
			.promised = said->request.term + 1,
		    });
		stage_run(&s, STAGE_BEAT);
		assert_int_equal(stage_status(&s, 0).leader, 2);
	}
	assert_in_range(s.notices[NOTICE_ELECTION] - begun, 1, OUTBIDS);
}
