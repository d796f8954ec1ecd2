/* SPDX-License-Identifier: ISC */
/* The datagram socket: sends and receives in batches, by peer number. */
#ifndef ELECTD_DAEMON_NET_UDP_H
#define ELECTD_DAEMON_NET_UDP_H

#include "daemon/config/settings.h"
#include "daemon/net/address.h"

struct udp;

/*
 * Binds to our own address or settings->listen, which must resolve. Numbers the
 * peers and resolves their names as peer_addresses_new() does. Borrows the
 * settings. Returns NULL if there is no memory or, after logging it, on another
 * error.
 */
struct udp *udp_new(const struct settings *settings, node_id self);
void udp_free(struct udp *udp); /* NULL is harmless */

/* Takes other settings, with perhaps other peers, addresses and numbers, as
 * peer_addresses_change() does; our own address stays. False if that fails:
 * then nothing has changed. Not while a datagram is being handed over, nor
 * while one is queued. */
bool udp_change(struct udp *udp, const struct settings *settings);

/* Tells whether the link to this node is up, which proves its address and that
 * datagrams arrive there. */
void udp_set_linked(struct udp *udp, node_id id, bool is_linked);

/* The descriptors, to watch for reading; the second is of a multicast group,
 * the third of the news of interfaces; -1: there is none. */
int udp_fd(const struct udp *udp);
int udp_group_fd(const struct udp *udp);
int udp_links_fd(const struct udp *udp);

/* The last of these can be read. */
void udp_hear_links(struct udp *udp);

/* The interfaces that lead to the peers, none of which has a carrier; NULL:
 * there is one. */
const char *udp_lacks_carrier(const struct udp *udp);

/* A peer's address, of the family of our own. NULL: its name is not
 * resolved. */
const struct sockaddr *udp_address(const struct udp *udp, unsigned peer);

/* The functions that udp_drain() calls. */
struct udp_handler {
	/*
	 * Takes a datagram. `peer` is PEER_NONE if the sender's address is no
	 * peer's, PEER_GROUP if it came by the group. `arrived` is on
	 * clock_now()'s clock. During this call udp_reply() answers the sender.
	 * Returns true if the seal proves that the datagram is this peer's.
	 */
	bool (*on_datagram)(void *context, unsigned peer, const uint8_t *bytes,
	    size_t size, nsec_t arrived);
	/* By the peer's host, no process listens on the peer's port
	 * (udp_errors.h). */
	void (*on_refusal)(void *context, unsigned peer);
	void *context;
};

/* Hands over each datagram that has arrived, at most about UDP_DRAIN_MAX, and
 * then each refusal; `is_ready`: udp_fd() was, perhaps by a refusal alone. */
#define UDP_DRAIN_MAX 1024 /* a flood must not starve the timers */
void udp_drain(
    struct udp *udp, const struct udp_handler *handler, bool is_ready);

/*
 * Queues one datagram, of at most PACKET_MAX bytes, for udp_flush(); a full
 * batch is sent at once. Drops it if the peer's address is unknown, or if the
 * peer has no link and half of the send buffer is full.
 */
void udp_send(
    struct udp *udp, unsigned peer, const uint8_t *bytes, size_t size);

/* The same, to each address where the peer may be. */
void udp_call(
    struct udp *udp, unsigned peer, const uint8_t *bytes, size_t size);

/* The peer is where the datagram came from that is being handed over. */
void udp_find(struct udp *udp, unsigned peer);

/*
 * Sends the queue in one system call, so that the first peer to receive does
 * not act before the last datagram is sent. If the send buffer is full, waits
 * for space, but at most 5 ms and half a heartbeat. What cannot be sent then
 * counts as lost on the way.
 */
void udp_flush(struct udp *udp);

/*
 * The time since the kernel timestamped a datagram with `timestamp`, if the
 * wall clock shows `wall` now. Returns 0 if that would be more than `gap`, the
 * time since we last looked: then the wall clock was set in between.
 */
nsec_t udp_age(nsec_t timestamp, nsec_t wall, nsec_t gap);

/* True if this peer's address is known, and for any id that is no peer's. */
bool udp_has_address(const struct udp *udp, node_id id);

/* The address where the peer was found, if the settings have another; else
 * NULL. Returns `text`. */
const char *udp_found_at(
    const struct udp *udp, node_id id, char text[ADDRESS_TEXT_MAX]);

/* The address of the sender whose datagram is being handed over, or "" if none
 * is. Returns `text` or a constant. */
const char *udp_sender(const struct udp *udp, char text[ADDRESS_TEXT_MAX]);

/* Answers that sender; does nothing if no datagram is being handed over. */
void udp_reply(struct udp *udp, const uint8_t *bytes, size_t size);

/* Each sends at once, to the group, or to each address to join by. */
void udp_send_group(struct udp *udp, const uint8_t *bytes, size_t size);
void udp_join(struct udp *udp, const uint8_t *bytes, size_t size);

#endif
