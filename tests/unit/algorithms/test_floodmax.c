/* SPDX-License-Identifier: ISC */
/* The rules of FloodMax, round by round, and what no honest neighbour sends. */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

static const struct algorithm *const floodmax = &algorithm_floodmax;

TEST(starter_waits_for_all_in_each_round)
{
	steps(floodmax, "begin 2 diameter=3 = asleep\n"
			"start > all MAX p1 5 = flooding\n"
			"0 MAX p1 4 = flooding\n"
			"1 MAX p1 3 > all MAX p2 5 = flooding\n"
			"1 MAX p2 9 = flooding\n"
			"0 MAX p2 7 > all MAX p3 9 = flooding\n"
			"0 MAX p3 8 = flooding\n"
			"1 MAX p3 9 > decides 9\n");
}

TEST(the_last_round_counts_too)
{
	steps(floodmax, "begin 1 diameter=1\n"
			"start > 0 MAX p1 5\n"
			"0 MAX p1 6 > decides 6\n");
}

TEST(node_that_a_message_wakes_sends_its_own_best_in_round_one)
{
	steps(floodmax, "begin 2 diameter=2\n"
			"1 MAX p1 9 > all MAX p1 5\n"
			"start = flooding\n"
			"0 MAX p1 1 > all MAX p2 9\n");
}

/* With one neighbour round 1 is over as soon as it has begun. */
TEST(woken_leaf_sends_two_rounds_at_once)
{
	steps(floodmax, "begin 1 diameter=2\n"
			"0 MAX p1 9 > 0 MAX p1 5, 0 MAX p2 9\n"
			"0 MAX p2 9 > decides 9\n"
			"begin 1 diameter=1\n"
			"0 MAX p1 9 > 0 MAX p1 5, decides 9\n");
}

/* A neighbour's early message counts one round later, as if it had come in
 * time. */
TEST(neighbour_may_be_one_round_ahead)
{
	steps(floodmax, "begin 3 diameter=3\n"
			"start > all MAX p1 5\n"
			"0 MAX p1 1\n"
			"0 MAX p2 9 = flooding\n"
			"1 MAX p1 2\n"
			"1 MAX p2 8 = flooding\n"
			"0 MAX p3 9 refused\n"
			"2 MAX p1 6 > all MAX p2 6\n"
			"0 MAX p3 9 = flooding\n"
			"2 MAX p2 6 > all MAX p3 9\n"
			"1 MAX p3 9\n"
			"2 MAX p3 9 > decides 9\n");
}

TEST(floodmax_prefers_the_lowest_if_configured)
{
	steps(floodmax, "begin 1 diameter=1 lowest\n"
			"start > 0 MAX p1 5\n"
			"0 MAX p1 2 > decides 2\n");
}

TEST(node_that_is_not_eligible_takes_part_and_loses)
{
	steps(floodmax, "begin 1 diameter=1 self=5!\n"
			"start > 0 MAX p1 5!\n"
			"0 MAX p1 2 > decides 2\n");
}

TEST(floodmax_refuses_what_makes_no_sense)
{
	steps(floodmax, "begin 2 diameter=2\n"
			"0 MAX p0 9 refused\n"
			"0 MAX p2 9 refused\n"
			"0 MAX p4294967295 9 refused\n"
			"0 MAX p1 0 refused\n"
			"0 MAX p1 5^ refused\n" /* our rank, as it is not */
			"0 other p1 9 refused = asleep\n"
			"0 MAX p1 9 > all MAX p1 5\n"
			"0 MAX p1 9 refused\n"
			"0 MAX p3 9 refused\n"
			"0 MAX p2 9\n"
			"0 MAX p2 9 refused\n"
			"0 MAX p3 9 refused\n" /* there is no round 3 */
			"1 MAX p1 1 > all MAX p2 9\n"
			"1 MAX p2 9 > decides 9\n"
			"1 MAX p3 10 refused\n"
			"0 MAX p1 10 refused\n");
}
