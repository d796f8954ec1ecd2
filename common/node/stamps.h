/* SPDX-License-Identifier: ISC */
/*
 * Time stamps that we and a peer give back to each other (stamps.c;
 * PROTOCOL.md, Body).
 */
#ifndef ELECTD_COMMON_NODE_STAMPS_H
#define ELECTD_COMMON_NODE_STAMPS_H

#include "common/node/node_parts.h"

/* A session begins: we count as having spoken now. */
void stamps_begin(struct peer *p, nsec_t now);

/* The session has ended: there is no stamp of the peer to give back. */
void stamps_reset(struct peer *p);

/* Microseconds of our clock for a peer to give back; never 0. */
uint32_t stamps_own(nsec_t now);

/* The peer's latest stamp, moved on by the time for which we have held it; 0 if
 * there is none. */
uint32_t stamps_echo(const struct peer *p, nsec_t now);

/* A datagram of the session has been built. */
void stamps_sent(struct node *node, nsec_t now, struct peer *p);

/* True if a datagram that gives back our stamp `echo` says something of the
 * present; 0: it gives none back. */
bool stamps_accept(
    struct node *node, nsec_t now, struct peer *p, uint32_t echo);

/* Takes the stamps of a body, and measures the round trip. */
void stamps_take(
    struct node *node, nsec_t now, struct peer *p, const struct body *b);

/* The peer's latest stamp as it came; 0 if there is none. */
uint32_t stamps_latest(const struct peer *p);

/* When we took that stamp: the peer's last datagram. */
nsec_t stamps_heard(const struct peer *p);

#endif
