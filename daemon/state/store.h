/* SPDX-License-Identifier: ISC */
/*
 * What a node must not forget, kept on disk: one small file of a fixed size a
 * cluster and node in the state directory. It is made whole once and then
 * written in place, so that a disk that fills up later does no harm; see
 * store_record.h for how a crash does none either. A lock beside it keeps a
 * second electd of the same id on this host away.
 *
 * After an error nothing is ever written again: what the kernel still holds
 * of that write may be lost without another word (fsync(2) tells an error
 * once), so that a later success would prove nothing. A new start reads what
 * is there, and writes and syncs all of it anew.
 */
#ifndef ELECTD_DAEMON_STATE_STORE_H
#define ELECTD_DAEMON_STATE_STORE_H

#include "daemon/state/store_record.h"

struct store;

/* A directory that was just made is found after a crash only with this. */
void store_parent_sync(int directory);

/*
 * Locks the state of node `id` of `cluster` in `directory`, which is made if it
 * is missing, and reads it. Makes no file but the lock. Gives 0 and *store, or
 * a negative errno: -EWOULDBLOCK when another process holds the lock.
 */
int store_open(const char *directory, const char *cluster, node_id id,
    struct store **store);

/* The same, but locks and makes nothing: only to say what was found. */
int store_look(const char *directory, const char *cluster, node_id id,
    struct store **store);

/* What was found at the start. The problem may be that there is none. */
const struct store_finding *store_found(const struct store *store);
bool store_is_missing(const struct store *store);

/* CLUSTER-ID.state, the name of the file in the directory. */
const char *store_name(const struct store *store);

/*
 * Makes the file, durable before it bears its name, and replaces what lies
 * there. 0, or a negative errno, and then it may not last.
 */
int store_create(
    struct store *store, const struct durable_state *record, bool is_vouched);

/*
 * Makes a record durable in the file that was found or made: 0, or a negative
 * errno, now and whenever asked again. May take as long as the disk likes. It
 * is durable after the first half already; the second makes it so once more, in
 * the other slot. The next record goes to that slot too, so where it comes
 * first it takes the place of the second half.
 */
int store_write(struct store *store, const struct durable_state *record);
int store_write_first(struct store *store, const struct durable_state *record);
int store_write_second(struct store *store);

/* What the error of a write means, in words. */
const char *store_error_text(const struct store *store, int error);

/* Unlocks and frees. NULL is harmless. */
void store_close(struct store *store);

#endif
