/* SPDX-License-Identifier: ISC */
/* The history of the last elections that a node keeps. */

#include "tests/unit/group.h"

#include "common/election/election_history.h"

/* Begins the elections of these terms, one after another. */
static void
begin_terms(struct election_history *history, uint64_t first, uint64_t last)
{
	for (uint64_t term = first; term <= last; term++)
		election_history_begin(
		    history, &(struct past_election){
				 .term = term, .began = term * SEC });
	election_history_check(history);
}

TEST(nothing_is_known_before_the_first_election)
{
	static const struct election_history none;

	assert_null(election_history_find(&none, 0));
	assert_null(election_history_find(&none, 1));
}

TEST(past_election_begins_as_it_is_given)
{
	static struct election_history history;
	const struct past_election first = {
		.term = 7,
		.reason = { REASON_MISSED, 5 },
		.is_starter = true,
		.restarts = 2,
		.links = 4,
		.began = 9 * SEC,
	};
	const struct past_election *a =
	    election_history_begin(&history, &first);

	assert_ptr_equal(election_history_find(&history, 7), a);
	assert_memory_equal(a, &first, sizeof(first));
	assert_int_equal(a->decided, 0);
	assert_int_equal(a->phases_count, 0);
}

TEST(a_term_is_found_and_the_last_one_without_asking_for_it)
{
	static struct election_history history;

	begin_terms(&history, 3, 5);
	assert_int_equal(election_history_find(&history, 0)->term, 5);
	for (uint64_t term = 3; term <= 5; term++)
		assert_int_equal(
		    election_history_find(&history, term)->began, term * SEC);
	assert_null(election_history_find(&history, 2));
	assert_null(election_history_find(&history, 6));
	assert_null(election_history_find(&history, UINT64_MAX));
}

TEST(the_oldest_election_is_forgotten_first)
{
	static struct election_history history;

	begin_terms(&history, 1, HISTORY_ELECTIONS_MAX);
	assert_int_equal(election_history_find(&history, 1)->term, 1);
	begin_terms(
	    &history, HISTORY_ELECTIONS_MAX + 1, HISTORY_ELECTIONS_MAX + 1);
	assert_null(election_history_find(&history, 1));
	for (uint64_t term = 2; term <= HISTORY_ELECTIONS_MAX + 1; term++)
		assert_int_equal(
		    election_history_find(&history, term)->term, term);
	assert_int_equal(election_history_find(&history, 0)->term,
	    HISTORY_ELECTIONS_MAX + 1);
}

/* Nothing of another election stays in its place. */
TEST(a_place_is_taken_over_empty)
{
	static struct election_history history;
	struct past_election *old, *new;

	old = election_history_begin(
	    &history, &(struct past_election){ .term = 1 });
	old->sent[0] = 3;
	old->decided = SEC;
	old->winner.id = 4;
	past_election_phase(old, "asking", 0);
	begin_terms(&history, 2, HISTORY_ELECTIONS_MAX);
	new = election_history_begin(
	    &history, &(struct past_election){ .term = 99 });
	assert_ptr_equal(new, old);
	assert_int_equal(new->sent[0], 0);
	assert_int_equal(new->decided, 0);
	assert_int_equal(new->phases_count, 0);
}

TEST(a_phase_is_noted_when_it_is_entered)
{
	static struct election_history history;
	struct past_election *a = election_history_begin(
	    &history, &(struct past_election){ .term = 1 });

	past_election_phase(a, "asking", 1);
	past_election_phase(a, "asking", 2);
	past_election_phase(a, "waiting", 3);
	past_election_phase(a, "asking", 4);
	assert_int_equal(a->phases_count, 3);
	assert_string_equal(a->phases[0].name, "asking");
	assert_int_equal(a->phases[0].at, 1);
	assert_string_equal(a->phases[1].name, "waiting");
	assert_int_equal(a->phases[1].at, 3);
	assert_string_equal(a->phases[2].name, "asking");
	assert_int_equal(a->phases[2].at, 4);
	election_history_check(&history);
}

TEST(phases_beyond_the_table_are_not_kept)
{
	static const char *const names[] = { "odd", "even" };
	static struct past_election a;

	a.term = 5;
	for (nsec_t at = 0; at < 3 * HISTORY_PHASES_MAX; at++)
		past_election_phase(&a, names[at % 2], at);
	assert_int_equal(a.phases_count, HISTORY_PHASES_MAX);
	assert_int_equal(
	    a.phases[HISTORY_PHASES_MAX - 1].at, HISTORY_PHASES_MAX - 1);
	assert_int_equal(a.term, 5);
}
