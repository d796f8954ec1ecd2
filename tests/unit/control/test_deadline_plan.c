/* SPDX-License-Identifier: ISC */
/* When a watcher is sent a deadline. */
#include "tests/unit/group.h"

#include "daemon/control/answers/deadline_plan.h"

#define LEASE (1200 * MSEC)
#define PART  (LEASE / 12)
#define NOW   (100 * SEC)

static bool
is_due(nsec_t sent, nsec_t until)
{
	return deadline_is_due(LEASE, NOW, sent, until);
}

TEST(first_deadline_has_half_of_a_lease_left)
{
	assert_true(is_due(0, NOW + 8 * PART));
	assert_true(is_due(0, NOW + 6 * PART));
	assert_false(is_due(0, NOW + 6 * PART - 1));
	assert_false(is_due(0, 0));
}

TEST(next_deadline_comes_early_enough)
{
	assert_false(is_due(NOW + 7 * PART + 1, NOW + 8 * PART));
	assert_true(is_due(NOW + 7 * PART, NOW + 8 * PART));
	assert_true(is_due(NOW + 1, NOW + 2));
	assert_false(is_due(NOW + 5 * PART, NOW + 5 * PART));
}

/* The program has ended, as its deadline was over. */
TEST(deadline_after_one_that_is_over_counts_as_the_first)
{
	assert_false(is_due(NOW, NOW + 5 * PART));
	assert_true(is_due(NOW, NOW + 6 * PART));
}

TEST(watcher_is_looked_after_in_each_part)
{
	assert_int_equal(deadline_look_gap(LEASE), PART);
}
