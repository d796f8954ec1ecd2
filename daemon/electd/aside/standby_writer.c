/* SPDX-License-Identifier: ISC */
#include "daemon/electd/aside/standby_writer.h"

#include <stdlib.h>
#include <string.h>

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
	struct standby_writer *k = context;
	struct standby standby =
	    standby_later(&k->writing.standby, k->writing.at, clock_now());

	k->error = standby_file_write(&k->place, &standby, clock_wall());
}

static void
writer_begin(struct standby_writer *k)
{
	assert(!k->is_busy);
	k->is_busy = true;
	k->writing = k->request;
	worker_give(k->worker, &k->job, 0);
}

static void
writer_end(void *context)
{
	struct standby_writer *k = context;
	const struct standby_kept kept = {
		.number = k->writing.number,
		.error = k->error,
		.standby = k->writing.standby,
		.at = k->writing.at,
	};

	k->is_busy = false;
	if (k->error == 0)
		k->is_kept = k->writing.standby.is_on;
	if (k->request.number != k->writing.number)
		writer_begin(k);
	k->written(k->context, &kept);
}

struct standby_writer *
standby_writer_new(const struct settings *settings,
    const struct standby *standby, struct worker *worker,
    standby_handler *written, void *context)
{
	struct standby_writer *k = calloc(1, sizeof(*k));

	if (k != NULL) {
		k->place.id = settings->id;
		snprintf(k->place.shared.cluster,
		    sizeof(k->place.shared.cluster), "%s",
		    settings->shared.cluster);
		memcpy(k->place.state_dir, settings->state_dir,
		    sizeof(k->place.state_dir));
		k->worker = worker;
		k->written = written;
		k->context = context;
		k->job = (struct job){
			.work = writer_write,
			.end = writer_end,
			.context = k,
		};
		k->is_kept = standby->is_on;
	}
	if (k != NULL)
		return k;
	log_errorx("out of memory: electd cannot start");
	return NULL;
}

uint64_t
standby_writer_ask(
    struct standby_writer *k, const struct standby *standby, nsec_t now)
{
	k->request.number++;
	k->request.standby = *standby;
	k->request.at = now;
	if (!k->is_busy)
		writer_begin(k);
	return k->request.number;
}

void
standby_writer_expire(struct standby_writer *k, nsec_t now)
{
	static const struct standby off = { .is_on = false };

	if (k->is_kept && !k->is_busy)
		standby_writer_ask(k, &off, now);
}

bool
standby_writer_holds(const struct standby_writer *k)
{
	return k->is_kept || k->is_busy;
}

void
standby_writer_free(struct standby_writer *k)
{
	free(k);
}
