/* SPDX-License-Identifier: ISC */
/*
 * The reasons why a node may not lead, and which of two goes first. Node 2 is
 * under the guarantee "quorum"; tests/lib/ballot.h has more about it.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

static struct ballot b;

static void
assert_eligibility(enum eligibility wanted, const char *name)
{
	struct node_status status = ballot_status(&b);
	const char *said = eligibility_name(status.eligibility);

	assert_int_equal(status.eligibility, wanted);
	assert_int_equal(node_eligibility(b.node, b.now), wanted);
	if (name == NULL)
		assert_null(said);
	else
		assert_string_equal(said, name);
}

#define CASE(name, enter) BALLOT_CASE(name, enter, &b)

CASE(node_that_hears_no_majority_may_not_lead, NULL)
{
	ballot_set(&b);
	ballot_start(&b);
	assert_eligibility(INELIGIBLE_NO_QUORUM, "no-quorum");
	ballot_join(&b);
	ballot_run(&b, BALLOT_BEAT);
	assert_eligibility(ELIGIBLE, NULL);
}

CASE(node_whose_state_is_lost_may_not_lead, NULL)
{
	ballot_set(&b);
	b.setup.state_health = STATE_HEALTH_LOST;
	ballot_begin(&b, SEC);
	assert_eligibility(INELIGIBLE_STATE_FILE, "state-file");
}

/* Its role goes first, since an operator can change it only by the
 * configuration. */
CASE(voter_may_not_lead, NULL)
{
	ballot_set(&b);
	b.setup.role = ROLE_VOTER;
	b.setup.state_health = STATE_HEALTH_LOST;
	ballot_start(&b);
	assert_eligibility(INELIGIBLE_ROLE, "role");
}

CASE(node_whose_id_is_in_use_twice_may_not_lead, ballot_enter_leader)
{
	assert_eligibility(ELIGIBLE, NULL);
	b.is_denouncing = true;
	ballot_run(&b, BALLOT_BEAT);
	assert_eligibility(INELIGIBLE_DUPLICATE, "duplicate");
}

CASE(leader_that_resigned_may_not_lead_again, ballot_enter_leader)
{
	assert_int_equal(ballot_resign(&b, NODE_NONE), RESIGN_BEGUN);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_eligibility(INELIGIBLE_STANDBY, "standby");
	ballot_stand(&b);
	assert_eligibility(INELIGIBLE_HANDS_OVER, "handing-over");
	ballot_run(&b, 2 * BALLOT_LEASE);
	assert_eligibility(ELIGIBLE, NULL);
}

CASE(leader_that_is_told_to_stop_may_not_lead_again, ballot_enter_leader)
{
	assert_int_equal(ballot_resign(&b, NODE_NONE), RESIGN_BEGUN);
	ballot_stop(&b);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	assert_true(ballot_status(&b).is_leaving);
	assert_eligibility(INELIGIBLE_ENDING, "stopping");
}
