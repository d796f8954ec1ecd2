/* SPDX-License-Identifier: ISC */
#include "daemon/state/store_worker.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/system/thread.h"

#include "daemon/system/clock.h"

#define STACK_BYTES ((size_t)128 << 10) /* fits two slots, and libsodium */

enum phase {
	PHASE_IDLE,
	PHASE_GIVEN,   /* a state waits for the thread, or is being written */
	PHASE_WRITTEN, /* a result waits for the loop */
	PHASE_END,     /* the thread has to end */
};

/*
 * The thread may use `durable` and is_anew in PHASE_GIVEN only, the loop in the
 * others. The loop may use `error` in PHASE_WRITTEN only, the thread in the
 * others. The lock guards `phase` and `late`, and is never held while writing.
 */
struct store_worker {
	struct store *store;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum phase phase;
	struct durable_state durable;
	bool is_anew; /* `durable` goes into a new file */
	int error;
	int late; /* why the second slot was not written; 0 once it is taken */
	int done; /* an eventfd: there may be something to take */
};

/* Waits for a state, at most until then. Returns false if there is none, or the
 * thread has to end. */
static bool
worker_await(struct store_worker *w, nsec_t until)
{
	struct timespec end = clock_timespec(clock_monotonic(until));
	bool is_given;
	int error = 0;

	pthread_mutex_lock(&w->lock);
	while (w->phase != PHASE_GIVEN && w->phase != PHASE_END && error == 0)
		error =
		    until == NSEC_NEVER
			? pthread_cond_wait(&w->changed, &w->lock)
			: pthread_cond_timedwait(&w->changed, &w->lock, &end);
	is_given = w->phase == PHASE_GIVEN;
	pthread_mutex_unlock(&w->lock);
	return is_given;
}

/* Makes the state durable, and reports that to the loop. */
static int
worker_write_first(struct store_worker *w)
{
	int error = w->is_anew ? store_create(w->store, &w->durable, true)
			       : store_write_first(w->store, &w->durable);

	pthread_mutex_lock(&w->lock);
	w->error = error;
	w->phase = PHASE_WRITTEN;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	eventfd_write(w->done, 1);
	return error;
}

/* Writes the second slot, and reports an error only. */
static void
worker_write_second(struct store_worker *w)
{
	int error = store_write_second(w->store);

	if (error == 0)
		return;
	pthread_mutex_lock(&w->lock);
	w->late = error;
	pthread_mutex_unlock(&w->lock);
	eventfd_write(w->done, 1);
}

/*
 * A candidate waits for this disk, and the next promise may come soon. So the
 * thread does not write the second slot for as long as the first write took: a
 * state that comes meanwhile is written there at once, without waiting for
 * another sync.
 */
static void *
worker_run(void *context)
{
	struct store_worker *w = context;

	while (worker_await(w, NSEC_NEVER)) {
		nsec_t began = clock_now(), ended;

		if (worker_write_first(w) != 0)
			continue;
		ended = clock_now();
		if (!worker_await(w, nsec_after(ended, ended - began)))
			worker_write_second(w);
	}
	return NULL;
}

int
store_worker_new(struct store *store, struct store_worker **worker)
{
	struct store_worker *w = calloc(1, sizeof(*w));
	pthread_condattr_t clock;
	int error;

	if (w == NULL)
		return -ENOMEM;
	w->store = store;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, &clock);
	pthread_condattr_destroy(&clock);
	w->done = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	error = w->done < 0
		    ? -errno
		    : thread_start(&w->thread, STACK_BYTES, worker_run, w);
	if (error == 0) {
		*worker = w;
		return 0;
	}
	if (w->done >= 0)
		close(w->done);
	free(w);
	return error;
}

int
store_worker_fd(const struct store_worker *w)
{
	return w->done;
}

/* Enters the phase and wakes the thread. */
static void
worker_become(struct store_worker *w, enum phase to)
{
	pthread_mutex_lock(&w->lock);
	assert(to == PHASE_END || w->phase == PHASE_IDLE);
	w->phase = to;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

void
store_worker_write(
    struct store_worker *w, const struct durable_state *state, bool is_anew)
{
	w->durable = *state;
	w->is_anew = is_anew;
	worker_become(w, PHASE_GIVEN);
}

bool
store_worker_take(struct store_worker *w, int *error)
{
	eventfd_t times;
	bool is_written, is_late, is_more;

	(void)eventfd_read(w->done, &times);
	pthread_mutex_lock(&w->lock);
	is_written = w->phase == PHASE_WRITTEN;
	is_late = w->phase == PHASE_IDLE && w->late != 0;
	if (is_written) {
		w->phase = PHASE_IDLE;
		*error = w->error;
	} else if (is_late) {
		*error = w->late;
	}
	/* A state that was given after `late` failed by the same error. */
	if (is_late || (is_written && *error != 0))
		w->late = 0;
	is_more = is_written && w->late != 0;
	pthread_mutex_unlock(&w->lock);
	if (is_more)
		eventfd_write(w->done, 1);
	return is_written || is_late;
}

void
store_worker_free(struct store_worker *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	while (w->phase == PHASE_GIVEN)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	worker_become(w, PHASE_END);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	close(w->done);
	free(w);
}
