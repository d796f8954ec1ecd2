/* SPDX-License-Identifier: ISC */
#include "daemon/net/udp_socket.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/net/udp_errors.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

#define BUFFER      (1 << 20)  /* bytes, for bursts while we do not run */
#define BUFFER_PEER 4096       /* bytes more for each peer */
#define BIND_TRIES  20         /* 100 ms: many times fork() to execve() */
#define BIND_PAUSE  (5 * MSEC) /* between two tries */

/* Forbids fragments and ignores ICMP messages about the path's MTU: anyone can
 * forge them, and our datagrams fit every path. */
static void
socket_forbid_fragments(int fd, int family)
{
	int value =
	    family == AF_INET6 ? IPV6_PMTUDISC_PROBE : IP_PMTUDISC_PROBE;
	int level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
	int name = family == AF_INET6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER;

	if (setsockopt(fd, level, name, &value, sizeof(value)) != 0)
		log_warn(
		    "cannot forbid fragments (IP_MTU_DISCOVER): large datagrams may be fragmented");
}

/* Tries for a moment: if an electd was killed while it started lastwill, the
 * child holds the socket until it calls execve(2). */
static bool
socket_bind(int fd, const struct address *own)
{
	const struct timespec pause = { .tv_nsec = BIND_PAUSE };

	for (int i = 0; i < BIND_TRIES; i++) {
		if (bind(fd, (const struct sockaddr *)&own->socket,
			own->size) == 0)
			return true;
		if (errno != EADDRINUSE)
			return false;
		nanosleep(&pause, NULL);
	}
	errno = EADDRINUSE;
	return false;
}

const char *
udp_socket_error(int error, char text[UDP_ERROR_MAX])
{
	struct ifaddrs *list = NULL;
	char own[ADDRESS_LIST_MAX];

	if (error != EADDRNOTAVAIL || getifaddrs(&list) != 0)
		snprintf(text, UDP_ERROR_MAX, "%s%s", strerror(error),
		    error == EADDRINUSE ? "; is another electd running there?"
					: "");
	else
		snprintf(text, UDP_ERROR_MAX,
		    "not an address of this host (%s); correct id or -i, or set listen",
		    address_list(list, own));
	freeifaddrs(list);
	return text;
}

int
udp_socket_open(const struct address *own, const char *text)
{
	int family = own->socket.ss_family, on = 1;
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	char why[UDP_ERROR_MAX];

	if (fd < 0) {
		log_error("cannot make a UDP socket for %s", text);
		return -1;
	}
	socket_forbid_fragments(fd, family);
	udp_errors_want(fd, family);
	/* Without time stamps each datagram seems to arrive when we read it. */
	(void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	if (socket_bind(fd, own))
		return fd;
	log_errorx(
	    "cannot listen on %s: %s", text, udp_socket_error(errno, why));
	close(fd);
	return -1;
}

int
udp_socket_enlarge(int fd, unsigned peers_count)
{
	int wanted = BUFFER + BUFFER_PEER * (int)peers_count, capacity = 0;
	socklen_t size = sizeof(capacity);

	/* The kernel may grant less, which is enough. */
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof(wanted));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof(wanted));
	(void)getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &capacity, &size);
	return capacity;
}
