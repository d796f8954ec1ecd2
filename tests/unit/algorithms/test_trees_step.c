/* SPDX-License-Identifier: ISC */
/*
 * The rules of the two tree algorithms, and what no honest neighbour sends.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

static const struct algorithm *const tree = &algorithm_tree;
static const struct algorithm *const echo = &algorithm_tree_echo;

TEST(starter_wakes_all_neighbours_and_waits_for_theirs)
{
	steps(tree, "begin 3 = asleep\n"
		    "start > all WAKEUP = waking\n"
		    "start = waking\n"
		    "1 WAKEUP\n"
		    "2 WAKEUP = waking\n"
		    "0 WAKEUP = collecting\n");
}

TEST(sleeper_hands_the_wakeup_to_all_and_back)
{
	steps(tree, "begin 2\n"
		    "1 WAKEUP > all WAKEUP = waking\n"
		    "1 WAKEUP refused\n"
		    "start = waking\n");
}

TEST(leaf_that_is_woken_begins)
{
	steps(tree, "begin 1\n"
		    "0 WAKEUP > 0 WAKEUP, 0 TOKEN 5 = waiting\n"
		    "0 TOKEN 3 > decides 5\n");
}

TEST(node_collects_sends_the_best_on_the_last_link_and_decides)
{
	steps(tree, "begin 4\n"
		    "start > all WAKEUP\n"
		    "0 WAKEUP\n"
		    "1 WAKEUP\n"
		    "2 WAKEUP\n"
		    "3 WAKEUP\n"
		    "3 TOKEN 7\n"
		    "0 TOKEN 9 = collecting\n"
		    "2 TOKEN 8 > 1 TOKEN 9 = waiting\n"
		    "1 TOKEN 10 > others TOKEN 10, decides 10\n");
}

/* The TOKEN crossed ours: the other side knew nothing of our TOKEN. */
TEST(worse_token_from_the_last_link_decides_too)
{
	steps(tree, "begin 2\n"
		    "start > all WAKEUP\n"
		    "0 WAKEUP\n"
		    "1 WAKEUP\n"
		    "0 TOKEN 4 > 1 TOKEN 5\n"
		    "1 TOKEN 2 > 0 TOKEN 5, decides 5\n");
}

TEST(token_goes_out_only_when_all_links_have_woken)
{
	steps(tree, "begin 2\n"
		    "0 WAKEUP > all WAKEUP\n"
		    "0 TOKEN 7 = waking\n"
		    "1 WAKEUP > 1 TOKEN 7 = waiting\n");
}

TEST(without_wakeup_leaves_start_and_others_need_not)
{
	steps(tree, "begin 1 no_wakeup\n"
		    "start > 0 TOKEN 5\n"
		    "0 TOKEN 9 > decides 9\n"
		    "begin 2 no_wakeup\n"
		    "start = asleep\n"
		    "0 WAKEUP refused\n"
		    "1 TOKEN 7 > 0 TOKEN 7 = waiting\n");
}

TEST(without_wakeup_a_leaf_that_is_reached_first_answers)
{
	steps(tree, "begin 1 no_wakeup\n"
		    "0 TOKEN 3 > 0 TOKEN 5, decides 5\n"
		    "start\n");
}

TEST(tree_refuses_what_makes_no_sense)
{
	steps(tree, "begin 3\n"
		    "start > all WAKEUP\n"
		    "0 WAKEUP\n"
		    "1 WAKEUP\n"
		    "2 WAKEUP\n"
		    "0 other 9 refused\n"
		    "0 TOKEN refused\n"
		    "0 TOKEN 5! refused\n" /* our rank, as it is not */
		    "0 TOKEN 7\n"
		    "0 TOKEN 9 refused\n" /* a second one */
		    "1 TOKEN 7 > 2 TOKEN 7\n"
		    "1 TOKEN 9 refused\n"
		    "0 WAKEUP refused\n"
		    "2 TOKEN 7 > others TOKEN 7, decides 7\n"
		    "2 TOKEN 9 refused\n"
		    "begin 2\n"
		    "0 TOKEN 9 refused\n" /* it said nothing before */
		    "start > all WAKEUP\n"
		    "0 TOKEN 9 refused\n");
}

TEST(starter_explores_all_links_a_reached_node_all_others)
{
	steps(echo, "begin 3 = asleep\n"
		    "start > all EXPLORER = exploring\n"
		    "start = exploring\n"
		    "begin 3\n"
		    "1 EXPLORER > others EXPLORER = exploring\n"
		    "2 EXPLORER refused\n" /* it crossed ours */
		    "start = exploring\n");
}

TEST(leaf_echoes_at_once_also_when_it_starts)
{
	steps(echo, "begin 1\n"
		    "0 EXPLORER > 0 ECHO 5 = waiting\n"
		    "begin 1\n"
		    "start > 0 EXPLORER, 0 ECHO 5\n"
		    "0 EXPLORER refused\n"
		    "0 ECHO 3 > decides 5\n");
}

TEST(echoes_that_cross_end_it_and_the_others_are_told)
{
	steps(echo,
	    "begin 3\n"
	    "0 EXPLORER > others EXPLORER\n"
	    "1 ECHO 4 = exploring\n"
	    "0 ECHO 7 > 2 ECHO 7\n" /* the last link need not be the first */
	    "2 ECHO 6 > others LEADER 7, decides 7\n");
}

TEST(leader_is_passed_on_outwards)
{
	steps(echo, "begin 3\n"
		    "0 EXPLORER > others EXPLORER\n"
		    "1 ECHO 4\n"
		    "2 ECHO 7 > 0 ECHO 7\n"
		    "1 LEADER 9 refused\n"
		    "0 LEADER 6 refused\n" /* it has heard of 7 */
		    "0 LEADER 9 > others LEADER 9, decides 9\n"
		    "0 LEADER 9 refused\n"
		    "0 ECHO 10 refused\n");
}

TEST(echo_refuses_what_makes_no_sense)
{
	steps(echo, "begin 2\n"
		    "0 ECHO 9 refused\n" /* it said nothing before */
		    "0 LEADER 9 refused\n"
		    "start > all EXPLORER\n"
		    "0 other 9 refused\n"
		    "0 ECHO refused\n"
		    "0 LEADER refused\n"
		    "0 LEADER 9 refused\n" /* we have not echoed */
		    "0 ECHO 5^ refused\n"  /* our rank, as it is not */
		    "0 ECHO 7 > 1 ECHO 7\n"
		    "0 ECHO 9 refused\n" /* a second one */
		    "0 LEADER 9 refused\n");
}

/* The two that end it are the candidates: each names itself to the other. */
TEST(any_of_the_two_may_lead)
{
	steps(echo, "begin 2 any_leader\n"
		    "start > all EXPLORER\n"
		    "0 ECHO 9 > 1 ECHO 5\n"
		    "1 ECHO 3 > 0 LEADER 5, decides 5\n"
		    "begin 2 any_leader\n"
		    "start > all EXPLORER\n"
		    "0 ECHO 9 > 1 ECHO 5\n"
		    "1 ECHO 6 > 0 LEADER 6, decides 6\n"
		    "begin 2 any_leader\n"
		    "start > all EXPLORER\n"
		    "0 ECHO 9 > 1 ECHO 5\n"
		    "1 LEADER 2 > 0 LEADER 2, decides 2\n");
}

TEST(node_that_is_not_eligible_names_one_that_is)
{
	steps(echo, "begin 3 any_leader self=5!\n"
		    "start > all EXPLORER\n"
		    "0 ECHO 3\n"
		    "1 ECHO 4 > 2 ECHO 4\n"
		    "2 ECHO 2 > others LEADER 4, decides 4\n");
}

TEST(rank_that_is_not_eligible_is_below_all_that_are)
{
	steps(tree, "begin 2 no_wakeup self=5!\n"
		    "0 TOKEN 7! > 1 TOKEN 7!\n"
		    "1 TOKEN 1 > 0 TOKEN 1, decides 1\n");
}
