/* SPDX-License-Identifier: ISC */
/* The rules of the ring algorithm with a list, and what no honest node sends.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

static const struct algorithm *const ring_list = &algorithm_ring_list;

TEST(ring_list_starter_names_the_best_of_its_list)
{
	steps(ring_list,
	    "begin 2 = idle\n"
	    "start > right ELECTION o5 5 l5 = electing\n"
	    "left ELECTION o5 7 l5+7+2 >"
	    " right COORDINATOR o5 7 l5+7+2, decides 7 = telling\n"
	    "left ELECTION o5 7 refused\n"
	    "left COORDINATOR o5 7 = done\n"); /* it has come round */
}

TEST(ring_list_node_appends_itself_and_starts_nothing)
{
	steps(ring_list,
	    "begin 2\n"
	    "left ELECTION o2 2 > right ELECTION o2 5 l2+5 = passing\n"
	    "start\n" /* too late */
	    "left ELECTION o1 8 > right ELECTION o1 8 l1+8+5\n"
	    "left COORDINATOR o2 8 >"
	    " right COORDINATOR o2 8 l2+8, decides 8 = done\n"
	    /* The node passes on the other starter's, which decides nothing. */
	    "left COORDINATOR o1 8 > right COORDINATOR o1 8\n"
	    /* A late ELECTION decides nothing. */
	    "left ELECTION o3 3 > right ELECTION o3 5\n");
}

TEST(ring_list_without_join_lists_starters_alone)
{
	steps(ring_list, "begin 2 starters_only\n"
			 "left ELECTION o2 2 > right ELECTION o2 2 l2\n"
			 "left COORDINATOR o2 5 refused\n"
			 "left COORDINATOR o2 2 >"
			 " right COORDINATOR o2 2, decides 2 = done\n"
			 "begin 2 starters_only\n"
			 "start > right ELECTION o5 5\n"
			 "left ELECTION o2 2 > right ELECTION o2 5 l2+5\n");
}

/* An ineligible node is alive all the same. */
TEST(ring_list_node_that_is_not_eligible_is_listed)
{
	steps(ring_list, "begin 2 self=5!\n"
			 "start > right ELECTION o5 5!\n"
			 "left ELECTION o2 2 > right ELECTION o2 2 l2+5\n"
			 "begin 2 self=5!\n"
			 "start > right ELECTION o5 5!\n"
			 "left ELECTION o5 5! >"
			 " right COORDINATOR o5 5!, decides 5! = telling\n");
}

/* On FIFO links its own list is first. */
TEST(ring_list_starter_told_by_another_sends_its_own_all_the_same)
{
	steps(ring_list, "begin 2\n"
			 "start > right ELECTION o5 5\n"
			 "left COORDINATOR o2 8 >"
			 " right COORDINATOR o2 8, decides 8 = electing\n"
			 "left ELECTION o5 7 refused\n" /* another winner */
			 "left ELECTION o5 8 > right COORDINATOR o5 8\n");
}

TEST(ring_list_refuses_what_no_honest_node_sends)
{
	steps(ring_list,
	    "begin 2\n"
	    "left COORDINATOR o7 7 refused\n"     /* before any ELECTION */
	    "left COORDINATOR o5 5 refused\n"     /* never sent */
	    "left ELECTION o5 5 refused\n"        /* never sent */
	    "left ELECTION o7 5 refused = idle\n" /* has been here */
	    "start > right ELECTION o5 5\n"
	    "left ELECTION o2 6 l5 refused\n" /* lists us already */
	    "left ELECTION o6 6 > right ELECTION o6 6\n"
	    "left ELECTION o5 5 refused\n" /* 6 is missing */
	    "left COORDINATOR o2 5 refused\n"
	    "left COORDINATOR o5 6 refused\n"
	    /* A rank that we never had. */
	    "left ELECTION o5 5^ refused = electing\n"
	    "left COORDINATOR o6 6 >"
	    " right COORDINATOR o6 6, decides 6 = electing\n"
	    "left COORDINATOR o8 8 refused\n" /* a second winner */
	    "left ELECTION o3 8 refused\n");  /* 8 would have won */
}

/* The count lets the caller tell messages that have come too far. */
TEST(ring_list_messages_count_their_links)
{
	steps(ring_list, "begin 2\n"
			 "start > right ELECTION o5 5 d1\n"
			 "left ELECTION o2 2 d7 > right ELECTION o2 5 d8\n"
			 "left COORDINATOR o2 5 l2 d7 >"
			 " right COORDINATOR o2 5 d8, decides 5 = electing\n"
			 "begin 2\n"
			 "start > right ELECTION o5 5\n"
			 "left ELECTION o5 5 d7 >"
			 " right COORDINATOR o5 5 d1, decides 5 = telling\n");
}
