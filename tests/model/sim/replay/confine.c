/* SPDX-License-Identifier: ISC */
/*
 * What electsim may do once it plays a tape. A checkpoint is bytes of a
 * program's memory, and no check can show that a false one is harmless; so
 * whatever it makes electsim do, that must not reach beyond this process.
 */
#include "tests/model/sim/replay/replay.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "daemon/system/rights/confine.h"

/* A sanitizer needs more system calls than electsim does. */
#if defined(CONFINE_MACHINE) && !defined(REPLAY_UNCONFINED)

bool
replay_confine(void)
{
	struct sock_filter rules[] = {
		CONFINE_BEGIN,
		/* electsim writes to the files that it has open, */
		CONFINE_CALL(write),
		CONFINE_CALL(writev),
		CONFINE_CALL(fstat),
		CONFINE_CALL(newfstatat),
		CONFINE_CALL(lseek),
		CONFINE_CALL(close),
		/* takes memory, but none to run, */
		CONFINE_CALL(brk),
		CONFINE_CALL(munmap),
		CONFINE_CALL(mremap),
		CONFINE_CALL(madvise),
		CONFINE_CALL(sysinfo), /* qsort() asks how much there is */
		CONFINE_CALL_UNLESS_ANY(mmap, 2, PROT_EXEC),
		/* looks whether it writes to a terminal, */
		CONFINE_CALL_IF_EQUAL(ioctl, 1, TCGETS),
		/* and ends, perhaps by an assertion. */
		CONFINE_CALL(rt_sigaction),
		CONFINE_CALL(rt_sigprocmask),
		CONFINE_CALL(rt_sigreturn),
		CONFINE_CALL(getpid),
		CONFINE_CALL(gettid),
		CONFINE_CALL(tgkill),
		CONFINE_CALL(exit_group),
		CONFINE_END,
	};

	tzset(); /* the C library reads files for this, once */
	return confine_calls(rules, sizeof(rules) / sizeof(rules[0]));
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
	return confine_rights();
}

bool
replay_is_confined(void)
{
	return false;
}

#endif
