/* SPDX-License-Identifier: ISC */
/*
 * Ethernet frames about one address: of ARP for IPv4 (RFC 826, RFC 5227), of
 * Neighbor Discovery for IPv6 (RFC 4861, RFC 4862).
 */
#ifndef ELECTD_DAEMON_ELECTVIP_FRAME_H
#define ELECTD_DAEMON_ELECTVIP_FRAME_H

#include "common/util/types.h"

#define MAC_BYTES   6
#define FRAME_BYTES 86 /* the longest that we send: Ethernet, IPv6, NA */

/* An address of a host. */
struct ip {
	bool is_v6;
	uint8_t bytes[16]; /* IPv4: the first four, and the others are 0 */
};

enum frame_kind {
	FRAME_CLAIM, /* the sender has the address */
	FRAME_PROBE, /* the sender wants it, and asks whether anyone has it */
};

/* The content of a frame. */
struct frame {
	enum frame_kind kind;
	struct ip ip;
	uint8_t sender[MAC_BYTES];
};

bool ip_is_same(const struct ip *a, const struct ip *b);

/* Reads a frame that came from anywhere. False if the frame is damaged, or of
 * no such kind. */
bool frame_read(const void *bytes, size_t size, struct frame *frame);

/* Each writes a frame and gives its size. */

/* Asks whether anyone has the address. */
size_t frame_write_probe(uint8_t bytes[FRAME_BYTES],
    const uint8_t mac[MAC_BYTES], const struct ip *ip);

/* Tells everyone that we have the address. ARP has two forms, and some hosts
 * heed only one of them; IPv6 takes no notice of the form. */
size_t frame_write_claim(uint8_t bytes[FRAME_BYTES],
    const uint8_t mac[MAC_BYTES], const struct ip *ip, bool is_reply,
    bool is_router);

/* The group to which other hosts send their probes of this address of IPv6. */
void frame_group(const struct ip *ip, uint8_t mac[MAC_BYTES]);

#endif
