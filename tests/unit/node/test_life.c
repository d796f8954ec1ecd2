/* SPDX-License-Identifier: ISC */
/*
 * How far a process takes part. A process that is ending neither listens nor
 * takes part again, whatever happens to it. Node 2 is under the guarantee
 * "quorum"; tests/lib/ballot.h has more about it.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#define ASLEEP (10 * SEC) /* after such a stall its peers have given it up */

static struct ballot b;

/* Does not run the process for a while. */
static void
stall(void)
{
	unsigned stalls = b.notices[NOTICE_STALLED];

	b.now += ASLEEP;
	ballot_run(&b, BALLOT_BEAT);
	assert_int_equal(b.notices[NOTICE_STALLED], stalls + 1);
}

#define CASE(name, enter) BALLOT_CASE(name, enter, &b)

CASE(process_that_was_given_up_listens_again, ballot_enter_leader)
{
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	stall();
	assert_int_equal(ballot_status(&b).state, STATE_STARTING);
	ballot_join(&b);
	ballot_run(&b, 3 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
}

CASE(leader_that_was_given_up_while_it_leaves_stops, ballot_enter_leader)
{
	ballot_stop(&b);
	assert_true(ballot_status(&b).is_leaving);
	assert_false(node_stopped(b.node));
	stall();
	assert_false(ballot_status(&b).is_leaving);
	assert_true(node_stopped(b.node));
}

CASE(stopped_process_does_nothing_more, ballot_enter)
{
	unsigned sent;

	ballot_stop(&b);
	ballot_run(&b, SEC);
	assert_true(node_stopped(b.node));
	sent = b.sent;
	b.now += ASLEEP;
	ballot_run(&b, 3 * SEC);
	assert_true(node_stopped(b.node));
	assert_true(node_deadline(b.node) == NSEC_NEVER);
	assert_int_equal(ballot_elect(&b), 0);
	assert_int_equal(ballot_resign(&b, NODE_NONE), RESIGN_NO_LEADER);
	ballot_declare_dead(&b);
	ballot_stop(&b);
	assert_true(node_stopped(b.node));
	assert_int_equal(b.sent, sent);
}
