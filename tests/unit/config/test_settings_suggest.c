/* SPDX-License-Identifier: ISC */
/* How near a word is to another. tests/unit/settings/07 has what is
 * suggested. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_suggest.h"

TEST(distance_counts_slips_of_the_finger)
{
	assert_int_equal(word_distance("misses", "misses"), 0);
	assert_int_equal(word_distance("Misses", "misses"), 0);
	assert_int_equal(word_distance("misses", "mises"), 1);
	assert_int_equal(word_distance("guarantee", "gaurantee"), 1);
	assert_int_equal(word_distance("", "abc"), 3);
	assert_int_equal(word_distance("kitten", "sitting"), 3);
	assert_true(
	    word_distance("a234567890123456789012345678901234", "a") > 1000);
}
