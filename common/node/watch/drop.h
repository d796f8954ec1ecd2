/* SPDX-License-Identifier: ISC */
/*
 * Datagrams that are dropped, and what the host hears of them (drop.c;
 * PROTOCOL.md, Order of checks).
 */
#ifndef ELECTD_COMMON_NODE_WATCH_DROP_H
#define ELECTD_COMMON_NODE_WATCH_DROP_H

#include "common/node/node_parts.h"

/* The datagram that comes in claims this source; NODE_NONE: its head made no
 * sense. */
void drop_note_source(struct node *node, node_id source);

/* Counts a datagram that is dropped, and tells the host of some. `p` is the
 * peer that it is from, or NULL. */
void drop_datagram(
    struct node *node, nsec_t now, struct peer *p, enum drop reason);

/* Drops a datagram that came from the peer's address and that no key of ours
 * opened: a hint that the peer has another key. */
void drop_unopened(
    struct node *node, nsec_t now, struct peer *p, enum drop reason);

/* Ends the hint that the peer has another key: it has proved that it has ours,
 * or the hint is too old. */
void drop_forgive_key(struct node *node, nsec_t now, struct peer *p);

/* The peers have other numbers. */
void drop_change(struct node *node);

/* True if the peer seems to have another key. */
bool drop_has_other_key(const struct peer *p);

/* Ends the hints that are too old, or are about peers we do not seek. */
void drop_forget_keys(struct node *node, nsec_t now);

/* Asserts every invariant of this part. */
void drop_check(const struct node *node, const struct peer *p);

#endif
