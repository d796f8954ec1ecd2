/* SPDX-License-Identifier: ISC */
/*
 * ICMP errors: a host refuses datagrams because nothing listens there. Anyone
 * who guesses two addresses and ports can forge ICMP. So an error counts only
 * if it quotes the tag of a datagram that we sent to that very peer a short
 * while ago, which cannot be guessed (PROTOCOL.md, ICMP).
 */
#ifndef ELECTD_DAEMON_NET_UDP_ERRORS_H
#define ELECTD_DAEMON_NET_UDP_ERRORS_H

#include <sys/socket.h>

#include "common/wire/packet.h"

/* The number of last datagrams to a peer whose tags we keep: except in a burst,
 * an error comes back before that many more have left. */
#define SENT_TAGS 8

/* The tags of the last datagrams to one peer. All zero: none. */
struct sent_tags {
	uint8_t tags[SENT_TAGS][SEAL_TAG_BYTES]; /* a ring */
	bool is_out[SENT_TAGS]; /* the tag was sent and not yet refused */
	unsigned next;          /* the place of the next tag */
};

/* Remembers the tag of a datagram that is being sent. */
void sent_tags_note(struct sent_tags *sent, const uint8_t *bytes, size_t size);

/* True if a datagram with this tag was sent; only once a tag. */
bool sent_tags_take(struct sent_tags *sent, const uint8_t tag[SEAL_TAG_BYTES]);

struct udp_error {
	struct sockaddr_storage to;  /* where the datagram was sent */
	socklen_t to_size;           /* bytes of `to` */
	bool is_refusal;             /* the host of the peer itself reports that
				      * no process listens, and quotes `tag` */
	uint8_t tag[SEAL_TAG_BYTES]; /* tag of the datagram */
};

/* Makes the socket queue its errors. It counts as readable until the queue is
 * empty. */
void udp_errors_want(int fd, int family);

/* Takes the next error. Returns false if there is none. */
bool udp_errors_take(int fd, struct udp_error *error);

#endif
