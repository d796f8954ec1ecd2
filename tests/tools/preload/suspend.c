/* SPDX-License-Identifier: ISC */
/*
 * A library to preload: SIGTRAP suspends the host of this process, for as long
 * as the process is stopped then. Such a time does not count on
 * CLOCK_MONOTONIC, and timers of that clock wait meanwhile. CLOCK_BOOTTIME goes
 * on, and so do its timers: the kernel of a true host sends their signals just
 * before its processes run again. For processes of one thread.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>

#define SEC_NS     1000000000
#define TIMERS_MAX 16 /* each by its number, which the kernel counts from 0 */
#define FILES_MAX  64

static int64_t asleep; /* ns, in all */
static bool is_timer[TIMERS_MAX];
static bool is_file[FILES_MAX];

static int (*next_gettime)(clockid_t, struct timespec *);
static int (*next_create)(clockid_t, struct sigevent *, timer_t *);
static int (*next_settime)(
    timer_t, int, const struct itimerspec *, struct itimerspec *);
static int (*next_create_file)(clockid_t, int);
static int (*next_settime_file)(
    int, int, const struct itimerspec *, struct itimerspec *);

static void
add(struct timespec *t, int64_t ns)
{
	int64_t sum = (int64_t)t->tv_sec * SEC_NS + t->tv_nsec + ns;

	t->tv_sec = sum / SEC_NS;
	t->tv_nsec = sum % SEC_NS;
}

static int64_t
boot(void)
{
	struct timespec t = { 0 };

	next_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * SEC_NS + t.tv_nsec;
}

/* What is left of each timer, as the suspend begins. */
static struct itimerspec timers[TIMERS_MAX], files[FILES_MAX];

static void
hold_timers(void)
{
	static const struct itimerspec none;

	for (uintptr_t i = 0; i < TIMERS_MAX; i++) {
		if (is_timer[i] && timer_gettime((timer_t)i, &timers[i]) == 0)
			next_settime((timer_t)i, 0, &none, NULL);
	}
	for (int i = 0; i < FILES_MAX; i++) {
		if (is_file[i] && timerfd_gettime(i, &files[i]) == 0)
			next_settime_file(i, 0, &none, NULL);
	}
}

static void
release_timers(void)
{
	for (uintptr_t i = 0; i < TIMERS_MAX; i++) {
		if (is_timer[i])
			next_settime((timer_t)i, 0, &timers[i], NULL);
	}
	for (int i = 0; i < FILES_MAX; i++) {
		if (is_file[i])
			next_settime_file(i, 0, &files[i], NULL);
	}
}

static void
suspend(int number)
{
	int error = errno;
	int64_t began;

	(void)number;
	hold_timers();
	began = boot();
	raise(SIGSTOP);
	asleep += boot() - began;
	release_timers();
	errno = error;
}

/* The function of the C library. */
#define FIND(pointer, name) (*(void **)&(pointer) = dlsym(RTLD_NEXT, name))

static void __attribute__((constructor)) begin(void)
{
	struct sigaction action = { .sa_handler = suspend,
		.sa_flags = SA_RESTART };

	FIND(next_gettime, "clock_gettime");
	FIND(next_create, "timer_create");
	FIND(next_settime, "timer_settime");
	FIND(next_create_file, "timerfd_create");
	FIND(next_settime_file, "timerfd_settime");
	sigfillset(&action.sa_mask);
	sigaction(SIGTRAP, &action, NULL);
}

static bool
is_monotonic(clockid_t id)
{
	return id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ||
	       id == CLOCK_MONOTONIC_COARSE;
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
	int status = next_gettime(id, t);

	if (status == 0 && is_monotonic(id))
		add(t, -asleep);
	return status;
}

/* A time of the program's clock, as the kernel has it. */
static struct itimerspec
kernel_time(bool is_ours, bool is_absolute, const struct itimerspec *at)
{
	struct itimerspec to = *at;

	if (is_ours && is_absolute &&
	    (to.it_value.tv_sec != 0 || to.it_value.tv_nsec != 0))
		add(&to.it_value, asleep);
	return to;
}

int
timer_create(clockid_t id, struct sigevent *event, timer_t *timer)
{
	int status = next_create(id, event, timer);

	if (status == 0 && (uintptr_t)*timer < TIMERS_MAX)
		is_timer[(uintptr_t)*timer] = is_monotonic(id);
	return status;
}

int
timer_settime(timer_t timer, int flags, const struct itimerspec *to,
    struct itimerspec *old)
{
	uintptr_t i = (uintptr_t)timer;
	struct itimerspec at = kernel_time(
	    i < TIMERS_MAX && is_timer[i], (flags & TIMER_ABSTIME) != 0, to);

	return next_settime(timer, flags, &at, old);
}

int
timerfd_create(clockid_t id, int flags)
{
	int file = next_create_file(id, flags);

	if (file >= 0 && file < FILES_MAX)
		is_file[file] = is_monotonic(id);
	return file;
}

int
timerfd_settime(
    int file, int flags, const struct itimerspec *to, struct itimerspec *old)
{
	bool is_ours = file >= 0 && file < FILES_MAX && is_file[file];
	struct itimerspec at =
	    kernel_time(is_ours, (flags & TFD_TIMER_ABSTIME) != 0, to);

	return next_settime_file(file, flags, &at, old);
}
