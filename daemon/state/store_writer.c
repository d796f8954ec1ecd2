/* SPDX-License-Identifier: ISC */
#include "daemon/state/store_writer.h"

#include <stdlib.h>

#include "daemon/system/clock.h"

struct store_writer {
	struct store *store;
	struct worker *worker;
	store_handler *written;
	void *context;
	struct job first;  /* makes the state durable */
	struct job second; /* writes it to the second slot */
	struct durable_state durable;
	bool is_anew;    /* `durable` goes into a new file */
	bool is_writing; /* `first` has not ended */
	nsec_t took;     /* duration of `first` */
	int error;       /* result of `first` */
	int second_error;
};

static void
write_first(void *context)
{
	struct store_writer *w = context;
	nsec_t began = clock_now();

	w->error = w->is_anew ? store_create(w->store, &w->durable, true)
			      : store_write_first(w->store, &w->durable);
	w->took = nsec_since(clock_now(), began);
}

static void
write_second(void *context)
{
	struct store_writer *w = context;

	w->second_error = store_write_second(w->store);
}

/*
 * A candidate waits for this disk, and the next promise may come soon. So the
 * second slot is not written for as long as the first write took: a state that
 * comes meanwhile is written there at once, without waiting for another sync.
 */
static void
end_first(void *context)
{
	struct store_writer *w = context;

	w->is_writing = false;
	if (w->error == 0)
		worker_give(
		    w->worker, &w->second, nsec_after(clock_now(), w->took));
	w->written(w->context, w->error);
}

/* A state that comes after a failure fails by the same error. */
static void
end_second(void *context)
{
	struct store_writer *w = context;

	if (w->second_error != 0 && !w->is_writing)
		w->written(w->context, w->second_error);
}

struct store_writer *
store_writer_new(struct store *store, struct worker *worker,
    store_handler *written, void *context)
{
	struct store_writer *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->store = store;
	w->worker = worker;
	w->written = written;
	w->context = context;
	w->first = (struct job){
		.work = write_first,
		.end = end_first,
		.context = w,
	};
	w->second = (struct job){
		.work = write_second,
		.end = end_second,
		.context = w,
	};
	return w;
}

void
store_writer_write(
    struct store_writer *w, const struct durable_state *state, bool is_anew)
{
	assert(!w->is_writing);
	(void)worker_recall(w->worker, &w->second);
	w->durable = *state;
	w->is_anew = is_anew;
	w->is_writing = true;
	worker_give(w->worker, &w->first, 0);
}

void
store_writer_free(struct store_writer *w)
{
	free(w);
}
