/* SPDX-License-Identifier: ISC */
/*
 * The checker of chaos runs: heals without a leader, and records that it cannot
 * trust.
 */

#include "tests/bench/chaos/record.h"
#include "tests/unit/group.h"

/* Three nodes, healed at 1 s; the last one follows node 1 from `at` on. */
static void
heal(struct record *r, uint64_t at)
{
	all_start(r, 3, "quorum");
	comes(r, SEC, "healed");
	tells(r, ONE, 2 * SEC, 1, 1);
	tells(r, TWO, 2 * SEC, 1, 1);
	tells(r, THREE, at, 1, 1);
}

TEST(no_leader_of_all_within_three_seconds_of_a_heal_is_found)
{
	struct record r;

	heal(&r, 4 * SEC);
	shows(&r, VIOLATION_HEAL, 0, 0);
	heal(&r, 4 * SEC + 1);
	shows(&r, VIOLATION_HEAL, 1, 1);
	heal(&r, 101 * SEC);
	shows(&r, VIOLATION_HEAL, 1, 1);
}

TEST(a_recovery_ends_when_the_last_node_follows)
{
	struct record r;

	heal(&r, 3 * SEC);
	comes(&r, 100 * SEC, "end");
	assert_true(is_read(&r));
	verdict_init(&r.verdict, &r.history, stderr);
	assert_int_equal(r.verdict.recoveries.count, 1);
	assert_int_equal(sample_percentile(&r.verdict.recoveries, 50), 2 * SEC);
	verdict_done(&r.verdict);
	is_over(&r);
}

TEST(node_that_already_follows_at_a_heal_has_recovered)
{
	struct record r;

	heal(&r, 3 * SEC);
	comes(&r, 3 * SEC, "healed");
	shows(&r, VIOLATION_HEAL, 0, 0);
}

TEST(a_dead_node_follows_nobody)
{
	struct record r;
	unsigned again;

	heal(&r, 3 * SEC);
	is_killed(&r, 3500000000, 3);
	comes(&r, 3600000000, "healed");
	shows(&r, VIOLATION_HEAL, 1, 1);
	heal(&r, 3 * SEC);
	is_killed(&r, 3500000000, 3);
	again = starts(&r, 3600000000, 3);
	comes(&r, 3600000000, "healed");
	tells(&r, again, 4 * SEC, 1, 1);
	shows(&r, VIOLATION_HEAL, 0, 0);
}

TEST(a_leader_followed_in_other_terms_is_not_one_of_all)
{
	struct record r;

	all_start(&r, 2, "quorum");
	comes(&r, SEC, "healed");
	tells(&r, ONE, 2 * SEC, 2, 1);
	tells(&r, TWO, 2 * SEC, 1, 1);
	shows(&r, VIOLATION_HEAL, 1, 1);
}

TEST(a_leader_that_does_not_know_it_is_none)
{
	struct record r;

	all_start(&r, 2, "quorum");
	comes(&r, SEC, "healed");
	tells(&r, TWO, 2 * SEC, 2, 1);
	shows(&r, VIOLATION_HEAL, 1, 1);
}

TEST(death_without_a_fault_is_found)
{
	struct record r;

	all_start(&r, 1, "quorum");
	exits(&r, 20, 1, "false");
	shows(&r, VIOLATION_DEATH, 1, 1);
}

TEST(a_watcher_that_went_is_found)
{
	struct record r;

	all_start(&r, 1, "quorum");
	comes(&r, 20, "unwatched");
	shows(&r, VIOLATION_RECORD, 1, 1);
}

TEST(a_leader_before_its_watcher_came_is_found)
{
	struct record r;
	unsigned one;

	begins(&r, 1, "quorum");
	one = starts(&r, 10, 1);
	finds(&r, one, 20, 1, 1);
	shows(&r, VIOLATION_LATE, 1, 1);
	begins(&r, 1, "quorum");
	one = starts(&r, 10, 1);
	finds(&r, one, 20, 1, 0);
	tells(&r, one, 30, 1, 1);
	shows(&r, VIOLATION_LATE, 0, 0);
}

/* A follower's watcher was there in time. That it followed the same node in
 * the same term before, in its last life, does not count. */
TEST(a_leader_before_its_watcher_came_began_when_it_was_followed)
{
	struct record r;
	unsigned one;

	begins(&r, 2, "quorum");
	starts(&r, 10, 1);
	starts(&r, 11, 2);
	tells(&r, TWO, 20, 3, 1);
	is_killed(&r, 30, 1);
	tells(&r, TWO, 35, 3, 0);
	one = starts(&r, 40, 1);
	tells(&r, TWO, 60, 3, 1);
	finds(&r, one, 70, 3, 1);
	shows(&r, VIOLATION_LATE, 0, 0);
	assert_int_equal(r.verdict.span, 100 * SEC - 60);
}

TEST(an_overlap_before_the_watcher_came_is_found)
{
	struct record r;
	unsigned one;

	begins(&r, 3, "quorum");
	one = starts(&r, 10, 1);
	starts(&r, 11, 2);
	starts(&r, 12, 3);
	tells(&r, TWO, 20, 1, 2);
	tells(&r, THREE, 45, 2, 1);
	tells(&r, TWO, 50, 1, 0);
	finds(&r, one, 60, 2, 1);
	shows(&r, VIOLATION_OVERLAP, 1, 1);
	assert_int_equal(r.verdict.longest_overlap, 5);
}

TEST(without_quorum_a_start_on_a_full_disk_may_be_refused)
{
	static const char *const guarantees[] = { "quorum", "component" };
	struct record r;

	for (unsigned i = 0; i < 2; i++) {
		begins(&r, 1, guarantees[i]);
		starts(&r, 10, 1);
		fputs("{\"mono_ns\":20,\"what\":\"exit\",\"host\":1,"
		      "\"start\":1,\"asked\":false,\"full\":true,"
		      "\"code\":1}\n",
		    r.log.file);
		shows(&r, VIOLATION_DEATH, 1 - i, 1 - i);
	}
}

/* A record without sense gives no verdict. */
static void
refuses(struct record *r, bool has_end)
{
	if (has_end)
		comes(r, 100 * SEC, "end");
	assert_false(is_read(r));
	is_over(r);
}

TEST(state_that_makes_no_sense_is_refused)
{
	struct record r;
	unsigned one;

	begins(&r, 1, "quorum");
	refuses(&r, false);
	begins(&r, 1, "quorum");
	one = starts(&r, 10, 1);
	starts(&r, 20, 1); /* but the first has not died */
	refuses(&r, true);
	begins(&r, 1, "quorum");
	starts(&r, 10, 2); /* no such node */
	refuses(&r, true);
	begins(&r, 1, "quorum");
	one = starts(&r, 10, 1);
	r.host[one] = 2; /* the stream of another host */
	tells(&r, one, 20, 1, 1);
	refuses(&r, true);
	begins(&r, 1, "quorum");
	one = starts(&r, 10, 1);
	fputs("{\"event\":\"leader\",\"term\":1", r.watch[one].file);
	refuses(&r, true);
}

TEST(percentiles_are_values_of_the_sample)
{
	nsec_t values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	struct sample s = { .values = values, .count = 10 }, none = { 0 };

	assert_int_equal(sample_percentile(&s, 50), 5);
	assert_int_equal(sample_percentile(&s, 90), 9);
	assert_int_equal(sample_percentile(&s, 100), 10);
	assert_int_equal(sample_percentile(&none, 50), 0);
}
