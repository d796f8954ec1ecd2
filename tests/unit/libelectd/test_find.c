/* SPDX-License-Identifier: ISC */
/* Which socket a client takes; the live scripts try those that exist. */

#include "tests/unit/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/libelectd/electd.h"

TEST(a_cluster_has_its_socket_in_the_run_directory)
{
	char path[ELECTD_PATH_MAX];

	assert_int_equal(electd_find(NULL, "web", path), 0);
	assert_string_equal(path, "/run/electd/web.sock");
}

TEST(a_named_socket_is_used_as_it_is)
{
	char path[ELECTD_PATH_MAX];

	assert_int_equal(electd_find("some/where", NULL, path), 0);
	assert_string_equal(path, "some/where");
}

TEST(a_socket_of_the_environment_is_used_if_none_is_named)
{
	char path[ELECTD_PATH_MAX];

	setenv("ELECTD_SOCKET", "/there.sock", 1);
	assert_int_equal(electd_find(NULL, NULL, path), 0);
	assert_string_equal(path, "/there.sock");
	assert_int_equal(electd_find("/here.sock", NULL, path), 0);
	assert_string_equal(path, "/here.sock");
	unsetenv("ELECTD_SOCKET");
}

/* No name leads out of the directory, or to an admin socket. */
TEST(an_impossible_cluster_name_is_refused)
{
	char longest[ELECTD_PATH_MAX] = "", path[ELECTD_PATH_MAX];
	const char *const wrong[] = { "", "../web", "a/b", "web.admin",
		longest };

	memset(longest, 'x', sizeof(longest) - 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(electd_find(NULL, wrong[i], path), EINVAL);
}

TEST(a_socket_with_too_long_a_name_is_refused)
{
	char longest[ELECTD_PATH_MAX + 1] = "", path[ELECTD_PATH_MAX];

	memset(longest, 'x', ELECTD_PATH_MAX);
	assert_int_equal(electd_find(longest, NULL, path), ENAMETOOLONG);
	assert_null(electd_new(longest, ELECTD_ASK));
	longest[ELECTD_PATH_MAX - 1] = '\0';
	assert_int_equal(electd_find(longest, NULL, path), 0);
	assert_string_equal(path, longest);
}
