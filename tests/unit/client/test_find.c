/* SPDX-License-Identifier: ISC */
/* Which socket a client takes; the live scripts try those that exist. */

#include "tests/unit/group.h"

#include "daemon/client/client.h"

TEST(a_cluster_has_its_socket_in_the_run_directory)
{
	const struct whereabouts place = { .cluster = "web" };
	char path[CONTROL_PATH_MAX];

	assert_int_equal(find_socket(&place, path), CODE_YES);
	assert_string_equal(path, "/run/electd/web.sock");
}

TEST(a_named_socket_is_used_as_it_is)
{
	const struct whereabouts place = { .socket = "some/where" };
	char path[CONTROL_PATH_MAX];

	assert_int_equal(find_socket(&place, path), CODE_YES);
	assert_string_equal(path, "some/where");
}

/* No name leads out of the directory, or to an admin socket. */
TEST(an_impossible_cluster_name_is_refused)
{
	char longest[CONTROL_PATH_MAX] = "", path[CONTROL_PATH_MAX];
	const char *const wrong[] = { "", "../web", "a/b", "web.admin",
		longest };

	memset(longest, 'x', sizeof(longest) - 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct whereabouts place = { .cluster = wrong[i] };

		assert_int_equal(find_socket(&place, path), CODE_USAGE);
	}
}

TEST(a_socket_with_too_long_a_name_is_refused)
{
	char longest[CONTROL_PATH_MAX + 1] = "", path[CONTROL_PATH_MAX];
	const struct whereabouts place = { .socket = longest };

	memset(longest, 'x', CONTROL_PATH_MAX);
	assert_int_equal(find_socket(&place, path), CODE_USAGE);
	longest[CONTROL_PATH_MAX - 1] = '\0';
	assert_int_equal(find_socket(&place, path), CODE_YES);
	assert_string_equal(path, longest);
}
