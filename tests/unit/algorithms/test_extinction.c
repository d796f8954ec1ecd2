/* SPDX-License-Identifier: ISC */
/*
 * The rules of the echo with adoption: its four cases, by the mark of the link
 * and the best known initiator, the echo and the announcement, and messages
 * that no honest neighbour sends.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

static const struct algorithm *const extinction = &algorithm_extinction;

TEST(starter_whose_wave_is_complete_knows_the_best_of_all)
{
	steps(extinction,
	    "begin 3 = idle\n"
	    "start > all EXPLORER o5 = exploring\n"
	    "0 ECHO o5 8 = exploring\n"
	    "1 EXPLORER o5 = exploring\n"
	    "2 ECHO o5 7 > 0 LEADER o5 8, 2 LEADER o5 8, decides 8\n");
}

TEST(first_explorer_is_passed_on_in_all_other_directions)
{
	steps(extinction, "begin 3\n"
			  "1 EXPLORER o3 > others EXPLORER o3 = exploring\n"
			  "2 ECHO o3 9\n"
			  "0 ECHO o3 4 > 1 ECHO o3 9 = echoed\n"
			  "1 LEADER o3 10 > others LEADER o3 10, decides 10\n");
}

TEST(leaf_echoes_at_once)
{
	steps(extinction, "begin 1\n"
			  "0 EXPLORER o3 > 0 ECHO o3 5 = echoed\n"
			  "0 LEADER o3 9 > decides 9\n");
}

/* IDx = IDm */
TEST(case_1_equal_marks_make_the_link_no_part_of_the_tree)
{
	steps(extinction,
	    "begin 3\n"
	    "0 EXPLORER o8 > others EXPLORER o8\n"
	    "1 EXPLORER o8 = exploring\n"
	    "1 EXPLORER o9 refused\n" /* nothing more comes of it */
	    "1 ECHO o8 9 refused\n"
	    "2 EXPLORER o8 > 0 ECHO o8 5 = echoed\n"
	    "0 LEADER o8 8 > decides 8\n");
}

/* IDx < IDm */
TEST(case_2_explorer_worse_than_the_mark_is_ignored)
{
	steps(extinction, "begin 2\n"
			  "start > all EXPLORER o5\n"
			  "0 EXPLORER o3 refused\n"
			  "1 EXPLORER o4 refused\n"
			  "0 EXPLORER o5\n"
			  "1 ECHO o5 4 > 1 LEADER o5 5, decides 5\n");
}

/* IDm < IDx = IDi: the link's other end was reached another way. */
TEST(case_3_explorer_better_than_the_mark_is_answered)
{
	steps(extinction,
	    "begin 3\n"
	    /* Links 1 and 2 are marked 3. */
	    "0 EXPLORER o3 > others EXPLORER o3\n"
	    "1 EXPLORER o8 > 0 EXPLORER o8 = exploring\n"
	    "2 EXPLORER o8 > 2 EXPLORER o8 = exploring\n"
	    /* The EXPLORERs of both sides settle link 2; the former parent's
	     * answer settles link 0. */
	    "2 EXPLORER o8 refused\n"
	    "0 EXPLORER o8 > 1 ECHO o8 5 = echoed\n");
}

/* IDm < IDx < IDi: the answer is the best we know, and the link stays open. */
TEST(case_3_sender_of_a_worse_explorer_gets_an_answer)
{
	steps(extinction,
	    "begin 2\n"
	    "start > all EXPLORER o5\n"
	    "0 EXPLORER o8 = exploring\n"
	    "1 EXPLORER o7 > 1 EXPLORER o8 = exploring\n"
	    "1 ECHO o5 6 refused\n" /* of the wave that is no more */
	    "1 ECHO o8 7 > 0 ECHO o8 7 = echoed\n");
}

/* IDm <= IDi < IDx */
TEST(case_4_adoption_passes_the_wave_to_the_former_parent)
{
	steps(extinction,
	    "begin 3\n"
	    "0 EXPLORER o3 > others EXPLORER o3\n"
	    "2 ECHO o3 6\n" /* this subtree is not explored again */
	    "1 EXPLORER o8 > 0 EXPLORER o8 = exploring\n"
	    "0 ECHO o8 7 > 1 ECHO o8 7 = echoed\n"
	    "1 LEADER o8 8 > others LEADER o8 8, decides 8\n");
}

TEST(case_4_adopted_root_has_no_parent_to_tell)
{
	steps(extinction, "begin 2\n"
			  "start > all EXPLORER o5\n"
			  "0 ECHO o5 4\n"
			  "1 EXPLORER o8 > 1 ECHO o8 5 = echoed\n");
}

TEST(case_4_parent_that_was_adopted_itself_stays_the_parent)
{
	steps(extinction, "begin 2\n"
			  "0 EXPLORER o3 > 1 EXPLORER o3\n"
			  "0 EXPLORER o8 = exploring\n"
			  "0 EXPLORER o7 refused\n"
			  /* This answers what was sent on that link. */
			  "1 ECHO o3 4 > 0 ECHO o8 5 = echoed\n");
}

TEST(extinction_prefers_the_lowest_if_configured)
{
	steps(extinction, "begin 2 lowest\n"
			  "start > all EXPLORER o5\n"
			  "0 EXPLORER o6 refused\n"
			  "0 EXPLORER o3 = exploring\n"
			  "1 ECHO o5 2 > 0 ECHO o3 2 = echoed\n"
			  "0 LEADER o3 3 refused\n"
			  "0 LEADER o3 1 > 1 LEADER o3 1, decides 1\n");
}

/* Initiators are compared by id, ranks in full. */
TEST(extinction_starts_at_a_node_that_is_not_eligible)
{
	steps(extinction, "begin 1 self=5!\n"
			  "start > 0 EXPLORER o5\n"
			  "0 EXPLORER o4 refused\n"
			  "0 ECHO o5 2 > 0 LEADER o5 2, decides 2\n");
}

TEST(explorer_or_echo_that_makes_no_sense_is_dropped)
{
	steps(extinction,
	    "begin 3\n"
	    "0 EXPLORER o0 refused\n"
	    "0 EXPLORER o5 refused\n" /* ours: we have not sent any */
	    "0 ECHO o3 9 refused\n"
	    "0 ECHO o0 9 refused\n"
	    "0 EXPLORER o3 > others EXPLORER o3\n"
	    "0 EXPLORER o3 refused\n"
	    "0 EXPLORER o2 refused\n"
	    "1 EXPLORER o5 refused\n"
	    "0 ECHO o3 9 refused\n" /* a parent sends none */
	    "1 ECHO o4 9 refused\n"
	    "1 ECHO o3 0 refused\n"
	    "1 ECHO o3 5^ refused\n" /* our rank, as it is not */
	    "1 ECHO o3 4\n"
	    "1 ECHO o3 9 refused\n"
	    "1 EXPLORER o9 refused\n"
	    "2 ECHO o3 4 > 0 ECHO o3 5 = echoed\n"
	    "0 EXPLORER o9 refused\n"
	    "2 EXPLORER o9 refused\n");
}

TEST(extinction_refuses_a_leader_that_makes_no_sense)
{
	steps(extinction,
	    "begin 2\n"
	    "0 LEADER o3 9 refused\n"
	    "0 EXPLORER o3 > 1 EXPLORER o3\n"
	    "0 LEADER o3 9 refused\n" /* our subtree is not complete */
	    "1 ECHO o3 8 > 0 ECHO o3 8\n"
	    "1 LEADER o3 9 refused\n"
	    "0 LEADER o3 7 refused\n" /* worse than we know */
	    "0 LEADER o3 0 refused\n"
	    "0 LEADER o0 9 refused\n"
	    "0 other o3 9 refused\n"
	    "0 LEADER o3 9 > 1 LEADER o3 9, decides 9\n"
	    "0 LEADER o3 10 refused\n"
	    "1 EXPLORER o10 refused\n");
}
