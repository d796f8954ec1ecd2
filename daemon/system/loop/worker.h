/* SPDX-License-Identifier: ISC */
/*
 * A worker does what blocks, so that the loop need not wait: it has one thread
 * and a queue of jobs, and the loop gets the result of each.
 *
 * A worker does one job at a time. So jobs that must not wait for each other
 * are of different workers. The state file has one, as a vote waits for it. The
 * standby file has one: an operator who wants a standby must not wait for a
 * tape of megabytes, nor for a configuration on a disk that hangs. The tape and
 * the last leaders have one, as nobody waits for them, and so has the
 * configuration. So has each table of names: a name service may take ten
 * seconds for each name of settings that are no more.
 */
#ifndef ELECTD_DAEMON_SYSTEM_LOOP_WORKER_H
#define ELECTD_DAEMON_SYSTEM_LOOP_WORKER_H

#include <sys/queue.h>

#include "common/util/types.h"

/*
 * From worker_give() until `end` is called, only the thread may use what `work`
 * uses. A job whose `end` does not come any more is freed by `free`. That may
 * be NULL: then the owner frees the job after worker_free().
 */
struct job {
	void (*work)(void *context); /* runs on the thread; may block */
	void (*end)(void *context);  /* runs on the loop, by worker_tend() */
	void (*free)(void *context); /* runs on either, in place of `end` */
	void *context;

	/* The worker's own; zero at first. */
	TAILQ_ENTRY(job) entry;
	nsec_t at;
	enum {
		JOB_IDLE,
		JOB_WAITS,
		JOB_WORKS,
		JOB_DROPPED, /* dropped while the thread does it */
		JOB_ENDED,
	} state;
};

struct worker;

/* Starts the thread, with all signals blocked. Returns 0 and *worker, or a
 * negative errno after logging the error. */
int worker_new(struct worker **worker);

/* A descriptor that is readable when worker_tend() has something to do. */
int worker_fd(const struct worker *worker);

/* Has the thread do a job that it does not have, but not before `at` on
 * clock_now(); 0: as soon as it can. Of two, the earlier is done first. */
void worker_give(struct worker *worker, struct job *job, nsec_t at);

/* Takes back a job that waits. False if it does not wait: it is being done, or
 * its end is still to come, or the worker does not have it. */
bool worker_recall(struct worker *worker, struct job *job);

/* Frees a job by its `free`, which it must have: at once, or on the thread when
 * it has been done. Its end does not come. */
void worker_drop(struct worker *worker, struct job *job);

/* Calls `end` of the job that was done first, which may give it again. That of
 * others comes in later calls: the node comes in between. `context` is a
 * worker, so that this is the handler of a watch of worker_fd(). */
void worker_tend(void *context);

/* Has the thread do all jobs that wait, whatever their time, and waits for it;
 * but if jobs were dropped, and it does such a one or none, it goes on alone,
 * and frees all in the end. No `end` is called any more. NULL is harmless. */
void worker_free(struct worker *worker);

#endif
