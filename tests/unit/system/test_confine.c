/* SPDX-License-Identifier: ISC */
/* A filter on a kernel that is too old to log what a filter refuses. A filter
 * plays that kernel. */
#include "tests/unit/group.h"

#include <sys/wait.h>

#include "daemon/system/rights/confine.h"

#define RULES(rules) rules, sizeof(rules) / sizeof((rules)[0])

static struct sock_filter before_4_14[] = {
	CONFINE_NUMBER,
	CONFINE_CALL_UNLESS_ANY(seccomp, 1, SECCOMP_FILTER_FLAG_LOG),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
	CONFINE_ALLOW,
};

static struct sock_filter no_chroot[] = {
	CONFINE_NUMBER,
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_chroot, 0, 1),
	CONFINE_REFUSE,
	CONFINE_ALLOW,
};

TEST(kernel_that_cannot_log_filters_all_the_same)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(confine_calls(RULES(before_4_14)) &&
			      confine_threads(RULES(no_chroot), true) == 0 &&
			      chroot("/") == -1 && errno == ENOSYS
			  ? 0
			  : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
