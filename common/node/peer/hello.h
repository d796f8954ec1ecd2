/* SPDX-License-Identifier: ISC */
/*
 * When we say HELLO to a peer without a session (hello.c; PROTOCOL.md,
 * Probing).
 */
#ifndef ELECTD_COMMON_NODE_PEER_HELLO_H
#define ELECTD_COMMON_NODE_PEER_HELLO_H

#include "common/node/node_parts.h"

/* Says HELLO at the next chance, and eagerly at first. */
void hello_reset(struct peer *p, nsec_t now);

/* True if this peer has no session, and it is time to say HELLO. */
bool hello_is_time(const struct peer *p, nsec_t now);

/* True while we say HELLO eagerly: the peer may yet answer. */
bool hello_is_eager(const struct peer *p);

/* Makes a HELLO due, and touches the peer. After the eager ones the next may
 * wait if `is_lazy`, as the leader seeks this peer, too. */
void hello_say(struct node *node, nsec_t now, struct peer *p, bool is_lazy);

/* Makes a HELLO due at once, unless there is one or a session; touches the
 * peer. */
void hello_seek(struct node *node, nsec_t now, struct peer *p);

/* True if a HELLO is to be sent. */
bool hello_is_due(const struct peer *p);

/* No HELLO is due: it has been built, or we leave. */
void hello_clear(struct peer *p);

/* The peer's host says by ICMP that nothing listens: says HELLO lazily to this
 * peer, which has no session. */
void hello_on_refused(struct peer *p, nsec_t now);

/* Asserts every invariant of this part. */
void hello_check(const struct node *node, const struct peer *p);

#endif
