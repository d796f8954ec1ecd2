/* SPDX-License-Identifier: ISC */
/* When the results of a check change what is said of the service. */
#include "tests/unit/group.h"

#include "daemon/electctl/check/tally.h"

#define RISE 2
#define FALL 3

static struct tally tally;

static int
enter(void **state)
{
	(void)state;
	tally = (struct tally){ .verdict = TALLY_NONE };
	return 0;
}

/* Takes a result for each letter: "+" is a pass. Gives how many of them have
 * changed the verdict. */
static unsigned
take(const char *results)
{
	unsigned changes = 0;

	for (; *results != '\0'; results++)
		changes += tally_take(&tally, *results == '+', RISE, FALL);
	return changes;
}

TEST(first_result_decides, enter)
{
	assert_int_equal(take("+"), 1);
	assert_int_equal(tally.verdict, TALLY_WELL);
	tally = (struct tally){ .verdict = TALLY_NONE };
	assert_int_equal(take("-"), 1);
	assert_int_equal(tally.verdict, TALLY_FAULT);
}

TEST(failures_in_a_row_are_a_fault, enter)
{
	take("+");
	assert_int_equal(take("--"), 0);
	assert_int_equal(tally.verdict, TALLY_WELL);
	assert_int_equal(take("-"), 1);
	assert_int_equal(tally.verdict, TALLY_FAULT);
	assert_int_equal(take("---"), 0);
}

TEST(passes_in_a_row_end_a_fault, enter)
{
	take("-");
	assert_int_equal(take("+"), 0);
	assert_int_equal(tally.verdict, TALLY_FAULT);
	assert_int_equal(take("+"), 1);
	assert_int_equal(tally.verdict, TALLY_WELL);
	assert_int_equal(take("+++"), 0);
}

TEST(check_that_flaps_changes_nothing, enter)
{
	take("+");
	assert_int_equal(take("--+--+--+--+"), 0);
	assert_int_equal(tally.verdict, TALLY_WELL);
	take("---");
	assert_int_equal(take("+-+-+--+-"), 0);
	assert_int_equal(tally.verdict, TALLY_FAULT);
}

TEST(one_result_changes_the_tally_if_one_is_enough, enter)
{
	assert_true(tally_take(&tally, true, 1, 1));
	assert_true(tally_take(&tally, false, 1, 1));
	assert_true(tally_take(&tally, true, 1, 1));
	assert_false(tally_take(&tally, true, 1, 1));
}
