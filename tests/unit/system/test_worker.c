/* SPDX-License-Identifier: ISC */
/* A worker: in which order it does its jobs, what can be taken back from it,
 * and how it ends. */
#include "tests/unit/group.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "daemon/system/clock.h"
#include "daemon/system/loop/worker.h"

#define PATIENCE (20 * SEC)

static struct worker *worker;
static int gate[2]; /* the job that waits at it goes on with a byte */
static char done[16];
static atomic_uint works, frees; /* jobs whose work has begun; jobs freed */
static char ended[16];

/* A job that is named by one letter. */
struct named {
	struct job job;
	char name;
	bool waits_at_gate;
};

static void
add(char *text, char name)
{
	size_t length = strlen(text);

	text[length] = name;
	text[length + 1] = '\0';
}

static void
work(void *context)
{
	const struct named *named = context;
	char byte;

	works++;
	if (named->waits_at_gate)
		assert_int_equal(read(gate[0], &byte, 1), 1);
	add(done, named->name);
}

static void
end(void *context)
{
	const struct named *named = context;

	add(ended, named->name);
}

static void
count_free(void *context)
{
	(void)context;
	frees++;
}

static struct named
named(char name)
{
	return (struct named){
		.job = { .work = work, .end = end, .free = count_free },
		.name = name,
	};
}

static void
give(struct named *named, nsec_t at)
{
	named->job.context = named;
	worker_give(worker, &named->job, at);
}

static int
enter(void **state)
{
	(void)state;
	done[0] = ended[0] = '\0';
	works = frees = 0;
	return pipe(gate) != 0 || worker_new(&worker) != 0;
}

static int
leave(void **state)
{
	(void)state;
	worker_free(worker);
	worker = NULL;
	close(gate[0]);
	close(gate[1]);
	return 0;
}

static void
await(const atomic_uint *count, unsigned wanted)
{
	nsec_t until = clock_now() + PATIENCE;

	while (*count < wanted) {
		assert_true(clock_now() < until);
		sched_yield();
	}
}

static void
await_ended(const char *wanted)
{
	nsec_t until = clock_now() + PATIENCE;

	while (strcmp(ended, wanted) != 0) {
		assert_true(clock_now() < until);
		worker_tend(worker);
		sched_yield();
	}
}

static void
open_gate(void)
{
	assert_int_equal(write(gate[1], "1", 1), 1);
}

#define CASE(name) TEST(name, enter, leave)

CASE(jobs_are_done_one_after_the_other)
{
	struct named a = named('a'), b = named('b'), c = named('c');

	a.waits_at_gate = true;
	give(&a, 0);
	give(&b, 0);
	give(&c, 0);
	await(&works, 1);
	worker_tend(worker);
	assert_string_equal(ended, "");
	open_gate();
	await_ended("abc");
	assert_string_equal(done, "abc");
	give(&a, 0); /* the same job once more */
	open_gate();
	await_ended("abca");
}

/* Other events of the loop come in between. */
CASE(results_come_one_at_a_time)
{
	struct named a = named('a'), b = named('b');
	struct pollfd readable = { .fd = worker_fd(worker), .events = POLLIN };

	give(&a, 0);
	give(&b, 0);
	await(&works, 2);
	worker_tend(worker);
	assert_true(strlen(ended) <= 1);
	await_ended("ab");
	worker_tend(worker);
	assert_int_equal(poll(&readable, 1, 0), 0);
}

CASE(job_waits_for_its_time_and_lets_others_go_first)
{
	struct named a = named('a'), late = named('l'), next = named('n'),
		     now = named('o');
	nsec_t begun = clock_now();

	a.waits_at_gate = true;
	give(&a, 0);
	await(&works, 1);
	give(&late, begun + 60 * MSEC);
	give(&next, begun + 40 * MSEC);
	give(&now, 0);
	open_gate();
	await_ended("aonl");
	assert_true(clock_now() >= begun + 60 * MSEC);
}

CASE(job_that_waits_can_be_taken_back)
{
	struct named a = named('a'), b = named('b'), c = named('c');

	a.waits_at_gate = true;
	give(&a, 0);
	give(&b, 0);
	give(&c, 0);
	await(&works, 1);
	assert_false(worker_recall(worker, &a.job));
	assert_true(worker_recall(worker, &b.job));
	assert_false(worker_recall(worker, &b.job));
	open_gate();
	await_ended("ac");
}

CASE(dropped_job_is_freed_and_has_no_end)
{
	struct named a = named('a'), b = named('b'), c = named('c');
	struct named never = named('n');

	never.job.context = &never;
	worker_drop(worker, &never.job);
	a.waits_at_gate = true;
	give(&a, 0);
	give(&b, 0);
	await(&works, 1);
	worker_drop(worker, &b.job);
	assert_int_equal(frees, 2);
	worker_drop(worker, &a.job);
	assert_int_equal(frees, 2);
	open_gate();
	await(&frees, 3);
	give(&c, 0);
	await_ended("c");
	assert_string_equal(done, "ac");
}

/* The result of one that has been done is dropped, too. */
CASE(job_that_is_done_can_be_dropped)
{
	struct named a = named('a'), b = named('b');

	give(&a, 0);
	give(&b, 0);
	await(&works, 2);
	worker_drop(worker, &a.job);
	assert_int_equal(frees, 1);
	await_ended("b");
}

CASE(end_waits_for_all_jobs_and_frees_them)
{
	struct named a = named('a'), late = named('l'), kept = named('k');

	kept.job.free = NULL;
	give(&a, 0);
	give(&late, clock_now() + 3600 * SEC);
	give(&kept, clock_now() + 3600 * SEC);
	worker_free(worker);
	worker = NULL;
	assert_string_equal(done, "alk");
	assert_string_equal(ended, "");
	assert_int_equal(frees, 2);
}

/* The jobs behind it are done when it returns. */
CASE(end_does_not_wait_for_a_job_that_was_dropped)
{
	static struct named a, b;

	a = named('a');
	b = named('b');
	a.waits_at_gate = true;
	give(&a, 0);
	give(&b, 0);
	await(&works, 1);
	worker_drop(worker, &a.job);
	worker_free(worker);
	worker = NULL;
	assert_int_equal(frees, 0);
	open_gate();
	await(&frees, 2);
	assert_string_equal(done, "ab");
}

static void
note_mask(void *context)
{
	sigset_t *set = context;

	pthread_sigmask(SIG_SETMASK, NULL, set);
	works++;
}

CASE(loop_gets_the_signals)
{
	sigset_t set;
	struct job job = { .work = note_mask, .free = count_free };

	sigemptyset(&set);
	job.context = &set;
	worker_give(worker, &job, 0);
	worker_free(worker);
	worker = NULL;
	assert_int_equal(works, 1);
	assert_true(sigismember(&set, SIGTERM));
	assert_true(sigismember(&set, SIGHUP));
}
