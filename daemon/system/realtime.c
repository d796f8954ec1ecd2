/* SPDX-License-Identifier: ISC */
#include "daemon/system/realtime.h"

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
 * Who ran for so long is not helped by another limit either: the kernel kills
 * it. That is for a helper, which takes no signals.
 */
#define RUN_END SEC

static volatile sig_atomic_t ran_too_long;
static nsec_t again_at = NSEC_NEVER;

/* Nothing but a system call and a note: the thread may be anywhere. */
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

/* The kernel raises the limit with each signal, so it is set each time. */
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

/*
 * One above the lowest, which is what others choose who have only to run before
 * ordinary processes; far below the host's own interrupts and clocks, at 50 and
 * more. By turns, for there may be several of us on a host.
 */
static void
realtime_schedule(void)
{
	struct timespec moment = { .tv_nsec = (long)(100 * USEC) };
	struct sched_param param = {
		.sched_priority = sched_get_priority_min(SCHED_RR) + 1,
	};

	if (!realtime_limit()) {
		log_warn("realtime: no limit to it (RLIMIT_RTTIME), so it is "
			 "left out; the unit needs SystemCallFilter=prlimit64");
		return;
	}
	if (sched_setscheduler(0, SCHED_RR, &param) != 0) {
		log_warn("realtime: an ordinary process still; the unit needs "
			 "LimitRTPRIO=%d, RestrictRealtime=no and "
			 "SystemCallFilter=sched_setscheduler",
		    param.sched_priority);
		return;
	}
	/* What it ran the last time counts until it has waited once. */
	(void)nanosleep(&moment, NULL);
	log_info("realtime: SCHED_RR, priority %d", param.sched_priority);
}

/*
 * All or nothing: a limit that is reached later would be a lack of memory. Is
 * there one? A gigabyte of no memory tells, whatever permits us to pass it.
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
	log_warn("realtime: memory is not locked; the unit needs "
		 "LimitMEMLOCK=infinity");
	return false;
}

void
realtime_tend(nsec_t now)
{
	if (ran_too_long) {
		ran_too_long = 0;
		again_at = nsec_after(now, REALTIME_PAUSE);
		log_warnx("realtime: ran for %" PRIu64 " ms without a pause; "
			  "an ordinary process for the next %" PRIu64 " s",
		    REALTIME_RUN_MAX / MSEC, REALTIME_PAUSE / SEC);
	}
	if (now < again_at)
		return;
	again_at = NSEC_NEVER;
	realtime_schedule();
}
