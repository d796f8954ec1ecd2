/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/frame.h"

#include <string.h>

#include "common/util/bytes.h"

#define TYPE_ARP  0x0806 /* type of an Ethernet frame */
#define TYPE_IPV4 0x0800
#define TYPE_IPV6 0x86dd

#define ARP_ETHERNET 1
#define ARP_REQUEST  1
#define ARP_REPLY    2

#define ICMPV6            58
#define ND_HOPS           255 /* a router would have lowered it */
#define ND_SOLICITATION   135
#define ND_ADVERTISEMENT  136
#define ND_SIZE           24 /* without options */
#define ND_OPTION_TARGET  2  /* the link-layer address of the target */
#define ND_OPTION_BYTES   8
#define NA_FLAG_ROUTER    0x80000000
#define NA_FLAG_OVERRIDE  0x20000000
#define IPV6_VERSION      0x60000000
#define IPV6_VERSION_MASK 0xf0000000

static const uint8_t everyone[MAC_BYTES] = { 255, 255, 255, 255, 255, 255 };
static const struct ip nobody = { .is_v6 = true };
static const struct ip nobody_v4;

bool
ip_is_same(const struct ip *a, const struct ip *b)
{
	return a->is_v6 == b->is_v6 &&
	       memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static bool
is_group(const struct ip *ip)
{
	return ip->is_v6 ? ip->bytes[0] == 0xff : ip->bytes[0] >= 224;
}

/* Reading. */

static bool
read_arp(struct reader *r, struct frame *frame)
{
	struct ip target = { .is_v6 = false };
	bool is_arp;
	uint16_t operation;

	is_arp = read_u16(r) == ARP_ETHERNET;
	is_arp &= read_u16(r) == TYPE_IPV4;
	is_arp &= read_u8(r) == MAC_BYTES;
	is_arp &= read_u8(r) == 4;
	operation = read_u16(r);
	is_arp &= operation == ARP_REQUEST || operation == ARP_REPLY;
	read_bytes(r, frame->sender, MAC_BYTES);
	frame->ip.is_v6 = false;
	read_bytes(r, frame->ip.bytes, 4);
	(void)read_run(r, MAC_BYTES);
	read_bytes(r, target.bytes, 4);
	frame->kind = FRAME_CLAIM;
	if (ip_is_same(&frame->ip, &nobody_v4)) {
		is_arp &= operation == ARP_REQUEST;
		frame->kind = FRAME_PROBE;
		frame->ip = target;
	}
	return is_arp;
}

/* The sum of RFC 1071, of 16 bits each. */
static uint32_t
add_up(uint32_t sum, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* The checksum over what is sent; 0 if that has the right one in it. */
static uint16_t
checksum(const uint8_t from[16], const uint8_t to[16], const uint8_t *bytes,
    size_t size)
{
	uint32_t sum = add_up((uint32_t)size + ICMPV6, from, 16);

	sum = add_up(sum, to, 16);
	return (uint16_t)~add_up(sum, bytes, size);
}

static bool
read_nd(struct reader *r, const uint8_t sender[MAC_BYTES], struct frame *frame)
{
	bool is_nd = (read_u32(r) & IPV6_VERSION_MASK) == IPV6_VERSION;
	uint16_t size = read_u16(r);
	const uint8_t *from, *to, *body;
	uint8_t type;

	is_nd &= read_u8(r) == ICMPV6;
	is_nd &= read_u8(r) == ND_HOPS;
	from = read_run(r, 16);
	to = read_run(r, 16);
	if (r->failed || size < ND_SIZE || size > r->left)
		return false;
	body = r->at;
	is_nd &= checksum(from, to, body, size) == 0;
	type = read_u8(r);
	is_nd &= read_u8(r) == 0;
	(void)read_run(r, 2 + 4);
	frame->ip.is_v6 = true;
	read_bytes(r, frame->ip.bytes, 16);
	memcpy(frame->sender, sender, MAC_BYTES);
	frame->kind = FRAME_CLAIM;
	if (type == ND_SOLICITATION) {
		is_nd &= memcmp(from, nobody.bytes, 16) == 0;
		frame->kind = FRAME_PROBE;
	} else {
		is_nd &= type == ND_ADVERTISEMENT;
	}
	return is_nd;
}

bool
frame_read(const void *bytes, size_t size, struct frame *frame)
{
	struct reader r = reader_of(bytes, size);
	uint8_t sender[MAC_BYTES];
	uint16_t type;
	bool is_good;

	memset(frame, 0, sizeof(*frame));
	(void)read_run(&r, MAC_BYTES);
	read_bytes(&r, sender, MAC_BYTES);
	type = read_u16(&r);
	if (type == TYPE_ARP)
		is_good = read_arp(&r, frame);
	else
		is_good = type == TYPE_IPV6 && read_nd(&r, sender, frame);
	return is_good && !r.failed && !is_group(&frame->ip) &&
	       !ip_is_same(&frame->ip, frame->ip.is_v6 ? &nobody : &nobody_v4);
}

/* Writing. */

static void
write_ethernet(struct writer *w, const uint8_t to[MAC_BYTES],
    const uint8_t mac[MAC_BYTES], uint16_t type)
{
	write_bytes(w, to, MAC_BYTES);
	write_bytes(w, mac, MAC_BYTES);
	write_u16(w, type);
}

static void
write_arp(struct writer *w, const uint8_t mac[MAC_BYTES], uint16_t operation,
    const struct ip *sender, const struct ip *target)
{
	static const uint8_t unknown[MAC_BYTES];

	write_ethernet(w, everyone, mac, TYPE_ARP);
	write_u16(w, ARP_ETHERNET);
	write_u16(w, TYPE_IPV4);
	write_u8(w, MAC_BYTES);
	write_u8(w, 4);
	write_u16(w, operation);
	write_bytes(w, mac, MAC_BYTES);
	write_bytes(w, sender->bytes, 4);
	write_bytes(w, operation == ARP_REPLY ? everyone : unknown, MAC_BYTES);
	write_bytes(w, target->bytes, 4);
}

/* All but the ICMP message, which has this size. */
static void
write_ipv6(struct writer *w, uint16_t size, const uint8_t from[16],
    const uint8_t to[16])
{
	write_u32(w, IPV6_VERSION);
	write_u16(w, size);
	write_u8(w, ICMPV6);
	write_u8(w, ND_HOPS);
	write_bytes(w, from, 16);
	write_bytes(w, to, 16);
}

/* Puts the checksum into the ICMP message, the last `size` bytes. */
static void
seal(
    struct writer *w, const uint8_t from[16], const uint8_t to[16], size_t size)
{
	uint8_t *body = w->start + w->size - size;
	uint16_t sum = checksum(from, to, body, size);

	body[2] = (uint8_t)(sum >> 8);
	body[3] = (uint8_t)sum;
}

void
frame_group(const struct ip *ip, uint8_t mac[MAC_BYTES])
{
	const uint8_t group[MAC_BYTES] = { 0x33, 0x33, 0xff, ip->bytes[13],
		ip->bytes[14], ip->bytes[15] };

	memcpy(mac, group, MAC_BYTES);
}

static void
write_solicitation(
    struct writer *w, const uint8_t mac[MAC_BYTES], const struct ip *ip)
{
	uint8_t to_mac[MAC_BYTES];
	const uint8_t to[16] = { 0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff,
		ip->bytes[13], ip->bytes[14], ip->bytes[15] };

	frame_group(ip, to_mac);
	write_ethernet(w, to_mac, mac, TYPE_IPV6);
	write_ipv6(w, ND_SIZE, nobody.bytes, to);
	write_u8(w, ND_SOLICITATION);
	write_u8(w, 0);
	write_u16(w, 0);
	write_u32(w, 0);
	write_bytes(w, ip->bytes, 16);
	seal(w, nobody.bytes, to, ND_SIZE);
}

static void
write_advertisement(struct writer *w, const uint8_t mac[MAC_BYTES],
    const struct ip *ip, bool is_router)
{
	static const uint8_t to_mac[MAC_BYTES] = { 0x33, 0x33, 0, 0, 0, 1 };
	static const uint8_t to[16] = { 0xff, 0x02, [15] = 1 };

	write_ethernet(w, to_mac, mac, TYPE_IPV6);
	write_ipv6(w, ND_SIZE + ND_OPTION_BYTES, ip->bytes, to);
	write_u8(w, ND_ADVERTISEMENT);
	write_u8(w, 0);
	write_u16(w, 0);
	write_u32(w, NA_FLAG_OVERRIDE | (is_router ? NA_FLAG_ROUTER : 0));
	write_bytes(w, ip->bytes, 16);
	write_u8(w, ND_OPTION_TARGET);
	write_u8(w, ND_OPTION_BYTES / 8);
	write_bytes(w, mac, MAC_BYTES);
	seal(w, ip->bytes, to, ND_SIZE + ND_OPTION_BYTES);
}

size_t
frame_write_probe(uint8_t bytes[FRAME_BYTES], const uint8_t mac[MAC_BYTES],
    const struct ip *ip)
{
	struct writer w = writer_of(bytes, FRAME_BYTES);

	if (ip->is_v6)
		write_solicitation(&w, mac, ip);
	else
		write_arp(&w, mac, ARP_REQUEST, &nobody_v4, ip);
	assert(!w.failed);
	return w.size;
}

size_t
frame_write_claim(uint8_t bytes[FRAME_BYTES], const uint8_t mac[MAC_BYTES],
    const struct ip *ip, bool is_reply, bool is_router)
{
	struct writer w = writer_of(bytes, FRAME_BYTES);

	if (ip->is_v6)
		write_advertisement(&w, mac, ip, is_router);
	else
		write_arp(&w, mac, is_reply ? ARP_REPLY : ARP_REQUEST, ip, ip);
	assert(!w.failed);
	return w.size;
}
