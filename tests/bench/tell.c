/* SPDX-License-Identifier: ISC */
/*
 * Writes the leaders of keepalived and etcd as lines such as those of electctl
 * watch:
 *
 *	tell vrrp HOST	a host follows the sender of the last advertisement
 *			that reaches its eth0, by the kernel's timestamp; after
 *			one of priority 0 it has no leader
 *	tell raft HOST	etcd's log on standard input names the leader; the time
 *			is that of reading
 *
 * The address of a host, 198.18.0.HOST, identifies it.
 */
#include <errno.h>
#include <inttypes.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netpacket/packet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/util/types.h"
#include "tests/system/lan/lan.h"

#define PROTOCOL_VRRP 112
#define MEMBERS_MAX   9
#define MEMBER_BYTES  24
#define ADDRESS       "198.18.0."

struct teller {
	unsigned self, leader;
	char member[MEMBERS_MAX + 1][MEMBER_BYTES]; /* by host */
};

static nsec_t
clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (nsec_t)now.tv_sec * SEC + (nsec_t)now.tv_nsec;
}

/* Writes each line at once: others write to the same pipe. */
static void
teller_say(struct teller *t, unsigned leader, uint64_t term, nsec_t at)
{
	char line[256], name[16] = "null";
	int length;

	if (leader != 0)
		snprintf(name, sizeof(name), "%u", leader);
	length = snprintf(line, sizeof(line),
	    "{\"event\":\"%s\",\"term\":%" PRIu64 ",\"leader\":%s,\"self\":%u,"
	    "\"mono_ns\":%" PRIu64 "}\n",
	    leader != 0 ? "leader" : "no-leader", term, name, t->self, at);
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		exit(EXIT_FAILURE);
	t->leader = leader;
}

/* The kernel's timestamp is of the time of day, so only its age is of use. */
static nsec_t
packet_timestamp(struct msghdr *message)
{
	nsec_t wall = clock_read(CLOCK_REALTIME), then = wall;
	struct timespec timestamp;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL;
	     c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != SOL_SOCKET ||
		    c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&timestamp, CMSG_DATA(c), sizeof(timestamp));
		then =
		    (nsec_t)timestamp.tv_sec * SEC + (nsec_t)timestamp.tv_nsec;
	}
	return clock_read(CLOCK_MONOTONIC) - nsec_since(wall, then);
}

/* Takes an advertisement; the last byte of an address below it names its
 * sender. */
static void
teller_take_packet(
    struct teller *t, const unsigned char *packet, ssize_t size, nsec_t at)
{
	const unsigned char *advertisement;
	size_t header = size > 0 ? (size_t)(packet[0] & 15) * 4 : 0;
	unsigned leader;

	if (header < sizeof(struct iphdr) || size < (ssize_t)(header + 3) ||
	    packet[9] != PROTOCOL_VRRP)
		return;
	advertisement = packet + header;
	leader = advertisement[2] != 0 ? packet[15] : 0;
	/* A priority of 0 ends only its sender's part. */
	if (leader == 0 && t->leader != packet[15])
		return;
	if (leader != t->leader)
		teller_say(t, leader, 0, at);
}

static int
teller_hear(struct teller *t)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL) };
	_Alignas(struct cmsghdr) char control[256];
	unsigned char packet[256];
	int yes = 1, fd = socket(AF_PACKET, SOCK_DGRAM, 0);

	address.sll_ifindex = (int)if_nametoindex(HOST_INTERFACE);
	if (fd < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes)) < 0) {
		perror("tell");
		return EXIT_FAILURE;
	}
	for (;;) {
		struct iovec part = { packet, sizeof(packet) };
		struct msghdr message = { .msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control) };
		ssize_t size = recvmsg(fd, &message, 0);

		if (size < 0 && errno != EINTR && errno != ENETDOWN)
			return EXIT_FAILURE;
		teller_take_packet(t, packet, size, packet_timestamp(&message));
	}
}

/* Reads "added member ID [http://198.18.0.HOST:...", or the same in JSON. */
static void
teller_learn(struct teller *t, const char *line)
{
	const char *old = strstr(line, "added member ");
	const char *new = strstr(line, "\"added-peer-id\":\"");
	const char *address = strstr(line, ADDRESS);
	unsigned host;

	if (address == NULL || (old == NULL && new == NULL))
		return;
	host = (unsigned)strtoul(address + strlen(ADDRESS), NULL, 10);
	if (host < 1 || host > MEMBERS_MAX)
		return;
	if (new != NULL)
		sscanf(new, "\"added-peer-id\":\"%23[0-9a-f]", t->member[host]);
	else
		sscanf(old, "added member %23[0-9a-f]", t->member[host]);
}

static unsigned
teller_host(const struct teller *t, const char *member)
{
	for (unsigned host = 1; host <= MEMBERS_MAX; host++)
		if (strcmp(t->member[host], member) == 0)
			return host;
	return 0;
}

static void
teller_take_line(struct teller *t, const char *line)
{
	nsec_t at = clock_read(CLOCK_MONOTONIC);
	char leader[MEMBER_BYTES] = "";
	uint64_t term = 0;

	teller_learn(t, line);
	line = strstr(line, "raft.node: ");
	if (line == NULL)
		return;
	if (sscanf(line, "raft.node: %*s elected leader %23s at term %" SCNu64,
		leader, &term) == 2 ||
	    sscanf(line,
		"raft.node: %*s changed leader from %*s to %23s at term "
		"%" SCNu64,
		leader, &term) == 2)
		teller_say(t, teller_host(t, leader), term, at);
	else if (sscanf(line, "raft.node: %*s lost leader %*s at term %" SCNu64,
		     &term) == 1)
		teller_say(t, 0, term, at);
}

int
main(int argc, char **argv)
{
	static struct teller t;
	size_t capacity = 0;
	char *line = NULL;

	if (argc == 3)
		t.self = (unsigned)strtoul(argv[2], NULL, 10);
	if (t.self != 0 && strcmp(argv[1], "vrrp") == 0)
		return teller_hear(&t);
	if (t.self == 0 || strcmp(argv[1], "raft") != 0) {
		fputs("usage: tell vrrp|raft HOST\n", stderr);
		return 2;
	}
	while (getline(&line, &capacity, stdin) >= 0)
		teller_take_line(&t, line);
	free(line);
	return 0;
}
