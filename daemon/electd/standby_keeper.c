/* SPDX-License-Identifier: ISC */
#include "daemon/electd/standby_keeper.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/state/standby_file.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"
#include "daemon/system/thread.h"

#define STACK_BYTES ((size_t)64 << 10) /* fits the file, and libsodium */

/* What an operator wants. */
struct wish {
	uint64_t number;
	struct standby standby; /* as of `at` */
	nsec_t at;
};

/* While the thread runs, it alone uses `writing` and `error`. */
struct standby_keeper {
	struct settings place; /* cluster, id and state_dir */
	int done;              /* an eventfd: the thread ends */
	pthread_t thread;
	bool is_running;     /* the thread is to be joined */
	bool is_busy;        /* a write has begun, and was not taken */
	struct wish wish;    /* the latest */
	struct wish writing; /* what the thread writes */
	int error;           /* how that has ended */
	bool is_kept;        /* there is a file */
};

struct standby_keeper *
standby_keeper_new(
    const struct settings *settings, const struct standby *standby)
{
	struct standby_keeper *k = calloc(1, sizeof(*k));

	if (k != NULL) {
		k->place.id = settings->id;
		snprintf(k->place.shared.cluster,
		    sizeof(k->place.shared.cluster), "%s",
		    settings->shared.cluster);
		k->place.state_dir = strdup(settings->state_dir);
		k->is_kept = standby->is_on;
		k->done = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	}
	if (k != NULL && k->place.state_dir != NULL && k->done >= 0)
		return k;
	log_errorx("cannot keep standby: electd cannot start");
	if (k != NULL && k->done >= 0)
		close(k->done);
	if (k != NULL)
		free(k->place.state_dir);
	free(k);
	return NULL;
}

int
standby_keeper_fd(const struct standby_keeper *k)
{
	return k->done;
}

/* Both clocks are read here, so the wall clock may be set at any time before.
 * What is over by now is removed. */
static void *
keeper_write(void *context)
{
	struct standby_keeper *k = context;
	struct standby standby =
	    standby_later(&k->writing.standby, k->writing.at, clock_now());

	k->error = standby_file_write(&k->place, &standby, clock_wall());
	eventfd_write(k->done, 1);
	return NULL;
}

static void
keeper_begin(struct standby_keeper *k)
{
	int error;

	assert(!k->is_busy);
	k->is_busy = true;
	k->writing = k->wish;
	error = thread_start(&k->thread, STACK_BYTES, keeper_write, k);
	k->is_running = error == 0;
	if (error == 0)
		return; /* the thread sets the error of the write */
	k->error = error;
	eventfd_write(k->done, 1);
}

uint64_t
standby_keeper_wish(
    struct standby_keeper *k, const struct standby *standby, nsec_t now)
{
	k->wish.number++;
	k->wish.standby = *standby;
	k->wish.at = now;
	if (!k->is_busy)
		keeper_begin(k);
	return k->wish.number;
}

void
standby_keeper_expire(struct standby_keeper *k, nsec_t now)
{
	static const struct standby off = { .is_on = false };

	if (k->is_kept && !k->is_busy)
		standby_keeper_wish(k, &off, now);
}

bool
standby_keeper_take(struct standby_keeper *k, struct standby_kept *kept)
{
	eventfd_t times;

	if (eventfd_read(k->done, &times) != 0)
		return false;
	if (k->is_running)
		pthread_join(k->thread, NULL);
	k->is_running = k->is_busy = false;
	*kept = (struct standby_kept){
		.number = k->writing.number,
		.error = k->error,
		.standby = k->writing.standby,
		.at = k->writing.at,
	};
	if (k->error == 0)
		k->is_kept = k->writing.standby.is_on;
	if (k->wish.number != k->writing.number)
		keeper_begin(k);
	return true;
}

bool
standby_keeper_is_busy(const struct standby_keeper *k)
{
	return k->is_busy;
}

void
standby_keeper_free(struct standby_keeper *k)
{
	if (k == NULL)
		return;
	if (k->is_running)
		pthread_join(k->thread, NULL);
	close(k->done);
	free(k->place.state_dir);
	free(k);
}
