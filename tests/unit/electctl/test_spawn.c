/* SPDX-License-Identifier: ISC */
/* A command that was started can be killed with its group at once. */
#include "tests/unit/group.h"

#include "daemon/electctl/run/spawn.h"

#include <sys/wait.h>
#include <unistd.h>

static bool
prepare_nothing(const void *context)
{
	(void)context;
	return true;
}

/* The parent may kill it before it runs. */
TEST(command_has_a_group_from_the_start)
{
	char *words[] = { (char[]){ "cat" }, NULL };
	struct spawn spawn = { .words = words, .prepare = prepare_nothing };
	sigset_t mask;

	sigemptyset(&mask);
	spawn.mask = &mask;
	for (int i = 0; i < 100; i++) {
		int failed, status;
		pid_t pid = spawn_start(&spawn, &failed);

		assert_true(pid > 0);
		assert_int_equal(getpgid(pid), pid);
		assert_int_equal(kill(-pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		close(failed);
	}
}
