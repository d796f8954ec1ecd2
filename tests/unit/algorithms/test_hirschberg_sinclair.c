/* SPDX-License-Identifier: ISC */
/*
 * The rules of Hirschberg and Sinclair's algorithm, and what no honest node
 * sends. A PROBE and its REPLY have a phase (p) and a distance (d).
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

#define PHASE_MAX 31

static const struct algorithm *const hs = &algorithm_hirschberg_sinclair;

TEST(starter_probes_both_neighbours)
{
	steps(hs, "begin 2 = asleep\n"
		  "start > both PROBE p0 d1 5 = probing\n"
		  "start\n");
}

TEST(sleeper_wakes_at_a_probe_and_probes_too)
{
	steps(hs, "begin 2\n"
		  "left PROBE p0 d1 9 > both PROBE p0 d1 5, left REPLY p0 d1 9"
		  " = probing\n"
		  "begin 2\n"
		  "right PROBE p0 d1 3 > both PROBE p0 d1 5 = probing\n");
}

TEST(worse_probe_is_swallowed)
{
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n"
		  "left PROBE p0 d1 3 refused\n"
		  "right PROBE p2 d3 4 refused\n");
}

TEST(better_probe_goes_on_as_far_as_it_may)
{
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n"
		  "left PROBE p2 d3 9 > right PROBE p2 d4 9\n"
		  "right PROBE p2 d3 9 > left PROBE p2 d4 9\n"
		  "left PROBE p2 d4 9 > left REPLY p2 d1 9\n"
		  "right PROBE p2 d4 9 > right REPLY p2 d1 9\n");
}

TEST(reply_to_another_is_passed_back_as_far_as_its_probe_came)
{
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n"
		  "right REPLY p2 d3 9 > left REPLY p2 d4 9\n"
		  "left REPLY p1 d1 3 > right REPLY p1 d2 3\n"
		  "right REPLY p2 d4 9 refused\n");
}

TEST(replies_from_both_sides_double_the_reach)
{
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n"
		  "left REPLY p0 d1 5\n"
		  "left REPLY p0 d1 5 refused\n"  /* the same again */
		  "right REPLY p1 d2 5 refused\n" /* of another phase */
		  "right REPLY p0 d1 5 > both PROBE p1 d1 5\n"
		  "right REPLY p0 d1 5 refused\n"
		  "right REPLY p1 d1 5 refused\n" /* not so far from us */
		  "right REPLY p1 d2 5\n"
		  "left REPLY p1 d2 5 > both PROBE p2 d1 5\n");
}

TEST(own_probe_that_comes_round_wins_once)
{
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n"
		  "right REPLY p0 d1 5\n"
		  "left REPLY p0 d1 5 > both PROBE p1 d1 5\n"
		  "right REPLY p1 d2 5\n"
		  "left REPLY p1 d2 5 > both PROBE p2 d1 5\n"
		  "left PROBE p1 d2 5 refused\n" /* of a phase that is over */
		  "left PROBE p2 d3 5 > right LEADER 5, decides 5\n"
		  "right PROBE p2 d3 5 refused\n"
		  "left LEADER 5 refused\n");
}

TEST(leader_message_goes_to_the_right_and_ends_the_election)
{
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n"
		  "right LEADER 9 refused\n"
		  "left LEADER 9 > right LEADER 9, decides 9\n"
		  "left LEADER 9 refused\n"
		  "left LEADER 10 refused\n");
}

TEST(decided_node_relays_and_begins_no_phase)
{
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n"
		  "left REPLY p0 d1 5\n"
		  "left LEADER 9 > right LEADER 9, decides 9\n"
		  "right REPLY p0 d1 5 refused\n"
		  "right PROBE p0 d1 5 refused\n"
		  "right PROBE p3 d4 9 > left PROBE p3 d5 9\n"
		  "left REPLY p1 d1 7 > right REPLY p1 d2 7\n"
		  "right PROBE p1 d1 4 refused\n");
}

TEST(other_node_relays_everything_where_only_starters_win)
{
	steps(hs, "begin 2 starters_only\n"
		  "left PROBE p1 d1 2 > right PROBE p1 d2 2 = relaying\n"
		  "left PROBE p1 d2 2 > left REPLY p1 d1 2\n"
		  "start\n"
		  "left LEADER 2 > right LEADER 2, decides 2\n"
		  "right PROBE p1 d1 1 > left PROBE p1 d2 1\n");
}

TEST(starter_swallows_worse_probes_after_the_end_too)
{
	steps(hs, "begin 2 starters_only\n"
		  "start > both PROBE p0 d1 5\n"
		  "left LEADER 2 refused\n"
		  "left LEADER 9 > right LEADER 9, decides 9\n"
		  "right PROBE p1 d1 3 refused\n");
}

TEST(hirschberg_sinclair_refuses_what_no_honest_node_sends)
{
	steps(hs, "begin 2\n"
		  "left LEADER 3 refused\n" /* we would have won */
		  "left LEADER 5 refused\n" /* we have not */
		  "left PROBE p0 d1 5 refused\n"
		  "left REPLY p0 d1 5 refused\n"
		  "start > both PROBE p0 d1 5\n"
		  "left LEADER 0 refused\n"
		  "left PROBE p0 d1 0 refused\n"
		  "left REPLY p0 d1 0 refused\n"
		  "left other p0 d1 9 refused\n"
		  "left PROBE p0 d0 9 refused\n"
		  "left REPLY p0 d0 9 refused\n"
		  "left PROBE p0 d2 9 refused\n"
		  "left REPLY p0 d2 9 refused\n"
		  "left PROBE p2 d5 9 refused\n"
		  "left REPLY p2 d5 9 refused\n"
		  "left PROBE p32 d1 9 refused\n" /* PHASE_MAX + 1 */
		  "left REPLY p32 d1 9 refused\n"
		  "left PROBE p4294967295 d1 9 refused\n"
		  "left REPLY p4294967295 d1 9 refused\n"
		  "left PROBE p31 d4294967295 9 refused\n"
		  "left REPLY p31 d4294967295 9 refused\n"
		  "left PROBE p0 d1 5^ refused\n"); /* our rank, as it is not */
}

TEST(phases_end_where_no_ring_is_so_long)
{
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n");
	for (unsigned k = 0; k < PHASE_MAX; k++)
		steps(hs,
		    "right REPLY p%u d%u 5\n"
		    "left REPLY p%u d%u 5 > both PROBE p%u d1 5\n",
		    k, 1U << k, k, 1U << k, k + 1);
	steps(hs, "right REPLY p31 d2147483648 5\n"
		  "left REPLY p31 d2147483648 5\n"
		  "right PROBE p31 d1 9 > left PROBE p31 d2 9\n");
}

/* Nodes 5 and 2, both ways: only the links tell the PROBEs of 5 apart. */
TEST(two_nodes_are_a_ring)
{
	steps(hs,
	    "begin 2 self=2\n"
	    "right PROBE p0 d1 5 > both PROBE p0 d1 2, right REPLY p0 d1 5\n"
	    "left PROBE p0 d1 5 > left REPLY p0 d1 5\n"
	    "left PROBE p1 d1 5 > right PROBE p1 d2 5\n"
	    "left LEADER 5 > right LEADER 5, decides 5\n"
	    "right PROBE p1 d1 5 > left PROBE p1 d2 5\n");
	steps(hs, "begin 2\n"
		  "start > both PROBE p0 d1 5\n"
		  "left REPLY p0 d1 5\n"
		  "right PROBE p0 d1 2 refused\n"
		  "left PROBE p0 d1 2 refused\n"
		  "right REPLY p0 d1 5 > both PROBE p1 d1 5\n"
		  "left PROBE p1 d2 5 > right LEADER 5, decides 5\n"
		  "left LEADER 5 refused\n"
		  "right PROBE p1 d2 5 refused\n");
}
