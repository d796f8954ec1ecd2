/* SPDX-License-Identifier: ISC */
/*
 * The rules of the traversal, and what no honest neighbour sends. The phase of
 * a TOKEN (p) is its leg: 0 onward, 1 back, 2 bounced.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

static const struct algorithm *const traversal = &algorithm_traversal;

TEST(starter_sends_its_token_down_each_link_in_turn)
{
	steps(traversal,
	    "begin 3 = idle\n"
	    "start > 0 TOKEN p0 o5 5 = waiting\n"
	    "0 TOKEN p1 o5 7 > 1 TOKEN p0 o5 7 = waiting\n"
	    "1 TOKEN p2 o5 7 > 2 TOKEN p0 o5 7 = waiting\n"
	    /* Link 1 is no part of the tree. */
	    "2 TOKEN p1 o5 9 > 0 LEADER o5 9, 2 LEADER o5 9, decides 9\n");
}

TEST(token_goes_to_all_others_and_back_to_the_parent)
{
	steps(traversal, "begin 3\n"
			 "1 TOKEN p0 o3 4 > 0 TOKEN p0 o3 5 = waiting\n"
			 "0 TOKEN p1 o3 6 > 2 TOKEN p0 o3 6 = waiting\n"
			 "2 TOKEN p2 o3 6 > 1 TOKEN p1 o3 6 = returned\n"
			 "1 LEADER o3 6 > 0 LEADER o3 6, decides 6\n");
}

TEST(leaf_returns_the_token_at_once)
{
	steps(traversal, "begin 1\n"
			 "0 TOKEN p0 o3 9 > 0 TOKEN p1 o3 9 = returned\n"
			 "0 LEADER o3 9 > decides 9\n");
}

/* The link counts as used then: the token does not go there again. */
TEST(node_that_has_had_the_token_sends_it_straight_back)
{
	steps(traversal, "begin 3\n"
			 "0 TOKEN p0 o3 4 > 1 TOKEN p0 o3 5 = waiting\n"
			 "2 TOKEN p0 o3 8 > 2 TOKEN p2 o3 8 = waiting\n"
			 "1 TOKEN p1 o3 8 > 0 TOKEN p1 o3 8 = returned\n");
}

TEST(worse_token_dies)
{
	steps(traversal, "begin 2\n"
			 "start > 0 TOKEN p0 o5 5\n"
			 "0 TOKEN p0 o3 9 refused\n"
			 "1 TOKEN p0 o4 9 refused\n"
			 "0 TOKEN p1 o5 5 > 1 TOKEN p0 o5 5 = waiting\n");
}

TEST(better_token_begins_anew_and_ours_dies)
{
	steps(traversal,
	    "begin 3\n"
	    "start > 0 TOKEN p0 o5 5\n"
	    "0 TOKEN p1 o5 5 > 1 TOKEN p0 o5 5 = waiting\n"
	    "1 TOKEN p0 o8 8 > 0 TOKEN p0 o8 8 = waiting\n"
	    "1 TOKEN p1 o5 6 refused\n"
	    "0 TOKEN p2 o8 8 > 2 TOKEN p0 o8 8 = waiting\n"
	    "2 TOKEN p1 o8 9 > 1 TOKEN p1 o8 9 = returned\n"
	    /* Link 0 led to a child in the tree that is no more. */
	    "1 LEADER o8 9 > 2 LEADER o8 9, decides 9\n");
}

TEST(better_token_comes_after_a_worse_one_has_returned)
{
	steps(traversal, "begin 2\n"
			 "0 TOKEN p0 o3 4 > 1 TOKEN p0 o3 5\n"
			 "1 TOKEN p1 o3 5 > 0 TOKEN p1 o3 5 = returned\n"
			 "0 LEADER o8 9 refused\n"
			 "0 TOKEN p0 o8 8 > 1 TOKEN p0 o8 8 = waiting\n");
}

TEST(traversal_prefers_the_lowest_if_configured)
{
	steps(traversal, "begin 2 lowest\n"
			 "start > 0 TOKEN p0 o5 5\n"
			 "1 TOKEN p0 o6 1 refused\n"
			 "1 TOKEN p0 o3 3 > 0 TOKEN p0 o3 3 = waiting\n"
			 "0 TOKEN p1 o3 2 > 1 TOKEN p1 o3 2 = returned\n"
			 "1 LEADER o3 6 refused\n"
			 "1 LEADER o3 1 > 0 LEADER o3 1, decides 1\n");
}

/* Initiators are compared by id, ranks in full. */
TEST(traversal_starts_at_a_node_that_is_not_eligible)
{
	steps(traversal, "begin 1 self=5!\n"
			 "start > 0 TOKEN p0 o5 5! = waiting\n"
			 "0 TOKEN p0 o4 4 refused\n"
			 "0 TOKEN p1 o5 2 > 0 LEADER o5 2, decides 2\n");
}

TEST(token_that_makes_no_sense_is_dropped)
{
	steps(traversal,
	    "begin 3\n"
	    "0 TOKEN p0 o0 9 refused\n"
	    "0 TOKEN p0 o3 0 refused\n"
	    "0 TOKEN p0 o5 9 refused\n" /* ours: we have not sent any */
	    "0 TOKEN p1 o3 9 refused\n"
	    "0 TOKEN p2 o3 9 refused\n"
	    "0 TOKEN p3 o3 9 refused\n"
	    "0 TOKEN p0 o3 5^ refused\n" /* our rank, as it is not */
	    "0 TOKEN p0 o3 9 > 1 TOKEN p0 o3 9 = waiting\n"
	    "0 TOKEN p0 o3 9 refused\n"
	    "0 TOKEN p1 o3 9 refused\n"
	    "1 TOKEN p0 o3 9 refused\n"
	    "2 TOKEN p1 o3 9 refused\n"
	    "2 TOKEN p2 o3 9 refused\n"
	    "2 TOKEN p0 o5 9 refused\n"
	    "2 TOKEN p0 o3 9 > 2 TOKEN p2 o3 9\n"
	    "2 TOKEN p0 o3 9 refused\n"
	    "1 TOKEN p1 o3 9 > 0 TOKEN p1 o3 9 = returned\n"
	    "1 TOKEN p1 o3 9 refused\n"
	    "2 TOKEN p0 o3 9 refused\n");
}

TEST(traversal_refuses_a_leader_that_makes_no_sense)
{
	steps(traversal,
	    "begin 2\n"
	    "0 LEADER o3 9 refused\n"
	    "0 TOKEN p0 o3 9 > 1 TOKEN p0 o3 9\n"
	    "0 LEADER o3 9 refused\n" /* the token is not back yet */
	    "1 TOKEN p1 o3 9 > 0 TOKEN p1 o3 9\n"
	    "1 LEADER o3 9 refused\n"
	    "0 LEADER o4 9 refused\n"
	    "0 LEADER o3 4 refused\n" /* worse than we are */
	    "0 LEADER o3 0 refused\n"
	    "0 other o3 9 refused\n"
	    "0 LEADER o3 9 > 1 LEADER o3 9, decides 9\n"
	    "0 LEADER o3 10 refused\n"
	    "1 TOKEN p0 o10 10 refused\n");
}
