/* SPDX-License-Identifier: ISC */
/*
 * Snapshots of the cluster's state by the markers of Chandy and Lamport
 * (snapshot.c; PROTOCOL.md, Snapshots; K. M. Chandy and L. Lamport, Distributed
 * snapshots, ACM TOCS 3(1), 1985).
 */
#ifndef ELECTD_COMMON_NODE_LOOK_SNAPSHOT_H
#define ELECTD_COMMON_NODE_LOOK_SNAPSHOT_H

#include "common/node/node_parts.h"

/* The bytes that snapshot_init() needs. */
size_t snapshot_size(void);

/* Takes part in none, in `memory`, of snapshot_size() bytes, zeroed. */
void snapshot_init(struct node *node, void *memory);

/* The node was made anew for other settings, in other memory. Its parts of
 * snapshots end, but our datagrams still bear their names. */
void snapshot_change(struct node *node, void *memory);

/* Begins a snapshot. Returns its name. */
struct snapshot_name snapshot_begin(struct node *node, nsec_t now);

/* A datagram, of which nothing was taken yet, bears this name: its sender has
 * recorded its state, so we do. */
void snapshot_hear(
    struct node *node, nsec_t now, const struct snapshot_name *name);

/* The node whose marker of our own last snapshot we wait for; NODE_NONE: there
 * is none. */
node_id snapshot_awaits(const struct node *node);

/* The channel of the peer gave a marker; a message of the algorithm; or a
 * message that cannot be read: NULL. */
void snapshot_take_marker(
    struct node *node, struct peer *p, const struct snapshot_name *name);
void snapshot_take_message(
    struct node *node, const struct peer *p, const struct message *m);

/* A session with the peer begins, or has ended. */
void snapshot_on_session(struct node *node, nsec_t now, struct peer *p);
void snapshot_reset(struct node *node, struct peer *p);

/* True if each datagram to the peer bears the name of a snapshot, as the peer
 * has not taken its marker yet. */
bool snapshot_names(const struct peer *p);

/* Writes these names. Returns the number of frames. */
unsigned snapshot_write(
    const struct node *node, const struct peer *p, struct writer *f);

/* How far our part of this snapshot is; by which node it has failed:
 * *culprit. */
enum snapshot_outcome snapshot_outcome_of(const struct node *node,
    const struct snapshot_name *name, node_id *culprit);

/* Writes items of our part, which is complete, from this one on, as many as
 * fit. Returns the number of the next one; 0: there is none. */
uint64_t snapshot_write_items(const struct node *node,
    const struct snapshot_name *name, uint64_t from, struct writer *w);

void snapshot_check(const struct node *node);

#endif
