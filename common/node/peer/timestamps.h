/* SPDX-License-Identifier: ISC */
/*
 * Timestamps that we and a peer give back to each other (timestamps.c;
 * PROTOCOL.md, Body).
 */
#ifndef ELECTD_COMMON_NODE_PEER_TIMESTAMPS_H
#define ELECTD_COMMON_NODE_PEER_TIMESTAMPS_H

#include "common/node/node_parts.h"

/* A session begins: we count as having spoken now. */
void timestamps_begin(struct peer *p, nsec_t now);

/* The session has ended: there is no timestamp of the peer to give back. */
void timestamps_reset(struct peer *p);

/* Microseconds of our clock for a peer to give back; never 0. */
uint32_t timestamps_own(nsec_t now);

/* The peer's latest timestamp, moved on by the time for which we have held
 * it; 0 if there is none. */
uint32_t timestamps_echo(const struct peer *p, nsec_t now);

/* The same, but moved on only by the time since we took it: our clock alone
 * counts, as leases want it. */
uint32_t timestamps_echo_taken(const struct peer *p, nsec_t now);

/* How long ago we sent the peer a datagram. */
nsec_t timestamps_silence(const struct peer *p, nsec_t now);

/* A datagram to the peer, of the session or of a group, has been built. */
void timestamps_sent(struct node *node, nsec_t now, struct peer *p);

/* True if a datagram that gives back our timestamp `echo` says something of the
 * present; 0: it gives none back. */
bool timestamps_accept(
    struct node *node, nsec_t now, struct peer *p, uint32_t echo);

/* A timestamp that a peer gives back, moved on by its own clock, which may be
 * faster than ours: not later than now. */
uint32_t timestamps_not_ahead(
    const struct node *node, nsec_t now, uint32_t echo);

/* Takes the timestamps of a body, and measures the round trip. */
void timestamps_take(
    struct node *node, nsec_t now, struct peer *p, const struct body *b);

/* The peer's latest timestamp as it came; 0 if there is none. */
uint32_t timestamps_latest(const struct peer *p);

/* When we took that timestamp: the peer's last datagram. */
nsec_t timestamps_heard(const struct peer *p);

/* The present datagram, with this body, answers a ping. */
void timestamps_take_answer(
    const struct node *node, struct peer *p, const struct body *b);

/* When we sent the last ping that the peer has answered, moved on by the time
 * for which the peer held it. A new session is an answer. */
nsec_t timestamps_answered(const struct peer *p);

/* Asserts every invariant of this part. */
void timestamps_check(const struct node *node, const struct peer *p);

#endif
