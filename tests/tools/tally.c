/* SPDX-License-Identifier: ISC */
/*
 * tally INTERFACE PORT...: counts the datagrams of IPv4 and UDP that pass an
 * interface, such as a bridge, from or to these ports. It prints "ready" when it
 * begins. When its input ends, it prints a line for each kind of datagram,
 *
 *	SOURCE group|unicast TYPE SIZE COUNT
 *
 * with the type of electd's packet (common/wire/packet.h) and the bytes of the
 * datagram, and fails if it has missed one.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/util/bytes.h"

#define PORTS_MAX     4
#define KINDS_MAX     1024
#define FRAME_BYTES   2048 /* what is longer is not looked at beyond this */
#define UDP_BYTES     8
#define IP_WORD_BYTES 4

struct kind {
	uint32_t source;
	bool is_group;
	uint8_t type;
	size_t size; /* of the datagram */
	unsigned long count;
};

struct tally {
	uint16_t ports[PORTS_MAX];
	unsigned ports_count;
	struct kind kinds[KINDS_MAX];
	unsigned kinds_count;
	bool is_full; /* there was no room for a kind */
};

static bool
has_port(const struct tally *t, uint16_t port)
{
	for (unsigned i = 0; i < t->ports_count; i++)
		if (t->ports[i] == port)
			return true;
	return false;
}

/* Reads the head of UDP, and of electd's packet; false: it is not to count. */
static bool
udp_read(const struct tally *t, struct reader *r, struct kind *kind)
{
	uint16_t from = read_u16(r), to = read_u16(r), size = read_u16(r);

	read_run(r, 2); /* the checksum */
	read_run(r, 1); /* the version */
	kind->type = read_u8(r);
	if (r->failed || size < UDP_BYTES)
		return false;
	kind->size = (size_t)size - UDP_BYTES;
	return has_port(t, from) || has_port(t, to);
}

/* Reads a packet of IPv4; false: it is not to count. */
static bool
kind_read(
    const struct tally *t, const uint8_t *bytes, size_t size, struct kind *kind)
{
	struct reader r = reader_of(bytes, size);
	uint8_t first = read_u8(&r), protocol;
	size_t head = (first & 15U) * IP_WORD_BYTES;
	uint16_t fragment;

	read_run(&r, 5); /* to the identification */
	fragment = read_u16(&r);
	read_run(&r, 1); /* the time to live */
	protocol = read_u8(&r);
	read_run(&r, 2); /* the checksum */
	kind->source = read_u32(&r);
	kind->is_group = IN_MULTICAST(read_u32(&r));
	if (r.failed || head < sizeof(struct iphdr) ||
	    protocol != IPPROTO_UDP || (fragment & IP_OFFMASK) != 0)
		return false;
	read_run(&r, head - sizeof(struct iphdr)); /* the options */
	return udp_read(t, &r, kind);
}

static void
tally_add(struct tally *t, const struct kind *kind)
{
	struct kind *k = t->kinds;

	for (; k < t->kinds + t->kinds_count; k++)
		if (k->source == kind->source &&
		    k->is_group == kind->is_group && k->type == kind->type &&
		    k->size == kind->size) {
			k->count++;
			return;
		}
	if (t->kinds_count == KINDS_MAX) {
		t->is_full = true;
		return;
	}
	*k = *kind;
	k->count = 1;
	t->kinds_count++;
}

/* Counts all that has come. */
static void
tally_drain(struct tally *t, int fd)
{
	uint8_t bytes[FRAME_BYTES];
	struct kind kind;
	ssize_t size;

	while ((size = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) >= 0)
		if (kind_read(t, bytes, (size_t)size, &kind))
			tally_add(t, &kind);
}

/* The socket, or -1. A bridge sees what is for others only if it is told to. */
static int
tally_open(const char *interface)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE_IP) };
	struct packet_mreq all = { .mr_type = PACKET_MR_PROMISC };
	int fd = socket(AF_PACKET, SOCK_DGRAM, 0);

	address.sll_ifindex = (int)if_nametoindex(interface);
	all.mr_ifindex = address.sll_ifindex;
	if (fd < 0 || address.sll_ifindex == 0 ||
	    setsockopt(
		fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		perror("tally");
		return -1;
	}
	return fd;
}

/* Counts until the input ends; false if it cannot. */
static bool
tally_run(struct tally *t, int fd)
{
	struct pollfd polls[] = { { .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = fd, .events = POLLIN } };
	char input[64];

	for (;;) {
		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			return false;
		tally_drain(t, fd);
		if (polls[0].revents != 0 &&
		    read(STDIN_FILENO, input, sizeof(input)) <= 0)
			return true;
	}
}

static void
tally_print(const struct tally *t)
{
	char source[INET_ADDRSTRLEN];

	for (unsigned i = 0; i < t->kinds_count; i++) {
		const struct kind *k = &t->kinds[i];
		struct in_addr address = { htonl(k->source) };

		printf("%s %s %u %zu %lu\n",
		    inet_ntop(AF_INET, &address, source, sizeof(source)),
		    k->is_group ? "group" : "unicast", k->type, k->size,
		    k->count);
	}
}

int
main(int argc, char **argv)
{
	static struct tally t;
	struct tpacket_stats missed;
	socklen_t size = sizeof(missed);
	int fd;

	for (int i = 2; i < argc && t.ports_count < PORTS_MAX; i++)
		t.ports[t.ports_count++] = (uint16_t)strtoul(argv[i], NULL, 10);
	if (argc < 3 || argc > 2 + PORTS_MAX) {
		fputs("usage: tally INTERFACE PORT...\n", stderr);
		return 2;
	}
	fd = tally_open(argv[1]);
	if (fd < 0)
		return EXIT_FAILURE;
	puts("ready");
	fflush(stdout);
	if (!tally_run(&t, fd) ||
	    getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &missed, &size) < 0 ||
	    missed.tp_drops > 0 || t.is_full) {
		fputs("tally: some were missed\n", stderr);
		return EXIT_FAILURE;
	}
	tally_print(&t);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
