/* SPDX-License-Identifier: ISC */
/* The rules of LeLann's algorithm, and what no honest node sends. */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

static const struct algorithm *const lelann = &algorithm_lelann;

TEST(lelann_starter_wins_when_its_list_names_none_better)
{
	steps(lelann,
	    "begin 2 = idle\n"
	    "start > right CANDIDATE o5 5 l5 d1 = waiting\n"
	    "left CANDIDATE o5 5 l5+2 > right LEADER o5 5, decides 5\n"
	    "left LEADER o5 5 refused\n" /* it has come round */
	    "left CANDIDATE o5 5 refused\n");
}

TEST(lelann_loser_waits_for_the_winner)
{
	steps(lelann,
	    "begin 2\n"
	    "start > right CANDIDATE o5 5\n"
	    "left CANDIDATE o5 7 = lost\n"
	    "left LEADER o7 7 > right LEADER o7 7, decides 7\n"
	    "left LEADER o7 7 refused\n"); /* no message circles for ever */
}

/* The node sends its own message first, so each message is back before LEADER
 * comes. */
TEST(lelann_node_joins_before_it_passes_the_first_candidate_on)
{
	steps(lelann,
	    "begin 2\n"
	    "left CANDIDATE o2 2 >"
	    " right CANDIDATE o5 5 l5, right CANDIDATE o2 5 l2+5\n"
	    /* The message is one link farther than the last, so nothing circles
	     * for ever. */
	    "left CANDIDATE o1 8 > right CANDIDATE o1 8 l1+8+5 d1\n"
	    "start\n");
}

TEST(lelann_without_join_passes_candidates_on_as_they_are)
{
	steps(lelann,
	    "begin 2 starters_only\n"
	    "left CANDIDATE o2 2 > right CANDIDATE o2 2 l2 = passing\n"
	    "start\n" /* too late */
	    "left LEADER o2 2 > right LEADER o2 2, decides 2\n"
	    "begin 2 starters_only\n"
	    "start > right CANDIDATE o5 5\n"
	    "left CANDIDATE o2 2 > right CANDIDATE o2 5 l2+5\n");
}

TEST(lelann_node_that_is_not_eligible_takes_part_but_is_not_listed)
{
	steps(lelann,
	    "begin 2 self=5!\n"
	    "start > right CANDIDATE o5 5! l5\n"
	    "left CANDIDATE o2 2! > right CANDIDATE o2 5! l2\n"
	    /* All are ineligible, and it is the best of them: no leader. */
	    "left CANDIDATE o5 5! > right LEADER o5 5!, decides 5!\n"
	    /* An eligible node is better than any of those. */
	    "left CANDIDATE o3 3\n");
}

TEST(lelann_candidate_after_the_leader_is_passed_on)
{
	steps(lelann, "begin 2\n"
		      "start > right CANDIDATE o5 5\n"
		      "left CANDIDATE o5 7\n"
		      "left LEADER o7 7 > right LEADER o7 7, decides 7\n"
		      "left CANDIDATE o3 3 > right CANDIDATE o3 5 l3+5\n"
		      "left CANDIDATE o3 8 refused\n"); /* 8 would have won */
}

TEST(lelann_refuses_what_no_honest_node_sends)
{
	steps(lelann,
	    "begin 2\n"
	    "left LEADER o7 7 refused\n"    /* before any CANDIDATE */
	    "left CANDIDATE o5 5 refused\n" /* never sent */
	    "left CANDIDATE o7 5 refused\n" /* has been here */
	    "start > right CANDIDATE o5 5\n"
	    "left CANDIDATE o2 6 l5+2 refused\n" /* lists us already */
	    "left CANDIDATE o6 6 > right CANDIDATE o6 6\n"
	    "left CANDIDATE o5 5 refused\n"  /* 6 is missing */
	    "left LEADER o8 8 refused\n"     /* its CANDIDATE never came */
	    "left LEADER o2 6 refused\n"     /* not told by the winner */
	    "left CANDIDATE o5 5^ refused\n" /* a rank that we never had */
	    "left CANDIDATE o5 7 l refused = waiting\n");
}
