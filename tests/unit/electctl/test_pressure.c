/* SPDX-License-Identifier: ISC */
/* What the kernel says of the pressure on a resource. */
#include "tests/unit/group.h"

#include "daemon/electctl/check/pressure.h"

#define SOME "some avg10=7.05 avg60=95.60 avg300=53.64 total=247326512\n"

static unsigned avg10;

TEST(work_that_stands_still_counts)
{
	assert_true(pressure_find(SOME
	    "full avg10=61.20 avg60=0.00 avg300=0.00 total=0\n",
	    "memory", &avg10));
	assert_int_equal(avg10, 6120);
	assert_true(pressure_find(SOME
	    "full avg10=100.00 avg60=0.00 avg300=0.00 total=0\n",
	    "io", &avg10));
	assert_int_equal(avg10, 10000);
}

/* An old kernel has no line "full" there, and a new one zeroes. */
TEST(work_that_waits_for_a_processor_counts)
{
	assert_true(pressure_find(SOME, "cpu", &avg10));
	assert_int_equal(avg10, 705);
	assert_true(pressure_find(SOME
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
	    "cpu", &avg10));
	assert_int_equal(avg10, 705);
}

TEST(other_text_is_none)
{
	static const char *const texts[] = { "", SOME, "full",
		"full avg10=", "full avg10=x.00", "full avg10=1",
		"full avg10=1.", "full avg10=100.01", "full avg10=1234.00",
		"full avg10=-1.00" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(pressure_find(texts[i], "memory", &avg10));
}
