/* SPDX-License-Identifier: ISC */
/* The rules of the bully algorithm, and what no honest node sends. */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/steps.h"

/* Node 3 of 1, 2, 3, 4: two are worse, one is better. */
#define BEGIN "begin 3 self=3 peers=1+2+4 = idle\n"

static const struct algorithm *const bully = &algorithm_bully;

TEST(starter_asks_the_better_and_waits_for_the_winner)
{
	steps(bully, BEGIN "start > 2 ELECTION 3 = asking\n"
			   "2 OK 4 = waiting\n"
			   "2 COORDINATOR 4 > decides 4\n");
}

TEST(best_announces_itself_at_once)
{
	steps(bully, "begin 3 peers=1+2+4\n"
		     "start > all COORDINATOR 5, decides 5\n"
		     "begin 3 peers=1+2+4\n"
		     "0 ELECTION 1 > 0 OK 5, all COORDINATOR 5, decides 5\n");
}

TEST(node_is_a_starter_once)
{
	steps(bully, BEGIN "start > 2 ELECTION 3\n"
			   "start\n"
			   "0 ELECTION 1 > 0 OK 3\n"
			   "0 ELECTION 1 > 0 OK 3\n");
}

TEST(worse_node_is_answered_and_then_outdone)
{
	steps(bully, BEGIN "1 ELECTION 2 > 1 OK 3, 2 ELECTION 3 = asking\n");
}

/* COORDINATOR and ELECTION travel by different links: the count must not
 * depend on which is faster. */
TEST(election_that_comes_after_the_winner_is_held_all_the_same)
{
	steps(bully, BEGIN "2 COORDINATOR 4 > decides 4\n"
			   "0 ELECTION 1 > 0 OK 3, 2 ELECTION 3 = decided\n"
			   "2 OK 4 = decided\n");
}

TEST(worse_coordinator_is_bullied)
{
	steps(bully, BEGIN "1 COORDINATOR 2 > 2 ELECTION 3 = asking\n"
			   "0 COORDINATOR 1 = asking\n");
}

TEST(decision_changes_only_for_a_better_winner)
{
	steps(bully, BEGIN "2 COORDINATOR 5 > decides 5\n"
			   "2 COORDINATOR 5\n"
			   "2 COORDINATOR 4\n"
			   "2 COORDINATOR 6 > decides 6\n");
}

TEST(messages_that_make_no_sense_are_dropped)
{
	steps(bully,
	    BEGIN "0 ELECTION 0 refused\n"
		  "0 OK 0 refused\n"
		  "0 COORDINATOR 0 refused\n"
		  "0 other 0 refused\n"
		  "0 ELECTION 3 refused\n" /* our own id */
		  "0 OK 3 refused\n"
		  "0 COORDINATOR 3 refused\n"
		  "0 other 3 refused\n"
		  "0 other 1 refused\n"
		  "2 ELECTION 4 refused\n" /* a better one asks a worse one */
		  "2 OK 4 refused = idle\n"); /* of no question */
}
