/* SPDX-License-Identifier: ISC */
/*
 * The one datagram socket, and the addresses of all nodes.
 */
#ifndef ELECTD_DAEMON_NET_UDP_H
#define ELECTD_DAEMON_NET_UDP_H

#include "daemon/config/settings.h"
#include "daemon/net/address.h"

struct udp;

/*
 * Binds to our own address (or to settings->listen), which must resolve. Peers
 * are numbered in the order of settings->nodes, without self; where they have
 * names, these are looked up beside all else, and again while they are not
 * linked. NULL if that cannot be, and each trouble is logged. The settings are
 * borrowed.
 */
struct udp *udp_new(const struct settings *settings, node_id self);
void udp_free(struct udp *udp); /* NULL is harmless */

/* The link to this node is up, or down: whether its address is right, and what
 * goes to it gets there. */
void udp_set_linked(struct udp *udp, node_id id, bool is_linked);

/* To be watched for reading. */
int udp_fd(const struct udp *udp);

/* A peer's address, of our own family. NULL: its name is not resolved. */
const struct sockaddr *udp_address(const struct udp *udp, unsigned peer);

/*
 * Who takes what comes. A datagram: `peer` is PEER_NONE if its address is no
 * peer's, and `arrived` when it came, on clock_now()'s clock; during the call,
 * udp_reply() answers its sender. And a refusal: the peer's host says that
 * nothing listens there (udp_errors.h).
 */
struct udp_taker {
	void (*take)(void *context, unsigned peer, const uint8_t *bytes,
	    size_t size, nsec_t arrived);
	void (*refused)(void *context, unsigned peer);
	void *context;
};

/* Hands in every datagram that has arrived, at most UDP_DRAIN_MAX, and then
 * what was refused. */
#define UDP_DRAIN_MAX 1024 /* a flood must not starve the timers */
void udp_drain(struct udp *udp, const struct udp_taker *taker);

/*
 * Sends one datagram, with those that follow it, at udp_flush() at the latest:
 * in one system call, so that the first of those who get one does not take our
 * place before the last was sent. Where the socket is full, waits for room, but
 * at most 5 ms and half a heartbeat: so each leaves in its turn. What cannot be
 * sent then is lost, as on the way. While half of the socket is full, so is
 * what goes to a peer without a link.
 */
void udp_send(
    struct udp *udp, unsigned peer, const uint8_t *bytes, size_t size);
void udp_flush(struct udp *udp);

/*
 * For how long a datagram has waited that was stamped so by the kernel, by the
 * time of day; it cannot be longer than since we looked last. 0 if the time of
 * day was set meanwhile, as far as that shows.
 */
nsec_t udp_age(nsec_t stamp, nsec_t wall, nsec_t gap);

/* Is the address of this peer known? True of any other node. */
bool udp_has_address(const struct udp *udp, node_id id);

/* Where the datagram that is being handed in is from, in `text`; "" if none
 * is. */
const char *udp_sender(const struct udp *udp, char text[ADDRESS_TEXT_MAX]);

/* Answers the sender of the datagram that is being handed in. */
void udp_reply(struct udp *udp, const uint8_t *bytes, size_t size);

#endif
