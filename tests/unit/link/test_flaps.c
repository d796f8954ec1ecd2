/* SPDX-License-Identifier: ISC */
/* How flaps are counted and forgiven, and how long they delay a peer. */
#include "tests/unit/group.h"

#include "common/link/flaps.h"

#define BEGIN (1000 * SEC)

TEST(flaps_are_counted_to_a_maximum)
{
	struct flaps f = { 0 };

	assert_int_equal(flaps_count(&f, BEGIN), 0);
	for (unsigned i = 1; i <= 2 * FLAPS_MAX; i++) {
		flaps_add(&f, BEGIN + i * SEC);
		assert_int_equal(flaps_count(&f, BEGIN + i * SEC),
		    i < FLAPS_MAX ? i : FLAPS_MAX);
	}
}

TEST(calm_forgives_one_after_the_other)
{
	struct flaps f = { 0 };

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

TEST(count_of_others_is_taken_if_it_is_higher)
{
	struct flaps f = { 0 };

	flaps_raise(&f, BEGIN, 0);
	assert_int_equal(flaps_count(&f, BEGIN), 0);
	flaps_raise(&f, BEGIN, 4);
	flaps_raise(&f, BEGIN + SEC, 4);
	flaps_raise(&f, BEGIN + SEC, 2);
	assert_int_equal(flaps_count(&f, BEGIN + FLAPS_FORGIVE), 3);
	flaps_raise(&f, BEGIN + FLAPS_FORGIVE, 4);
	assert_int_equal(flaps_count(&f, BEGIN + FLAPS_FORGIVE), 4);
}

TEST(second_flap_costs_a_pause_that_doubles_with_each_more)
{
	assert_int_equal(flaps_pause(0, 300 * MSEC), 0);
	assert_int_equal(flaps_pause(1, 300 * MSEC), 0);
	for (unsigned i = 2; i <= FLAPS_MAX; i++) {
		assert_int_equal(
		    flaps_pause(i, 300 * MSEC), FLAPS_PAUSE << (i - 2));
		assert_int_equal(flaps_pause(i, 3 * SEC), (3 * SEC) << (i - 2));
	}
}
