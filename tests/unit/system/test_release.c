/* SPDX-License-Identifier: ISC */
/* Releases as text. */
#include "tests/unit/group.h"

#include "daemon/system/release.h"

TEST(release_is_read_as_it_is_written)
{
	const char *const releases[] = { "0.1.0", "0.2.13", "1.0.0",
		"65535.255.255", ELECTD_VERSION };
	char text[RELEASE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
		assert_string_equal(
		    release_text(release_read(releases[i]), text), releases[i]);
}

TEST(other_text_is_no_release)
{
	const char *const wrong[] = { "", "1", "1.2", "x.1.2", "65536.0.0",
		"1.256.0", "1.0.256" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(release_read(wrong[i]), 0);
}

TEST(later_release_has_the_higher_number)
{
	assert_true(release_read("0.2.0") > release_read("0.1.255"));
	assert_true(release_read("1.0.0") > release_read("0.255.255"));
}
