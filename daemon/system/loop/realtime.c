/* SPDX-License-Identifier: ISC */
#include "daemon/system/loop/realtime.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "daemon/system/log.h"

/*
 * The hard limit: the kernel kills a real-time process that runs for that long
 * without waiting. lastwill needs this limit, as it blocks the signal of the
 * soft one.
 */
#define RUN_END SEC

/* Static: only the loop's thread is real-time, and its signal handler reaches
 * nothing else. */
static volatile sig_atomic_t ran_too_long;
static nsec_t again_at = NSEC_NEVER; /* when to be real-time again */

/* SIGXCPU interrupts the thread anywhere, so this is async-signal-safe. */
static void
on_too_long(int signal)
{
	struct sched_param none = { 0 };
	int before = errno;

	(void)signal;
	(void)sched_setscheduler(0, SCHED_OTHER, &none);
	ran_too_long = 1;
	errno = before;
}

static rlim_t
limit_within(nsec_t wanted, rlim_t most)
{
	rlim_t us = (rlim_t)(wanted / USEC);

	return us < most ? us : most;
}

/* The kernel raises the soft limit with each signal (setrlimit(2)), so this
 * sets it again each time. */
static bool
realtime_limit(void)
{
	struct sigaction action = { .sa_handler = on_too_long,
		.sa_flags = SA_RESTART };
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTTIME, &limit) != 0)
		return false;
	limit.rlim_max = limit_within(RUN_END, limit.rlim_max);
	limit.rlim_cur = limit_within(REALTIME_RUN_MAX, limit.rlim_max);
	sigemptyset(&action.sa_mask);
	return sigaction(SIGXCPU, &action, NULL) == 0 &&
	       setrlimit(RLIMIT_RTTIME, &limit) == 0;
}

/* SCHED_RR lets several electds of one host take turns. */
static void
realtime_schedule(void)
{
	struct timespec moment = { .tv_nsec = (long)(100 * USEC) };
	struct sched_param param = { .sched_priority = REALTIME_PRIORITY };

	if (!realtime_limit()) {
		log_warn(
		    "realtime: cannot limit the run time (RLIMIT_RTTIME), so this stays an ordinary process; the unit needs SystemCallFilter=prlimit64");
		return;
	}
	if (sched_setscheduler(0, SCHED_RR, &param) != 0) {
		log_warn(
		    "realtime: cannot set SCHED_RR, so this stays an ordinary process; the unit needs LimitRTPRIO=%d, RestrictRealtime=no and SystemCallFilter=sched_setscheduler",
		    param.sched_priority);
		return;
	}
	/* The kernel counts run time until the thread waits: so wait once. */
	(void)nanosleep(&moment, NULL);
	log_info("realtime: SCHED_RR, priority %d", param.sched_priority);
}

/*
 * Locks all memory, or none if there is a limit: reaching it later would make
 * allocations fail. To find out, maps and locks a gigabyte of address space
 * that uses no memory; this works only without a limit.
 */
static bool
realtime_lock(void)
{
	size_t size = (size_t)1 << 30;
	void *much = mmap(NULL, size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_LOCKED, -1, 0);

	if (much == MAP_FAILED)
		return false;
	munmap(much, size);
	return mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

bool
realtime_begin(void)
{
	realtime_schedule();
	if (realtime_lock())
		return true;
	log_warn(
	    "realtime: memory is not locked, so page faults may delay this node; the unit needs LimitMEMLOCK=infinity");
	return false;
}

void
realtime_tend(nsec_t now)
{
	if (ran_too_long) {
		ran_too_long = 0;
		again_at = nsec_after(now, REALTIME_PAUSE);
		log_warnx(
		    "realtime: ran for %" PRIu64
		    " ms without a pause; an ordinary process for the next %" PRIu64
		    " s, so that the host is not blocked; check for a flood of datagrams",
		    REALTIME_RUN_MAX / MSEC, REALTIME_PAUSE / SEC);
	}
	if (now < again_at)
		return;
	again_at = NSEC_NEVER;
	realtime_schedule();
}
