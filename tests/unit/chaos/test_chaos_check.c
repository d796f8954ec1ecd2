/* SPDX-License-Identifier: ISC */
/*
 * The checker of chaos runs, with records that a test writes: two leaders at
 * once or in one term, and terms that go back. It finds them to the nanosecond,
 * and nothing in a good record.
 */

#include "tests/bench/chaos/record.h"
#include "tests/unit/group.h"

/* Two nodes; the first leads in term 1 from 100 to 200, the other from `at`. */
static void
two_leaders(struct record *r, const char *guarantee, unsigned at)
{
	all_start(r, 2, guarantee);
	tells(r, ONE, 100, 1, 1);
	tells(r, ONE, 200, 1, 0);
	tells(r, TWO, at, 2, 2);
}

TEST(an_overlap_of_one_nanosecond_is_found)
{
	struct record r;

	two_leaders(&r, "quorum", 199);
	shows(&r, VIOLATION_OVERLAP, 1, 1);
	assert_int_equal(r.verdict.longest_overlap, 1);
}

TEST(leaderships_that_touch_do_not_overlap)
{
	struct record r;

	two_leaders(&r, "quorum", 200);
	shows(&r, VIOLATION_OVERLAP, 0, 0);
	assert_int_equal(r.verdict.longest_overlap, 0);
	assert_int_equal(r.verdict.shortest_change, 0);
}

TEST(a_change_of_leader_is_measured)
{
	struct record r;

	two_leaders(&r, "quorum", 207);
	shows(&r, VIOLATION_OVERLAP, 0, 0);
	assert_int_equal(r.verdict.shortest_change, 7);
	assert_int_equal(r.verdict.leaderless, 7);
	assert_int_equal(r.verdict.span, 100 * SEC - 100);
}

TEST(in_component_mode_an_overlap_is_only_counted)
{
	struct record r;

	two_leaders(&r, "component", 150);
	shows(&r, VIOLATION_OVERLAP, 1, 0);
	assert_int_equal(r.verdict.longest_overlap, 50);
}

TEST(an_overlap_with_the_last_but_one_is_found)
{
	struct record r;

	all_start(&r, 3, "quorum");
	tells(&r, ONE, 100, 1, 1);
	tells(&r, ONE, 500, 1, 0);
	tells(&r, TWO, 200, 2, 2);
	tells(&r, TWO, 210, 2, 0);
	tells(&r, THREE, 400, 3, 3);
	shows(&r, VIOLATION_OVERLAP, 2, 2);
	assert_int_equal(r.verdict.longest_overlap, 100);
}

TEST(another_leader_ends_a_leadership_too)
{
	struct record r;

	all_start(&r, 2, "quorum");
	tells(&r, ONE, 100, 1, 1);
	tells(&r, ONE, 300, 2, 2);
	tells(&r, TWO, 290, 2, 2);
	shows(&r, VIOLATION_OVERLAP, 1, 1);
	assert_int_equal(r.verdict.longest_overlap, 10);
}

/* Nothing counts that a node says after its death. */
static void
killed_leader(struct record *r, unsigned at)
{
	all_start(r, 2, "quorum");
	tells(r, ONE, 100, 1, 1);
	is_killed(r, 300, 1);
	exits(r, 320, 1, "true");
	tells(r, TWO, at, 2, 2);
}

TEST(a_killed_leader_leads_until_it_is_killed)
{
	struct record r;

	killed_leader(&r, 300);
	shows(&r, VIOLATION_OVERLAP, 0, 0);
	killed_leader(&r, 299);
	shows(&r, VIOLATION_OVERLAP, 1, 1);
}

TEST(a_leader_that_says_nothing_leads_until_its_exit)
{
	struct record r;

	all_start(&r, 2, "quorum");
	tells(&r, ONE, 100, 1, 1);
	exits(&r, 320, 1, "true");
	tells(&r, TWO, 310, 2, 2);
	shows(&r, VIOLATION_OVERLAP, 1, 1);
	assert_int_equal(r.verdict.longest_overlap, 10);
}

TEST(a_leader_that_never_ends_leads_to_the_end)
{
	struct record r;

	all_start(&r, 2, "quorum");
	tells(&r, ONE, 100, 1, 1);
	tells(&r, TWO, 100 * SEC - 1, 2, 2);
	shows(&r, VIOLATION_OVERLAP, 1, 1);
	assert_int_equal(r.verdict.longest_overlap, 1);
}

TEST(a_paused_leader_ends_with_its_lease_however_late_it_is_told)
{
	struct record r;

	all_start(&r, 2, "quorum");
	tells(&r, ONE, 100, 1, 1);
	tells(&r, TWO, 400, 2, 2);
	/* The line of ONE came at 900. */
	tells(&r, ONE, 400, 1, 0);
	tells(&r, ONE, 900, 2, 2);
	shows(&r, VIOLATION_OVERLAP, 0, 0);
}

TEST(the_offsets_of_clocks_are_taken_off)
{
	struct record r;
	unsigned one, two;

	begins(&r, 2, "quorum");
	one = starts_ahead(&r, 10, 1, 1000);
	two = starts_ahead(&r, 10, 2, -50);
	tells(&r, one, 1100, 1, 1);
	tells(&r, one, 1200, 1, 0);
	tells(&r, two, 149, 2, 2);
	shows(&r, VIOLATION_OVERLAP, 1, 1);
	assert_int_equal(r.verdict.longest_overlap, 1);
}

TEST(a_leadership_that_ends_before_it_began_is_found)
{
	struct record r;

	all_start(&r, 1, "quorum");
	tells(&r, ONE, 100, 1, 1);
	tells(&r, ONE, 99, 1, 0);
	shows(&r, VIOLATION_BACKWARDS, 1, 1);
}

TEST(one_term_led_by_two_nodes_is_found)
{
	struct record r;

	all_start(&r, 2, "quorum");
	tells(&r, ONE, 100, 3, 1);
	tells(&r, ONE, 200, 3, 0);
	tells(&r, TWO, 300, 3, 2);
	/* Two nodes follow it, and its term is no higher either. */
	shows(&r, VIOLATION_TERM, 1, 3);
}

TEST(one_term_led_by_two_starts_of_a_node_is_found)
{
	struct record r;
	unsigned one, again;

	begins(&r, 1, "quorum");
	one = starts(&r, 10, 1);
	tells(&r, one, 100, 3, 1);
	is_killed(&r, 200, 1);
	again = starts(&r, 210, 1);
	tells(&r, again, 300, 3, 1);
	shows(&r, VIOLATION_TERM, 1, 2);
}

TEST(one_leadership_may_appear_twice)
{
	struct record r;

	all_start(&r, 1, "quorum");
	tells(&r, ONE, 100, 3, 1);
	tells(&r, ONE, 150, 3, 1);
	tells(&r, ONE, 200, 4, 1);
	shows(&r, VIOLATION_TERM, 0, 0);
	assert_int_equal(r.verdict.leaderships, 2);
}

TEST(two_followed_in_one_term_are_found)
{
	struct record r;
	unsigned one, two;

	begins(&r, 4, "quorum");
	one = starts(&r, 10, 1);
	two = starts(&r, 10, 2);
	tells(&r, one, 100, 3, 3);
	tells(&r, two, 900, 3, 4);
	shows(&r, VIOLATION_NAME, 1, 1);
}

TEST(a_lower_term_of_the_next_leader_is_found)
{
	struct record r;

	all_start(&r, 2, "quorum");
	tells(&r, ONE, 100, 5, 1);
	tells(&r, ONE, 200, 5, 0);
	tells(&r, TWO, 300, 4, 2);
	shows(&r, VIOLATION_RISE, 1, 1);
}

TEST(a_term_led_again_after_it_was_given_up_is_found)
{
	struct record r;

	all_start(&r, 1, "quorum");
	tells(&r, ONE, 100, 5, 1);
	tells(&r, ONE, 200, 5, 0);
	tells(&r, ONE, 300, 5, 1);
	shows(&r, VIOLATION_RISE, 1, 1);
}

static void
term_goes_back(struct record *r, const char *guarantee, bool has_restarted)
{
	unsigned one;

	begins(r, 2, guarantee);
	one = starts(r, 10, 1);
	tells(r, one, 100, 5, 2);
	tells(r, one, 200, 5, 0);
	if (has_restarted) {
		is_killed(r, 300, 1);
		one = starts(r, 310, 1);
	}
	tells(r, one, 400, 4, 2);
}

TEST(a_term_that_goes_back_at_a_node_is_found)
{
	struct record r;

	term_goes_back(&r, "quorum", false);
	shows(&r, VIOLATION_BACK, 1, 1);
	term_goes_back(&r, "component", false);
	shows(&r, VIOLATION_BACK, 1, 1);
}

TEST(a_term_that_goes_back_with_a_restart_is_found)
{
	struct record r;

	term_goes_back(&r, "quorum", true);
	shows(&r, VIOLATION_BACK, 1, 1);
	/* Under component no promise outlives the process. */
	term_goes_back(&r, "component", true);
	shows(&r, VIOLATION_BACK, 0, 0);
}
