/* SPDX-License-Identifier: ISC */
#include "daemon/electd/standby/standby_writer.h"

#include <stdlib.h>

#include "daemon/state/kept_file.h"
#include "daemon/state/standby_file.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

/* What an operator wants. */
struct request {
	uint64_t number;
	struct standby standby; /* as of `at` */
	nsec_t at;
};

struct standby_writer {
	struct settings place; /* cluster, id and state_dir */
	struct worker *worker;
	standby_handler *written;
	void *context;
	struct job job;
	bool is_busy;           /* the job was given, and has not ended */
	struct request request; /* the latest */
	struct request writing; /* what the job writes */
	int error;              /* how that has ended */
	bool is_kept;           /* there is a file */
};

/* Both clocks are read here, so the wall clock may be set at any time before.
 * What is over by now is removed. */
static void
writer_write(void *context)
{
	struct standby_writer *w = context;
	struct standby standby =
	    standby_later(&w->writing.standby, w->writing.at, clock_now());

	w->error = standby_file_write(&w->place, &standby, clock_wall());
}

static void
writer_begin(struct standby_writer *w)
{
	assert(!w->is_busy);
	w->is_busy = true;
	w->writing = w->request;
	worker_give(w->worker, &w->job, 0);
}

static void
writer_end(void *context)
{
	struct standby_writer *w = context;
	const struct standby_kept kept = {
		.number = w->writing.number,
		.error = w->error,
		.standby = w->writing.standby,
		.at = w->writing.at,
	};

	w->is_busy = false;
	if (w->error == 0)
		w->is_kept = w->writing.standby.is_on;
	if (w->request.number != w->writing.number)
		writer_begin(w);
	w->written(w->context, &kept);
}

struct standby_writer *
standby_writer_new(const struct settings *settings,
    const struct standby *standby, struct worker *worker,
    standby_handler *written, void *context)
{
	struct standby_writer *w = calloc(1, sizeof(*w));

	if (w != NULL) {
		kept_file_place(&w->place, settings);
		w->worker = worker;
		w->written = written;
		w->context = context;
		w->job = (struct job){
			.work = writer_write,
			.end = writer_end,
			.context = w,
		};
		w->is_kept = standby->is_on;
	}
	if (w != NULL)
		return w;
	log_errorx("out of memory: electd cannot start");
	return NULL;
}

uint64_t
standby_writer_ask(
    struct standby_writer *w, const struct standby *standby, nsec_t now)
{
	w->request.number++;
	w->request.standby = *standby;
	w->request.at = now;
	if (!w->is_busy)
		writer_begin(w);
	return w->request.number;
}

void
standby_writer_expire(struct standby_writer *w, nsec_t now)
{
	static const struct standby off = { .is_on = false };

	if (w->is_kept && !w->is_busy)
		standby_writer_ask(w, &off, now);
}

bool
standby_writer_holds(const struct standby_writer *w)
{
	return w->is_kept || w->is_busy;
}

void
standby_writer_free(struct standby_writer *w)
{
	free(w);
}
