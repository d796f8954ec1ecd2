/* SPDX-License-Identifier: ISC */
/*
 * witness PERIOD LIMIT: wakes up once in PERIOD nanoseconds and does nothing
 * else, until a signal ends it. Then it prints how often it woke, how often it
 * woke later than LIMIT nanoseconds, and the longest delay. So long could this
 * machine hold up any process in that time, ours too.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/util/types.h"

struct witness {
	nsec_t period, limit;
	uint64_t wakes, late;
	nsec_t longest;
};

static volatile sig_atomic_t is_over;

static void
on_signal(int number)
{
	(void)number;
	is_over = 1;
}

static nsec_t
clock_read(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (nsec_t)now.tv_sec * SEC + (nsec_t)now.tv_nsec;
}

static void
witness_wake(struct witness *w, nsec_t delay)
{
	w->wakes++;
	if (delay > w->limit)
		w->late++;
	if (delay > w->longest)
		w->longest = delay;
}

static void
witness_watch(struct witness *w)
{
	nsec_t at = clock_read(), now;

	while (!is_over) {
		struct timespec until;

		at += w->period;
		until.tv_sec = (time_t)(at / SEC);
		until.tv_nsec = (long)(at % SEC);
		if (clock_nanosleep(
			CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
			continue;
		now = clock_read();
		witness_wake(w, nsec_since(now, at));
		at = now;
	}
}

int
main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct witness w = { 0 };

	if (argc == 3) {
		w.period = strtoull(argv[1], NULL, 10);
		w.limit = strtoull(argv[2], NULL, 10);
	}
	if (w.period < USEC || w.limit < USEC) {
		fputs("usage: witness PERIOD LIMIT\n", stderr);
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	witness_watch(&w);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", w.wakes, w.late,
	    w.longest);
	return EXIT_SUCCESS;
}
