/* SPDX-License-Identifier: ISC */
/*
 * Writes records beside the loop: one thread that does nothing but write and
 * sync, so that a slow disk holds up no heartbeat. One record at a time.
 */
#ifndef ELECTD_DAEMON_STATE_STORE_WORKER_H
#define ELECTD_DAEMON_STATE_STORE_WORKER_H

#include "daemon/state/store.h"

struct store_worker;

/*
 * Starts the thread, which takes no signals. It alone writes to the store from
 * now on; the store is borrowed until store_worker_free(). Gives 0 and *worker,
 * or a negative errno.
 */
int store_worker_new(struct store *store, struct store_worker **worker);

/* Readable once there may be something to take. */
int store_worker_fd(const struct store_worker *worker);

/* Begins to make a record durable. None must be under way. */
void store_worker_write(
    struct store_worker *worker, const struct durable_state *record);

/*
 * Takes the result of what was begun: false if there is none yet. *error is
 * 0, once the record is durable, or a negative errno; the latter also where
 * nothing is under way any more, but the record before could not be kept twice.
 */
bool store_worker_take(struct store_worker *worker, int *error);

/* Waits for what is under way, and ends the thread. NULL is harmless. */
void store_worker_free(struct store_worker *worker);

#endif
