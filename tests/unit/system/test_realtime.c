/* SPDX-License-Identifier: ISC */
/*
 * Real-time scheduling: which processes get it, that it ends when a process
 * does not pause, and that it comes back. Without the permission all but the
 * last case is skipped.
 */
#include "tests/unit/group.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/system/log.h"
#include "daemon/system/loop/realtime.h"

static const nsec_t begun = 1000 * SEC; /* a time of our own */

static nsec_t
time_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec;
}

static nsec_t
cpu_time(void)
{
	return time_of(CLOCK_THREAD_CPUTIME_ID);
}

static void
assert_realtime(void)
{
	struct sched_param param;

	assert_int_equal(sched_getscheduler(0), SCHED_RR);
	assert_int_equal(sched_getparam(0, &param), 0);
	assert_int_equal(param.sched_priority, 2);
}

static void
begin_or_skip(void)
{
	realtime_begin();
	if (sched_getscheduler(0) != SCHED_RR)
		skip("real time is not permitted here");
	assert_realtime();
}

static int
end(void **state)
{
	struct sched_param none = { 0 };

	(void)state;
	return sched_setscheduler(0, SCHED_OTHER, &none);
}

static void *
policy_of_thread(void *context)
{
	int *policy = context;

	*policy = sched_getscheduler(0);
	return NULL;
}

TEST(threads_and_children_are_realtime_too, NULL, end)
{
	pthread_t thread;
	int policy = -1, status;
	pid_t child;

	begin_or_skip();
	assert_int_equal(
	    pthread_create(&thread, NULL, policy_of_thread, &policy), 0);
	pthread_join(thread, NULL);
	assert_int_equal(policy, SCHED_RR);
	child = fork();
	if (child == 0)
		_exit(sched_getscheduler(0) == SCHED_RR ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Runs until it is an ordinary process again; ticks of 10 ms at most find the
 * limit. */
static nsec_t
run_on(void)
{
	nsec_t from = cpu_time();

	while (sched_getscheduler(0) == SCHED_RR && cpu_time() - from < 2 * SEC)
		;
	return cpu_time() - from;
}

TEST(process_that_does_not_pause_is_ordinary_for_a_while, NULL, end)
{
	nsec_t took, from;

	begin_or_skip();
	for (unsigned i = 0; i < 2; i++) {
		nsec_t now = begun + i * 2 * REALTIME_PAUSE;

		from = time_of(CLOCK_MONOTONIC);
		took = run_on();
		assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
		/* The kernel counts a whole tick for a part of one. */
		assert_true(
		    time_of(CLOCK_MONOTONIC) - from >= REALTIME_RUN_MAX / 2);
		assert_true(took <= 2 * REALTIME_RUN_MAX);
		realtime_tend(now);
		realtime_tend(now + REALTIME_PAUSE - 1);
		assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
		realtime_tend(now + REALTIME_PAUSE);
		assert_realtime();
	}
}

TEST(process_that_pauses_stays_realtime, NULL, end)
{
	struct timespec moment = { .tv_nsec = (long)MSEC };
	nsec_t from;

	begin_or_skip();
	for (unsigned i = 0; i < 5; i++) {
		from = cpu_time();
		while (cpu_time() - from < REALTIME_RUN_MAX / 4)
			;
		nanosleep(&moment, NULL);
	}
	realtime_tend(begun);
	assert_realtime();
}

/* The limits of an ordinary user: neither scheduling nor memory. */
TEST(rights_that_are_not_permitted_are_left_out)
{
	struct rlimit none = { 0 };
	int status;
	pid_t child = fork();

	if (child == 0) {
		bool is_ordinary = setrlimit(RLIMIT_RTPRIO, &none) == 0 &&
				   setrlimit(RLIMIT_MEMLOCK, &none) == 0 &&
				   (geteuid() != 0 || setuid(65534) == 0);

		realtime_begin();
		realtime_tend(begun);
		_exit(is_ordinary && sched_getscheduler(0) == SCHED_OTHER ? 0
									  : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
