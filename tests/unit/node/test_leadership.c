/* SPDX-License-Identifier: ISC */
/*
 * The reasons why a node may not lead, and which of two goes first. Node 2 is
 * under the guarantee "quorum"; tests/lib/stage_quorum.h has more about it.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

static struct stage s;

static void
assert_eligibility(enum eligibility wanted, const char *name)
{
	struct node_status status = stage_status(&s, 0);
	const char *said = eligibility_name(status.eligibility);

	assert_int_equal(status.eligibility, wanted);
	assert_int_equal(node_eligibility(s.nodes[0], s.now), wanted);
	if (name == NULL)
		assert_null(said);
	else
		assert_string_equal(said, name);
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(node_that_hears_no_majority_may_not_lead, NULL)
{
	quorum_set(&s);
	stage_start(&s);
	assert_eligibility(INELIGIBLE_NO_QUORUM, "no-quorum");
	stage_join(&s, 0);
	s.is_beating = true;
	stage_run(&s, STAGE_BEAT);
	assert_eligibility(ELIGIBLE, NULL);
}

CASE(node_whose_state_is_lost_may_not_lead, NULL)
{
	quorum_set(&s);
	s.setups[0].state_health = STATE_HEALTH_LOST;
	quorum_begin(&s, SEC);
	assert_eligibility(INELIGIBLE_STATE_FILE, "state-file");
}

/* The role goes first, since an operator can change it only by the
 * configuration. */
CASE(voter_may_not_lead, NULL)
{
	quorum_set(&s);
	s.setups[0].role = ROLE_VOTER;
	s.setups[0].state_health = STATE_HEALTH_LOST;
	stage_start(&s);
	assert_eligibility(INELIGIBLE_ROLE, "role");
}

CASE(node_whose_id_is_in_use_twice_may_not_lead, quorum_enter_leader)
{
	assert_eligibility(ELIGIBLE, NULL);
	s.members[0].is_denouncing = true;
	stage_run(&s, STAGE_BEAT);
	assert_eligibility(INELIGIBLE_DUPLICATE, "duplicate");
}

CASE(leader_that_resigned_may_not_lead_again, quorum_enter_leader)
{
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_eligibility(INELIGIBLE_STANDBY, "standby");
	stage_stand(&s, 0);
	assert_eligibility(INELIGIBLE_HANDS_OVER, "handing-over");
	stage_run(&s, 2 * QUORUM_LEASE);
	assert_eligibility(ELIGIBLE, NULL);
}

CASE(leader_that_is_told_to_stop_may_not_lead_again, quorum_enter_leader)
{
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	stage_stop(&s, 0);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	assert_true(stage_status(&s, 0).is_leaving);
	assert_eligibility(INELIGIBLE_ENDING, "stopping");
}
