/* SPDX-License-Identifier: ISC */
/*
 * How far a process takes part. A process that is ending neither listens nor
 * takes part again, whatever happens to it. Node 2 is under the guarantee
 * "quorum"; tests/lib/stage_quorum.h has more about it.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#define ASLEEP (10 * SEC) /* after such a stall its peers have given it up */

static struct stage s;

/* Does not run the process for a while. */
static void
stall(void)
{
	unsigned stalls = s.notices[NOTICE_STALLED];

	s.now += ASLEEP;
	stage_run(&s, STAGE_BEAT);
	assert_int_equal(s.notices[NOTICE_STALLED], stalls + 1);
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(process_that_was_given_up_listens_again, quorum_enter_leader)
{
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stall();
	assert_int_equal(stage_status(&s, 0).state, STATE_STARTING);
	stage_join(&s, 0);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

CASE(leader_that_was_given_up_while_it_leaves_stops, quorum_enter_leader)
{
	stage_stop(&s, 0);
	assert_true(stage_status(&s, 0).is_leaving);
	assert_false(node_stopped(s.nodes[0]));
	stall();
	assert_false(stage_status(&s, 0).is_leaving);
	assert_true(node_stopped(s.nodes[0]));
}

CASE(stopped_process_does_nothing_more, quorum_enter)
{
	size_t sent;

	stage_stop(&s, 0);
	stage_run(&s, SEC);
	assert_true(node_stopped(s.nodes[0]));
	sent = s.bytes_sent;
	s.now += ASLEEP;
	stage_run(&s, 3 * SEC);
	assert_true(node_stopped(s.nodes[0]));
	assert_true(node_deadline(s.nodes[0]) == NSEC_NEVER);
	assert_int_equal(stage_elect(&s, 0), 0);
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_NO_LEADER);
	stage_declare_dead(&s, 0);
	stage_stop(&s, 0);
	assert_true(node_stopped(s.nodes[0]));
	assert_int_equal(s.bytes_sent, sent);
}

CASE(stopped_process_takes_no_input, quorum_enter)
{
	const struct pull pull = {
		.kind = PULL_EVENTS,
		.count = 1,
		.path = { s.setups[0].self },
	};
	size_t sent;

	stage_stop(&s, 0);
	stage_run(&s, SEC);
	assert_true(node_stopped(s.nodes[0]));
	sent = s.bytes_sent;
	node_change_keys(s.nodes[0], s.now, &s.setups[0].keys);
	node_refuse(s.nodes[0], s.now, &s.setups[0].config_id);
	node_tell_removed(s.nodes[0], s.now, &s.setups[0]);
	node_take_back(s.nodes[0], s.now, 0);
	node_set_carrier(s.nodes[0], s.now, false);
	assert_false(node_pull(s.nodes[0], s.now, &pull));
	stage_perform(&s, 0);
	assert_int_equal(s.answers[0], 0);
	assert_int_equal(s.bytes_sent, sent);
	assert_true(node_deadline(s.nodes[0]) == NSEC_NEVER);
}
