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

static void
nothing_is_known_before_the_first_election(void **state)
{
	static const struct election_history none;

	(void)state;
	assert_null(election_history_find(&none, 0));
	assert_null(election_history_find(&none, 1));
}

static void
past_election_begins_as_it_is_given(void **state)
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

	(void)state;
	assert_ptr_equal(election_history_find(&history, 7), a);
	assert_memory_equal(a, &first, sizeof(first));
	assert_int_equal(a->decided, 0);
	assert_int_equal(a->phases_count, 0);
}

static void
a_term_is_found_and_the_last_one_without_asking_for_it(void **state)
{
	static struct election_history history;

	(void)state;
	begin_terms(&history, 3, 5);
	assert_int_equal(election_history_find(&history, 0)->term, 5);
	for (uint64_t term = 3; term <= 5; term++)
		assert_int_equal(
		    election_history_find(&history, term)->began, term * SEC);
	assert_null(election_history_find(&history, 2));
	assert_null(election_history_find(&history, 6));
	assert_null(election_history_find(&history, UINT64_MAX));
}

static void
the_oldest_election_is_forgotten_first(void **state)
{
	static struct election_history history;

	(void)state;
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
static void
a_place_is_taken_over_empty(void **state)
{
	static struct election_history history;
	struct past_election *old, *new;

	(void)state;
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

static void
a_phase_is_noted_when_it_is_entered(void **state)
{
	static struct election_history history;
	struct past_election *a = election_history_begin(
	    &history, &(struct past_election){ .term = 1 });

	(void)state;
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

static void
phases_beyond_the_table_are_not_kept(void **state)
{
	static const char *const names[] = { "odd", "even" };
	static struct past_election a;

	(void)state;
	a.term = 5;
	for (nsec_t at = 0; at < 3 * HISTORY_PHASES_MAX; at++)
		past_election_phase(&a, names[at % 2], at);
	assert_int_equal(a.phases_count, HISTORY_PHASES_MAX);
	assert_int_equal(
	    a.phases[HISTORY_PHASES_MAX - 1].at, HISTORY_PHASES_MAX - 1);
	assert_int_equal(a.term, 5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nothing_is_known_before_the_first_election),
	cmocka_unit_test(past_election_begins_as_it_is_given),
	cmocka_unit_test(
	    a_term_is_found_and_the_last_one_without_asking_for_it),
	cmocka_unit_test(the_oldest_election_is_forgotten_first),
	cmocka_unit_test(a_place_is_taken_over_empty),
	cmocka_unit_test(a_phase_is_noted_when_it_is_entered),
	cmocka_unit_test(phases_beyond_the_table_are_not_kept),
};

GROUP(tests);
