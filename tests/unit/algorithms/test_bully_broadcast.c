/* SPDX-License-Identifier: ISC */
/* The rules of the bully by silence, and what no honest node sends. */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

/* Node 3 of 1, 2, 3, 4: two are worse, one is better. */
#define BEGIN "begin 3 self=3 peers=1+2+4 = idle\n"

static const struct algorithm *const broadcast = &algorithm_bully_broadcast;

TEST(alone_it_decides_at_once)
{
	steps(broadcast, "begin 0 self=3\n"
			 "start > decides 3\n"
			 "start\n");
}

TEST(starter_that_hears_no_answer_takes_itself)
{
	steps(broadcast, BEGIN "start > all CANDIDATE 3, arms = listening\n"
			       "start\n"
			       "timer > decides 3\n"
			       "timer\n");
}

TEST(starter_takes_the_best_it_has_heard)
{
	steps(broadcast, BEGIN "start > all CANDIDATE 3, arms\n"
			       "2 CANDIDATE 4 = listening\n"
			       "1 CANDIDATE 2 = listening\n"
			       "timer > decides 4\n");
}

/* The timer begins with the first that a node says or hears. */
TEST(worse_candidate_is_outdone_once)
{
	steps(broadcast,
	    BEGIN "0 CANDIDATE 1 > all CANDIDATE 3, arms = listening\n"
		  "1 CANDIDATE 2 = listening\n"
		  "timer > decides 3\n");
}

TEST(better_candidate_is_listened_to_in_silence)
{
	steps(broadcast, BEGIN "2 CANDIDATE 4 > arms = listening\n"
			       "start\n" /* too late to be a starter */
			       "timer > decides 4\n");
}

/* The counts do not depend on which of the two comes first. */
TEST(worse_candidate_is_outdone_though_a_better_one_came_first)
{
	steps(broadcast, BEGIN "2 CANDIDATE 4 > arms\n"
			       "0 CANDIDATE 1 > all CANDIDATE 3 = listening\n"
			       "timer > decides 4\n"
			       "1 CANDIDATE 2\n");
}

TEST(better_candidate_after_the_decision_is_decided_for)
{
	steps(broadcast, BEGIN "0 CANDIDATE 1 > all CANDIDATE 3, arms\n"
			       "timer > decides 3\n"
			       "2 CANDIDATE 4 > decides 4\n"
			       "1 CANDIDATE 2\n");
}

TEST(broadcast_prefers_the_lowest_if_configured)
{
	steps(broadcast, "begin 3 lowest self=3 peers=1+2+4\n"
			 "2 CANDIDATE 4 > all CANDIDATE 3, arms\n"
			 "0 CANDIDATE 1\n"
			 "timer > decides 1\n");
}

TEST(broadcast_of_a_node_that_is_not_eligible_loses)
{
	steps(broadcast, "begin 3 self=3! peers=1+2+4\n"
			 "start > all CANDIDATE 3!, arms\n"
			 "0 CANDIDATE 1\n"
			 "timer > decides 1\n");
}

TEST(rank_is_what_the_candidate_says_not_what_was_known_of_it)
{
	steps(broadcast, BEGIN "0 CANDIDATE 1^ > arms = listening\n"
			       "timer > decides 1^\n");
}

TEST(broadcast_drops_what_makes_no_sense)
{
	steps(broadcast,
	    BEGIN "timer\n"
		  "0 CANDIDATE 0 refused\n"
		  "0 CANDIDATE 3 refused\n" /* our own id */
		  "0 CANDIDATE 4 refused\n" /* another's */
		  "0 other 1 refused = idle\n"
		  "2 CANDIDATE 4 > arms\n"
		  /* A repeated message keeps no node waiting for ever. */
		  "2 CANDIDATE 4 refused\n"
		  "begin 3 self=3 peers=0+2+4\n"
		  "0 CANDIDATE 0 refused\n");
}
