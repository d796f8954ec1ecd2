/* SPDX-License-Identifier: ISC */
/*
 * parrot INTERFACE ADDRESS GROUP PORT: an attacker on a LAN of IPv4. It keeps
 * what the host at ADDRESS says to the group, and says it again. It prints
 * "ready" when it begins, obeys lines from its standard input, prints a number
 * for each, and ends with its input:
 *   kept TYPE         how many of this type of packet (common/wire/packet.h) it
 *                     has kept
 *   forge TYPE N      sends N of them once more, each as it was, from ADDRESS
 *   repeat TYPE N     sends them from an address of its own
 *   damage TYPE N     the same, but no seal fits any more
 *   make-up N TO KEY introduces N nodes that there are not to node TO, with the
 *                     cluster's key in the file KEY, and answers to what that
 *                     node says
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/system/rights/key.h"
#include "tests/lib/member.h"

#define TYPES_MAX   16  /* of packets; more than there are */
#define KEPT_MAX    64  /* of each type */
#define LINE_BYTES  512 /* a command, with a path */
#define HEADS_BYTES (sizeof(struct iphdr) + sizeof(struct udphdr))
#define IP_BYTES    (HEADS_BYTES + PACKET_MAX)
#define BURST       16         /* datagrams, and then a pause */
#define BURST_PAUSE 2          /* ms; so no queue overflows soon */
#define ANSWER_WAIT 1000       /* ms */
#define MADE_UP     1000000000 /* the first id */

/* An IPv4 packet without options, with a datagram. */
struct kept {
	size_t size;
	uint8_t bytes[IP_BYTES];
};

static struct kept kept[TYPES_MAX][KEPT_MAX];
static unsigned counts[TYPES_MAX];
static struct sockaddr_in from, group;
static struct sockaddr_ll ether;
static int raw; /* hears and forges packets */
static int own; /* sends from an address of this host */

static void
die(const char *what)
{
	fprintf(stderr, "parrot: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void
open_sockets(const char *interface)
{
	uint32_t to = ntohl(group.sin_addr.s_addr);
	struct packet_mreq all = { .mr_type = PACKET_MR_PROMISC };
	struct ip_mreqn by = { 0 };

	ether = (struct sockaddr_ll){
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE_IP),
		.sll_ifindex = (int)if_nametoindex(interface),
		.sll_halen = ETH_ALEN,
		.sll_addr = { 1, 0, 0x5e, (to >> 16) & 0x7f, (to >> 8) & 0xff,
		    to & 0xff },
	};
	by.imr_ifindex = all.mr_ifindex = ether.sll_ifindex;
	raw = socket(AF_PACKET, SOCK_DGRAM, 0);
	own = socket(AF_INET, SOCK_DGRAM, 0);
	if (raw < 0 || own < 0 || ether.sll_ifindex == 0 ||
	    setsockopt(raw, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all,
		sizeof(all)) < 0 ||
	    bind(raw, (struct sockaddr *)&ether, sizeof(ether)) < 0 ||
	    setsockopt(own, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof(by)) < 0)
		die(interface);
}

/* Keeps a packet, if it is one of those. */
static void
hear(void)
{
	struct kept k;
	struct packet_head head;
	struct reader r;
	struct iphdr ip;
	struct udphdr udp;
	ssize_t size = recv(raw, k.bytes, sizeof(k.bytes), MSG_TRUNC);

	if (size < (ssize_t)HEADS_BYTES || size > (ssize_t)sizeof(k.bytes))
		return;
	k.size = (size_t)size;
	memcpy(&ip, k.bytes, sizeof(ip));
	memcpy(&udp, k.bytes + sizeof(ip), sizeof(udp));
	if (ip.ihl * 4 != sizeof(ip) || ip.protocol != IPPROTO_UDP ||
	    ip.saddr != from.sin_addr.s_addr ||
	    ip.daddr != group.sin_addr.s_addr || udp.dest != group.sin_port)
		return;
	r = reader_of(k.bytes + HEADS_BYTES, k.size - HEADS_BYTES);
	if (!packet_head_decode(&r, &head) || head.type >= TYPES_MAX ||
	    counts[head.type] == KEPT_MAX)
		return;
	/* The sender may have left the sum to its hardware. 0: there is
	 * none. */
	udp.check = 0;
	memcpy(k.bytes + sizeof(ip), &udp, sizeof(udp));
	kept[head.type][counts[head.type]++] = k;
}

static void
pace(unsigned turn)
{
	if (turn % BURST == BURST - 1)
		poll(NULL, 0, BURST_PAUSE);
}

static void
forge(const struct kept *k)
{
	if (sendto(raw, k->bytes, k->size, 0, (struct sockaddr *)&ether,
		sizeof(ether)) < 0)
		die("sendto");
}

static void
say(const uint8_t *bytes, size_t size)
{
	if (sendto(own, bytes, size, 0, (struct sockaddr *)&group,
		sizeof(group)) < 0)
		die("sendto");
}

static void
say_kept(const struct kept *k, bool is_damaged)
{
	uint8_t bytes[PACKET_MAX];
	size_t size = k->size - HEADS_BYTES;

	memcpy(bytes, k->bytes + HEADS_BYTES, size);
	/* A number that is still to come, and the last byte. */
	if (is_damaged) {
		bytes[PACKET_CLEAR_BYTES - 8] ^= 1;
		bytes[size - 1] ^= 1;
	}
	say(bytes, size);
}

/* Asks the node for a challenge, and waits for it. */
static void
ask(struct member *m)
{
	struct announce i = { .asks = true, .name = "nobody" };
	struct pollfd p = { .fd = own, .events = POLLIN };
	uint8_t bytes[PACKET_MAX];

	for (unsigned tries = 0; tries < 10; tries++) {
		say(bytes, member_announce(m, &i, bytes));
		while (poll(&p, 1, ANSWER_WAIT) > 0) {
			ssize_t size = recv(own, bytes, sizeof(bytes), 0);

			if (size > 0 && member_hear(m, bytes, (size_t)size))
				return;
		}
	}
	errno = ETIMEDOUT;
	die("the node does not answer");
}

static void
make_up(unsigned count, node_id to, const char *path)
{
	struct announce i = { .name = "nobody" };
	uint8_t key[KEY_BYTES], bytes[PACKET_MAX];
	struct member m;

	if (!key_read(path, key, stderr))
		die(path);
	for (unsigned n = 0; n < count; n++) {
		/* A challenge lasts for some seconds. */
		if (n % 1000 == 0) {
			member_init(&m, MADE_UP + n, to, key);
			ask(&m);
			memcpy(i.echo, m.their_challenge, SALT_BYTES);
		}
		m.id = MADE_UP + n;
		say(bytes, member_announce(&m, &i, bytes));
		pace(n);
	}
}

/* Does as a line says; false if it makes no sense. */
static bool
obey(const char *line, unsigned *number)
{
	char word[16], path[256];
	unsigned type, to;

	if (sscanf(line, "make-up %u %u %255s", number, &to, path) == 3) {
		make_up(*number, to, path);
		return true;
	}
	*number = 0;
	if (sscanf(line, "%15s %u %u", word, &type, number) < 2 ||
	    type >= TYPES_MAX)
		return false;
	if (strcmp(word, "kept") == 0)
		*number = counts[type];
	if (strcmp(word, "kept") == 0 || counts[type] == 0)
		return strcmp(word, "kept") == 0;
	for (unsigned i = 0; i < *number; i++) {
		const struct kept *k = &kept[type][i % counts[type]];

		if (strcmp(word, "forge") == 0)
			forge(k);
		else
			say_kept(k, strcmp(word, "damage") == 0);
		pace(i);
	}
	return true;
}

int
main(int argc, char **argv)
{
	struct pollfd polls[] = { { .fd = STDIN_FILENO, .events = POLLIN },
		{ .events = POLLIN } };
	char line[LINE_BYTES];
	unsigned number;

	from.sin_family = group.sin_family = AF_INET;
	if (argc != 5 || inet_pton(AF_INET, argv[2], &from.sin_addr) != 1 ||
	    inet_pton(AF_INET, argv[3], &group.sin_addr) != 1) {
		fputs("usage: parrot INTERFACE ADDRESS GROUP PORT\n", stderr);
		return 2;
	}
	group.sin_port = htons((uint16_t)strtoul(argv[4], NULL, 10));
	open_sockets(argv[1]);
	polls[1].fd = raw;
	setvbuf(stdin, NULL, _IONBF, 0); /* poll(2) sees all that is left */
	puts("ready");
	while (fflush(stdout) == 0 && poll(polls, 2, -1) > 0) {
		if (polls[1].revents != 0)
			hear();
		if (polls[0].revents == 0)
			continue;
		if (fgets(line, sizeof(line), stdin) == NULL)
			return 0;
		if (!obey(line, &number)) {
			errno = EINVAL;
			die(line);
		}
		printf("%u\n", number);
	}
	die("poll");
}
