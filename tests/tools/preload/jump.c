/* SPDX-License-Identifier: ISC */
/*
 * A library to preload: the time of day jumps by hours, forth and back,
 * whenever a program reads it; all other clocks go on as they do. It refuses
 * timers of the time of day, which could not jump.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600

/* One after another: each is another day, and all steps between differ. */
static const time_t jumps[] = { 0, 50 * HOUR, -25 * HOUR, 300 * HOUR };
static atomic_uint readings;

static time_t
next_jump(void)
{
	return jumps[readings++ % (sizeof(jumps) / sizeof(jumps[0]))];
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	long status = syscall(SYS_clock_gettime, id, ts);

	if (status == 0 && (id == CLOCK_REALTIME ||
			       id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI))
		ts->tv_sec += next_jump();
	return (int)status;
}

int
gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec ts;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &ts);
	*tv = (struct timeval){ ts.tv_sec, ts.tv_nsec / 1000 };
	return 0;
}

time_t
time(time_t *seconds)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (seconds != NULL)
		*seconds = ts.tv_sec;
	return ts.tv_sec;
}

int
timerfd_create(clockid_t id, int flags)
{
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_ALARM) {
		errno = EPERM;
		return -1;
	}
	return (int)syscall(SYS_timerfd_create, id, flags);
}
