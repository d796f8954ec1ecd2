/* SPDX-License-Identifier: ISC */
#include "daemon/system/loop/worker.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/system/clock.h"
#include "daemon/system/log.h"
#include "daemon/system/loop/thread.h"

/* NSS modules may need much, and libconfig's parser is recursive. */
#define STACK_BYTES ((size_t)256 << 10)

TAILQ_HEAD(jobs, job);

/* The lock guards what follows it, and each job's state. No thread blocks while
 * it holds it. */
struct worker {
	pthread_t thread;
	int done; /* an eventfd: there are `ended` */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct jobs waiting; /* the earliest first */
	struct jobs ended;
	atomic_bool has_ended; /* the same; read without the lock */
	struct job *current;   /* is being done; NULL */
	bool is_over;          /* the thread ends when no job waits */
	bool is_alone;         /* the worker frees all in the end */
	bool has_dropped;      /* a job was dropped: its owner waits for none */
};

static void
worker_destroy(struct worker *w)
{
	struct job *job;

	while ((job = TAILQ_FIRST(&w->ended)) != NULL) {
		TAILQ_REMOVE(&w->ended, job, entry);
		if (job->free != NULL)
			job->free(job->context);
	}
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	if (w->done >= 0)
		close(w->done);
	free(w);
}

static void
worker_wait(struct worker *w, nsec_t until)
{
	struct timespec end;

	if (until == NSEC_NEVER) {
		pthread_cond_wait(&w->changed, &w->lock);
		return;
	}
	end = clock_timespec(clock_monotonic(until));
	pthread_cond_timedwait(&w->changed, &w->lock, &end);
}

/* Waits for a job whose time has come. NULL: the thread has to end. */
static struct job *
worker_take(struct worker *w)
{
	for (;;) {
		struct job *job = TAILQ_FIRST(&w->waiting);

		if (job == NULL && w->is_over)
			return NULL;
		if (job != NULL && (w->is_over || job->at <= clock_now())) {
			TAILQ_REMOVE(&w->waiting, job, entry);
			return job;
		}
		worker_wait(w, job == NULL ? NSEC_NEVER : job->at);
	}
}

static void
worker_do(struct worker *w, struct job *job)
{
	job->state = JOB_WORKS;
	w->current = job;
	pthread_mutex_unlock(&w->lock);
	job->work(job->context);
	pthread_mutex_lock(&w->lock);
	w->current = NULL;
	if (job->state == JOB_DROPPED) {
		job->free(job->context);
		return;
	}
	job->state = JOB_ENDED;
	TAILQ_INSERT_TAIL(&w->ended, job, entry);
	atomic_store(&w->has_ended, true);
	eventfd_write(w->done, 1);
}

static void *
worker_run(void *context)
{
	struct worker *w = context;
	struct job *job;
	bool is_alone;

	pthread_mutex_lock(&w->lock);
	while ((job = worker_take(w)) != NULL)
		worker_do(w, job);
	is_alone = w->is_alone;
	pthread_mutex_unlock(&w->lock);
	if (is_alone)
		worker_destroy(w);
	return NULL;
}

int
worker_new(struct worker **worker)
{
	struct worker *w = calloc(1, sizeof(*w));
	pthread_mutexattr_t inherits;
	pthread_condattr_t clock;
	int error;

	if (w == NULL)
		return -ENOMEM;
	TAILQ_INIT(&w->waiting);
	TAILQ_INIT(&w->ended);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	/* The loop may have a real-time priority, and the thread none: while it
	 * holds what the loop waits for, it has that of the loop. */
	pthread_mutexattr_init(&inherits);
	pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&w->lock, &inherits);
	pthread_mutexattr_destroy(&inherits);
	pthread_cond_init(&w->changed, &clock);
	pthread_condattr_destroy(&clock);
	w->done = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	error = -errno;
	if (w->done < 0)
		log_error("cannot make an eventfd");
	else
		error = thread_start(&w->thread, STACK_BYTES, worker_run, w);
	if (error == 0)
		*worker = w;
	else
		worker_destroy(w);
	return error;
}

int
worker_fd(const struct worker *w)
{
	return w->done;
}

void
worker_give(struct worker *w, struct job *job, nsec_t at)
{
	struct job *before;

	pthread_mutex_lock(&w->lock);
	assert(job->state == JOB_IDLE);
	job->state = JOB_WAITS;
	job->at = at;
	before = TAILQ_LAST(&w->waiting, jobs);
	while (before != NULL && before->at > at)
		before = TAILQ_PREV(before, jobs, entry);
	if (before == NULL)
		TAILQ_INSERT_HEAD(&w->waiting, job, entry);
	else
		TAILQ_INSERT_AFTER(&w->waiting, before, job, entry);
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

bool
worker_recall(struct worker *w, struct job *job)
{
	bool waits;

	pthread_mutex_lock(&w->lock);
	waits = job->state == JOB_WAITS;
	if (waits) {
		TAILQ_REMOVE(&w->waiting, job, entry);
		job->state = JOB_IDLE;
	}
	pthread_mutex_unlock(&w->lock);
	return waits;
}

void
worker_drop(struct worker *w, struct job *job)
{
	bool works;

	pthread_mutex_lock(&w->lock);
	w->has_dropped = true;
	works = job->state == JOB_WORKS;
	if (works)
		job->state = JOB_DROPPED;
	else if (job->state == JOB_WAITS)
		TAILQ_REMOVE(&w->waiting, job, entry);
	else if (job->state == JOB_ENDED)
		TAILQ_REMOVE(&w->ended, job, entry);
	pthread_mutex_unlock(&w->lock);
	if (!works)
		job->free(job->context);
}

void
worker_tend(void *context)
{
	struct worker *w = context;
	struct job *job;
	eventfd_t times;

	if (!atomic_load(&w->has_ended))
		return;
	pthread_mutex_lock(&w->lock);
	job = TAILQ_FIRST(&w->ended);
	if (job != NULL) {
		TAILQ_REMOVE(&w->ended, job, entry);
		job->state = JOB_IDLE;
	}
	if (TAILQ_EMPTY(&w->ended)) {
		(void)eventfd_read(w->done, &times);
		atomic_store(&w->has_ended, false);
	}
	pthread_mutex_unlock(&w->lock);
	if (job != NULL)
		job->end(job->context);
}

void
worker_free(struct worker *w)
{
	pthread_t thread;
	bool is_alone;

	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	thread = w->thread;
	is_alone = w->current != NULL
		       ? w->current->state == JOB_DROPPED
		       : w->has_dropped && TAILQ_EMPTY(&w->waiting);
	w->is_over = true;
	w->is_alone = is_alone;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (is_alone) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	worker_destroy(w);
}
