/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/system/lan/client.h"
#include "tests/system/lan/lan.h"

#define PATTERN           0xa5
#define RECEIVE_BYTES     (4 << 20)
#define DUPLICATE_DIVISOR 8 /* of the wait, if only duplicates may follow */

/* The beginning of a datagram; the rest is PATTERN. */
struct probe_header {
	uint64_t sent_ns;
	uint32_t magic; /* of this run, to know other runs' datagrams */
	uint32_t number;
};

struct probe {
	const struct probe_options *options;
	int from_fd, to_fd;
	uint32_t magic;
	unsigned char *seen; /* by number */
	unsigned sent, refused;
	unsigned received, duplicate, reordered, damaged;
	uint32_t highest;
	uint64_t digest; /* FNV-1a */
	nsec_t delay_min_ns, delay_max_ns, delay_sum_ns;
	nsec_t active_ns; /* when it last sent or received */
};

static int
probe_fail(const char *what)
{
	fprintf(stderr, "lan: %s: %s\n", what, strerror(errno));
	return -1;
}

/*
 * Opens a socket on the host; the process stays in the host's namespace. A send
 * waits for space: a burst may have to wait until ARP has an answer.
 */
static int
probe_socket(int net_fd)
{
	struct timeval timeout = { .tv_sec = 1 };
	int fd;

	if (client_enter_network(net_fd) < 0)
		return -1;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return probe_fail("socket");
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	return fd;
}

/* Binds the one, and connects the other to it. */
static int
probe_connect(struct probe *p, const char *host)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	int size = RECEIVE_BYTES;

	address.sin_addr.s_addr =
	    htonl(HOST_ADDRESS + (uint32_t)strtoul(host, NULL, 10));
	if (setsockopt(
		p->to_fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(
		    p->to_fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (bind(p->to_fd, (const struct sockaddr *)&address, length) < 0)
		return probe_fail("bind");
	if (getsockname(p->to_fd, (struct sockaddr *)&address, &length) < 0)
		return probe_fail("getsockname");
	if (connect(p->from_fd, (const struct sockaddr *)&address, length) < 0)
		return probe_fail("connect");
	return 0;
}

static int
probe_open(
    struct probe *p, const char *directory, const char *from, const char *to)
{
	int from_net_fd, to_net_fd;

	from_net_fd = client_join(directory, from, to, &to_net_fd);
	if (from_net_fd < 0)
		return -1;
	p->from_fd = probe_socket(from_net_fd);
	p->to_fd = probe_socket(to_net_fd);
	if (p->from_fd < 0 || p->to_fd < 0)
		return -1;
	return probe_connect(p, to);
}

static void
probe_send(struct probe *p)
{
	unsigned char bytes[PROBE_SIZE_MAX];
	struct probe_header header = {
		.sent_ns = fabric_now(),
		.magic = p->magic,
		.number = p->sent,
	};

	memset(bytes, PATTERN, sizeof(bytes));
	memcpy(bytes, &header, sizeof(header));
	if (send(p->from_fd, bytes, p->options->size_bytes, 0) < 0)
		p->refused++;
	p->sent++;
	p->active_ns = header.sent_ns;
}

static bool
probe_is_intact(const struct probe *p, const unsigned char *bytes,
    size_t length, const struct probe_header *header)
{
	if (length != p->options->size_bytes)
		return false;
	if (header->magic != p->magic || header->number >= p->sent)
		return false;
	for (size_t i = sizeof(*header); i < length; i++)
		if (bytes[i] != PATTERN)
			return false;
	return true;
}

/* Counts a datagram as one of the kinds. */
static void
probe_count(struct probe *p, const struct probe_header *header)
{
	nsec_t delay = nsec_since(p->active_ns, header->sent_ns);

	p->digest = (p->digest ^ header->number) * UINT64_C(0x100000001b3);
	if (p->seen[header->number]) {
		p->duplicate++;
		return;
	}
	p->seen[header->number] = 1;
	p->received++;
	if (header->number < p->highest)
		p->reordered++;
	else
		p->highest = header->number;
	p->delay_sum_ns += delay;
	p->delay_min_ns = nsec_earlier(p->delay_min_ns, delay);
	if (delay > p->delay_max_ns)
		p->delay_max_ns = delay;
}

static void
probe_receive(struct probe *p)
{
	unsigned char bytes[PROBE_SIZE_MAX] = { 0 };
	struct probe_header header;
	ssize_t n;

	for (;;) {
		n = recv(p->to_fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n < 0)
			return;
		p->active_ns = fabric_now();
		memcpy(&header, bytes, sizeof(header));
		if (probe_is_intact(p, bytes, (size_t)n, &header))
			probe_count(p, &header);
		else
			p->damaged++;
	}
}

/* Gives when to go on, either to the next datagram or to the end. */
static nsec_t
probe_until(const struct probe *p, nsec_t next_ns)
{
	if (p->sent < p->options->count)
		return next_ns;
	if (p->received < p->sent)
		return p->active_ns + p->options->wait_ns;
	return p->active_ns + p->options->wait_ns / DUPLICATE_DIVISOR;
}

static void
probe_exchange(struct probe *p)
{
	struct pollfd to = { .fd = p->to_fd, .events = POLLIN };
	nsec_t now = fabric_now(), next = now, left;
	struct timespec timeout;

	p->active_ns = now;
	for (;;) {
		now = fabric_now();
		if (p->sent < p->options->count && now >= next) {
			probe_send(p);
			next += p->options->gap_ns;
		}
		left = nsec_since(probe_until(p, next), fabric_now());
		if (left == 0 && p->sent == p->options->count)
			return;
		timeout = (struct timespec){ .tv_sec = (time_t)(left / SEC),
			.tv_nsec = (long)(left % SEC) };
		if (ppoll(&to, 1, &timeout, NULL) > 0)
			probe_receive(p);
	}
}

static void
probe_print(const struct probe *p)
{
	nsec_t mean = p->received > 0 ? p->delay_sum_ns / p->received : 0;
	nsec_t min = p->received > 0 ? p->delay_min_ns : 0;

	printf("sent=%u refused=%u received=%u duplicate=%u reordered=%u "
	       "damaged=%u digest=%016jx\n",
	    p->sent, p->refused, p->received, p->duplicate, p->reordered,
	    p->damaged, (uintmax_t)p->digest);
	printf("delay_us min=%ju mean=%ju max=%ju\n", (uintmax_t)(min / USEC),
	    (uintmax_t)(mean / USEC), (uintmax_t)(p->delay_max_ns / USEC));
}

int
probe_run(const char *directory, const char *from, const char *to,
    const struct probe_options *options)
{
	struct probe p = {
		.options = options,
		.from_fd = -1,
		.to_fd = -1,
		.magic = (uint32_t)getpid(),
		.digest = UINT64_C(0xcbf29ce484222325),
		.delay_min_ns = NSEC_NEVER,
	};
	int status = EXIT_FAILURE;

	p.seen = calloc(options->count, 1);
	if (p.seen != NULL && probe_open(&p, directory, from, to) == 0) {
		probe_exchange(&p);
		probe_print(&p);
		status = EXIT_SUCCESS;
	}
	if (p.from_fd >= 0)
		close(p.from_fd);
	if (p.to_fd >= 0)
		close(p.to_fd);
	free(p.seen);
	return status;
}
