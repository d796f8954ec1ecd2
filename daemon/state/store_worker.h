/* SPDX-License-Identifier: ISC */
/*
 * A thread that writes states to the disk and syncs them, so that a slow disk
 * delays no heartbeat. It writes one state at a time.
 */
#ifndef ELECTD_DAEMON_STATE_STORE_WORKER_H
#define ELECTD_DAEMON_STATE_STORE_WORKER_H

#include "daemon/state/store.h"

struct store_worker;

/*
 * Starts the thread, with all signals blocked. Borrows the store until
 * store_worker_free(); only the thread writes to it. Returns 0 and *worker, or
 * a negative errno.
 */
int store_worker_new(struct store *store, struct store_worker **worker);

/* A descriptor that is readable when store_worker_take() may have a result. */
int store_worker_fd(const struct store_worker *worker);

/*
 * Begins to make a state durable; if it `is_anew`, by store_create(), as one
 * that misses no promise. The result of the one before must have been taken.
 */
void store_worker_write(struct store_worker *worker,
    const struct durable_state *state, bool is_anew);

/*
 * Takes the result of a write. Returns false if there is none yet. *error is 0
 * once the state is durable, or a negative errno. An error may also come when
 * no write is in progress: the second slot could not be written.
 */
bool store_worker_take(struct store_worker *worker, int *error);

/* Waits for the write in progress, and ends the thread. NULL is harmless. */
void store_worker_free(struct store_worker *worker);

#endif
