/* SPDX-License-Identifier: ISC */
/*
 * The one datagram socket, and the addresses of all nodes, resolved once at
 * start.
 */
#ifndef ELECTD_DAEMON_UDP_H
#define ELECTD_DAEMON_UDP_H

#include "daemon/settings.h"

struct udp;

/*
 * Finds which configured node this host is: the one with an address of ours.
 * *self is NODE_NONE, which is logged, if there is more than one. False, logged
 * too, if there is none: an address may still come.
 */
bool udp_find_self(const struct settings *settings, node_id *self);

/*
 * Resolves every address and binds to our own (or to settings->listen). Peers
 * are numbered in the order of settings->nodes, without self. NULL if
 * that cannot be, and each trouble is logged.
 */
struct udp *udp_new(const struct settings *settings, node_id self);
void udp_free(struct udp *udp); /* NULL is harmless */

/* To be watched for reading. */
int udp_fd(const struct udp *udp);

/* A peer's address: of the family of our own. */
const struct sockaddr *udp_address(const struct udp *udp, unsigned peer);

/*
 * Hands every datagram that has arrived, at most UDP_DRAIN_MAX, to `take`;
 * `peer` is PEER_NONE if its address is no peer's. During the call,
 * udp_reply() answers its sender.
 */
#define UDP_DRAIN_MAX 1024 /* a flood must not starve the timers */
void udp_drain(struct udp *udp,
    void (*take)(
	void *context, unsigned peer, const uint8_t *bytes, size_t size),
    void *context);

/*
 * Sends one datagram, with those that follow it, at udp_flush() at the latest:
 * in one system call, so that the first of those who get one does not take our
 * place before the last was sent. What cannot be sent now is lost, as on the
 * way.
 */
void udp_send(
    struct udp *udp, unsigned peer, const uint8_t *bytes, size_t size);
void udp_flush(struct udp *udp);

/* Answers the sender of the datagram that is being handed in. */
void udp_reply(struct udp *udp, const uint8_t *bytes, size_t size);

#endif
