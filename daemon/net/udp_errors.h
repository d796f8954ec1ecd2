/* SPDX-License-Identifier: ISC */
/*
 * What ICMP says of datagrams that were sent: hosts that refuse them, as
 * nothing listens there. Anyone can forge ICMP who guesses two addresses and
 * ports; so nothing counts that does not give back the tag of a datagram that
 * we sent to that very peer a short while ago, which cannot be guessed.
 */
#ifndef ELECTD_DAEMON_NET_UDP_ERRORS_H
#define ELECTD_DAEMON_NET_UDP_ERRORS_H

#include <sys/socket.h>

#include "common/wire/packet.h"

#define SENT_TAGS 8 /* of the last datagrams to a peer */

/* What was sent to a peer lately; zeroed, nothing. */
struct sent_tags {
	uint8_t tags[SENT_TAGS][SEAL_TAG_BYTES];
	bool is_out[SENT_TAGS];
	unsigned next;
};

void sent_tags_note(struct sent_tags *sent, const uint8_t *bytes, size_t size);

/* Was a datagram with this tag sent, and is this the first time we are told? */
bool sent_tags_take(struct sent_tags *sent, const uint8_t tag[SEAL_TAG_BYTES]);

struct udp_error {
	struct sockaddr_storage to; /* whom we sent it to */
	socklen_t to_size;
	bool is_refusal; /* of that host itself, with the datagram's tag: */
	uint8_t tag[SEAL_TAG_BYTES];
};

/* From now on errors wait in a queue of the socket's, which has to be emptied:
 * until then it counts as readable. */
void udp_errors_want(int fd, int family);

/* Takes the next one; false: there is none. */
bool udp_errors_take(int fd, struct udp_error *error);

#endif
