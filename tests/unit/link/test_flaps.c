/* SPDX-License-Identifier: ISC */
/* How flaps are counted and forgiven, and how long they delay a peer. */
#include "tests/unit/group.h"

#include "common/link/flaps.h"

#define BEGIN (1000 * SEC)

static void
flaps_are_counted_to_a_maximum(void **state)
{
	struct flaps f = { 0 };

	(void)state;
	assert_int_equal(flaps_count(&f, BEGIN), 0);
	for (unsigned i = 1; i <= 2 * FLAPS_MAX; i++) {
		flaps_add(&f, BEGIN + i * SEC);
		assert_int_equal(flaps_count(&f, BEGIN + i * SEC),
		    i < FLAPS_MAX ? i : FLAPS_MAX);
	}
}

static void
calm_forgives_one_after_the_other(void **state)
{
	struct flaps f = { 0 };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		flaps_add(&f, BEGIN);
	assert_int_equal(flaps_count(&f, BEGIN + FLAPS_FORGIVE - 1), 3);
	assert_int_equal(flaps_count(&f, BEGIN + FLAPS_FORGIVE), 2);
	assert_int_equal(flaps_count(&f, BEGIN + 3 * FLAPS_FORGIVE), 0);
	assert_int_equal(flaps_count(&f, BEGIN + 30 * FLAPS_FORGIVE), 0);
	/* Half of the calm for the next is lost with another flap. */
	flaps_add(&f, BEGIN + FLAPS_FORGIVE * 3 / 2);
	assert_int_equal(flaps_count(&f, BEGIN + FLAPS_FORGIVE * 2), 3);
}

static void
count_of_others_is_taken_if_it_is_higher(void **state)
{
	struct flaps f = { 0 };

	(void)state;
	flaps_raise(&f, BEGIN, 0);
	assert_int_equal(flaps_count(&f, BEGIN), 0);
	flaps_raise(&f, BEGIN, 4);
	flaps_raise(&f, BEGIN + SEC, 4);
	flaps_raise(&f, BEGIN + SEC, 2);
	assert_int_equal(flaps_count(&f, BEGIN + FLAPS_FORGIVE), 3);
	flaps_raise(&f, BEGIN + FLAPS_FORGIVE, 4);
	assert_int_equal(flaps_count(&f, BEGIN + FLAPS_FORGIVE), 4);
}

static void
second_flap_costs_a_pause_that_doubles_with_each_more(void **state)
{
	(void)state;
	assert_int_equal(flaps_pause(0, 300 * MSEC), 0);
	assert_int_equal(flaps_pause(1, 300 * MSEC), 0);
	for (unsigned i = 2; i <= FLAPS_MAX; i++) {
		assert_int_equal(
		    flaps_pause(i, 300 * MSEC), FLAPS_PAUSE << (i - 2));
		assert_int_equal(flaps_pause(i, 3 * SEC), (3 * SEC) << (i - 2));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(flaps_are_counted_to_a_maximum),
	cmocka_unit_test(calm_forgives_one_after_the_other),
	cmocka_unit_test(count_of_others_is_taken_if_it_is_higher),
	cmocka_unit_test(second_flap_costs_a_pause_that_doubles_with_each_more),
};

GROUP(tests);
