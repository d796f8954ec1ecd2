/* SPDX-License-Identifier: ISC */
/*
 * What a node must not forget: its incarnation. One small checksummed file
 * a cluster and node in the state directory, replaced atomically and synced;
 * a lock beside it keeps a second electd of the same id on this host away.
 */
#ifndef ELECTD_DAEMON_STORE_H
#define ELECTD_DAEMON_STORE_H

#include "common/types.h"

struct store;

/*
 * Opens (and makes, if need be) the state of node `id` of `cluster` in
 * `directory`, and locks it. *incarnation is the last durable one, 0 if the
 * file is missing or damaged (which is logged). Gives 0 and *store, or a
 * negative errno: -EWOULDBLOCK when another process holds the lock.
 */
int store_open(const char *directory, const char *cluster, node_id id,
    struct store **store, uint64_t *incarnation);

/* Makes `incarnation` durable: 0, or a negative errno, and then the old one may
 * still be there. */
int store_write(struct store *store, uint64_t incarnation);

/* Unlocks and frees. NULL is harmless. */
void store_close(struct store *store);

#endif
