/* SPDX-License-Identifier: ISC */
/*
 * ICMP errors that come instead of a peer's answers (refusal.c; PROTOCOL.md,
 * Refusals).
 */
#ifndef ELECTD_COMMON_NODE_WATCH_REFUSAL_H
#define ELECTD_COMMON_NODE_WATCH_REFUSAL_H

#include "common/node/node_parts.h"

/* No refusal of this peer counts any more: it is new, it has answered, or its
 * session has ended. */
void refusal_reset(struct peer *p);

/* True from the first error that counts until the peer answers. */
bool refusal_is_open(const struct peer *p);

/* The host of the peer, which has a session, says by ICMP that nothing listens.
 * The caller touches the peer. */
void refusal_take(struct node *node, nsec_t now, struct peer *p);

/* Pings the peer when it is time. True if we believe the second error now: the
 * peer is over, and the caller ends its session. */
bool refusal_tick(struct node *node, nsec_t now, struct peer *p);

/* When refusal_tick() has something to do; NSEC_NEVER: nothing. */
nsec_t refusal_deadline(const struct peer *p);

/* True if the peer, which refused us, is our leader and no other node has heard
 * it since. */
bool refusal_loses_leader(const struct node *node, const struct peer *p);

/* Asserts every invariant of this part. */
void refusal_check(const struct peer *p);

#endif
