/* SPDX-License-Identifier: ISC */
/*
 * Writes states to the disk by a worker, and syncs them, so that a slow disk
 * delays no heartbeat. It writes one state at a time.
 */
#ifndef ELECTD_DAEMON_STATE_STORE_WRITER_H
#define ELECTD_DAEMON_STATE_STORE_WRITER_H

#include "daemon/state/store.h"
#include "daemon/system/loop/worker.h"

struct store_writer;

/*
 * A write has ended: `error` is 0 once the state is durable, or a negative
 * errno. An error may also come when no write is in progress: the second slot
 * could not be written.
 */
typedef void store_handler(void *context, int error);

/*
 * Borrows the store, and the worker, which does nothing else; only the worker
 * writes to the store. NULL without memory.
 */
struct store_writer *store_writer_new(struct store *store,
    struct worker *worker, store_handler *written, void *context);

/*
 * Begins to make a state durable; if it `is_anew`, by store_create(), as one
 * that misses no promise. The write before must have ended.
 */
void store_writer_write(struct store_writer *writer,
    const struct durable_state *state, bool is_anew);

/* Call this after worker_free(). NULL is harmless. */
void store_writer_free(struct store_writer *writer);

#endif
