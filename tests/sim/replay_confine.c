/* SPDX-License-Identifier: ISC */
/*
 * What electsim may do once it plays a tape. An image is bytes of a program's
 * memory, and no check can show that a false one is harmless; so whatever it
 * makes electsim do, that must not reach beyond this process.
 */
#include "tests/sim/replay.h"

#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "daemon/system/architecture.h"

/* What instruments it needs more system calls than electsim does. */
#if defined(ARCHITECTURE) && !defined(REPLAY_UNCONFINED)

#define SECOND_ARGUMENT (offsetof(struct seccomp_data, args) + 8)
#define THIRD_ARGUMENT  (offsetof(struct seccomp_data, args) + 2 * 8)

#define ALLOW(call)                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (SYS_##call), 0, 1),               \
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

bool
replay_confine(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		/* It writes to what it has open, */
		ALLOW(write),
		ALLOW(writev),
		ALLOW(fstat),
		ALLOW(newfstatat),
		ALLOW(lseek),
		ALLOW(close),
		/* takes memory, but none to run, */
		ALLOW(brk),
		ALLOW(munmap),
		ALLOW(mremap),
		ALLOW(madvise),
		ALLOW(sysinfo), /* qsort() wants to know how much there is */
		/* and ends, perhaps by an assertion. */
		ALLOW(rt_sigaction),
		ALLOW(rt_sigprocmask),
		ALLOW(rt_sigreturn),
		ALLOW(getpid),
		ALLOW(gettid),
		ALLOW(tgkill),
		ALLOW(exit_group),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, THIRD_ARGUMENT),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		/* The C library looks whether it writes to a terminal. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SECOND_ARGUMENT),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TCGETS, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {
		.len = sizeof(rules) / sizeof(rules[0]),
		.filter = rules,
	};

	tzset(); /* the C library reads files for this, once */
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool
replay_is_confined(void)
{
	return true;
}

#else

bool
replay_confine(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool
replay_is_confined(void)
{
	return false;
}

#endif
