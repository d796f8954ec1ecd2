/* SPDX-License-Identifier: ISC */
/*
 * The state file: one small file of a fixed size for each cluster and node, in
 * the state directory. It is made whole once and then written in place, so that
 * a full disk does no harm later; store_format.h says why a crash does none. A
 * lock file beside it excludes a second electd with the same id on this host.
 *
 * After an error nothing is ever written again: fsync(2) reports an error once,
 * and the kernel may have dropped the data, so that a later success would prove
 * nothing. A new start reads what is there, and writes and syncs all of it
 * again.
 */
#ifndef ELECTD_DAEMON_STATE_STORE_H
#define ELECTD_DAEMON_STATE_STORE_H

#include "daemon/state/store_format.h"

struct store;

/* Syncs the parent of a directory that was just made, so that it survives a
 * power loss. Warns if that fails. */
void store_parent_sync(int directory);

/*
 * Locks and reads the state of node `id` of `cluster`. Makes `directory` if it
 * is missing, and the lock file, but no state file. Returns 0 and *store, which
 * the caller frees by store_close(), or a negative errno: -EWOULDBLOCK if
 * another process holds the lock.
 */
int store_open(const char *directory, const char *cluster, node_id id,
    struct store **store);

/* Like store_open(), but locks and makes nothing: for store_found() only. */
int store_look(const char *directory, const char *cluster, node_id id,
    struct store **store);

/* Returns 0 if no process holds the lock of store_open(), -EWOULDBLOCK if one
 * does, or a negative errno if that cannot be told. Makes nothing. */
int store_look_lock(const char *directory, const char *cluster, node_id id);

/* The content of the file when it was opened. A missing file is a problem,
 * too. */
const struct store_finding *store_found(const struct store *store);

/* True if that problem is that there was no file. */
bool store_is_missing(const struct store *store);

/* The file's name in the directory, CLUSTER-ID.state. Valid as long as the
 * store. */
const char *store_name(const struct store *store);

/*
 * Makes the file in place of any that exists. It is durable before it gets its
 * name. Returns 0, or a negative errno; then the file may not survive a crash.
 */
int store_create(
    struct store *store, const struct durable_state *state, bool is_complete);

/*
 * store_write() writes a state to both slots of the file, and waits for the
 * disk. store_write_first() writes it to one slot, and then it is durable;
 * store_write_second() writes it to the other. If a next state comes first,
 * store_write_first() writes that one to the other slot instead. Each returns 0
 * or a negative errno; after an error, the same error for ever.
 */
int store_write(struct store *store, const struct durable_state *state);
int store_write_first(struct store *store, const struct durable_state *state);
int store_write_second(struct store *store);

/* A text for the error of a write. Valid until the next call of strerror(3). */
const char *store_error_text(const struct store *store, int error);

/* Unlocks and frees. NULL is harmless. */
void store_close(struct store *store);

#endif
