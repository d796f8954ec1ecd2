/* SPDX-License-Identifier: ISC */
/* How chown(1) takes a user, and to which groups a user may give files. */
#include "tests/unit/group.h"

#include <grp.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/system/rights/user.h"

#define NAMELESS 4000000001U /* no such user */
#define SOME_ID  65534

TEST(user_with_a_name_owns_with_the_own_group)
{
	char text[USER_TEXT_MAX];

	assert_string_equal(user_as_owner(0, text), "root:");
	assert_string_equal(user_as_owner(NAMELESS, text), "4000000001");
}

TEST(only_a_member_may_give_to_a_group)
{
	const gid_t groups[] = { SOME_ID - 2 };
	pid_t child;
	int status;

	if (geteuid() != 0)
		skip("only root can be another user");
	assert_true(user_may_give(SOME_ID - 1));
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(setgroups(1, groups) == 0 &&
			      setresgid(SOME_ID, SOME_ID, SOME_ID) == 0 &&
			      setresuid(SOME_ID, SOME_ID, SOME_ID) == 0 &&
			      user_may_give(SOME_ID) &&
			      user_may_give(SOME_ID - 2) &&
			      !user_may_give(SOME_ID - 1)
			  ? 0
			  : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
