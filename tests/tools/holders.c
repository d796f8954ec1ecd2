/* SPDX-License-Identifier: ISC */
/*
 * holders ADDRESS NAMESPACE...: says which hosts have an address. Each host is a
 * network namespace in /run/netns. Prints "NS NAMESPACE begins" or "ends" when a
 * host gets the address or loses it, in ns of CLOCK_MONOTONIC, and first "NS -
 * ready". What happens within one turn of the loop gets one time.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "daemon/electvip/rtnl.h"

#define HOSTS_MAX 16

struct host {
	const char *name;
	struct mnl_socket *socket;
	bool has; /* the address */
};

static struct host hosts[HOSTS_MAX];
static struct ip wanted;
static uint64_t now; /* of this turn */

static void
say(const char *name, const char *what)
{
	printf("%" PRIu64 " %s %s\n", now, name, what);
	fflush(stdout);
}

static void
take(struct host *host, const struct nlmsghdr *message)
{
	struct rtnl_news news;

	rtnl_read(message, &news);
	if ((news.kind == RTNL_ADDRESS || news.kind == RTNL_ADDRESS_GONE) &&
	    ip_is_same(&news.ip, &wanted) &&
	    host->has != (news.kind == RTNL_ADDRESS)) {
		host->has = !host->has;
		say(host->name, host->has ? "begins" : "ends");
	}
}

/* In the namespace of the host, which asks for all that it has. */
static bool
open_host(struct host *host)
{
	char path[64], bytes[RTNL_REQUEST_BYTES];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", host->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET) != 0)
		return false;
	close(fd);
	host->socket =
	    mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	return host->socket != NULL &&
	       mnl_socket_bind(host->socket,
		   RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
		   MNL_SOCKET_AUTOPID) == 0 &&
	       mnl_socket_sendto(
		   host->socket, bytes, rtnl_write_dump(bytes, 1, false)) > 0;
}

static bool
drain(struct host *host)
{
	static _Alignas(struct nlmsghdr) char bytes[32768];
	const struct nlmsghdr *message;
	ssize_t size;

	while ((size = mnl_socket_recvfrom(
		    host->socket, bytes, sizeof(bytes))) >= 0) {
		struct netlink_messages messages = { bytes, (size_t)size };

		while ((message = netlink_next(&messages)) != NULL)
			take(host, message);
	}
	return errno == EAGAIN;
}

static void
read_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (uint64_t)t.tv_sec * SEC + (uint64_t)t.tv_nsec;
}

int
main(int argc, char **argv)
{
	struct pollfd pollers[HOSTS_MAX] = { 0 };
	nfds_t count = argc < 3 ? 0 : (nfds_t)argc - 2;

	wanted.is_v6 = argc > 1 && strchr(argv[1], ':') != NULL;
	if (count == 0 || count > HOSTS_MAX ||
	    inet_pton(wanted.is_v6 ? AF_INET6 : AF_INET, argv[1],
		wanted.bytes) != 1) {
		fputs("usage: holders ADDRESS NAMESPACE...\n", stderr);
		return 2;
	}
	for (nfds_t i = 0; i < count; i++) {
		hosts[i].name = argv[i + 2];
		if (!open_host(&hosts[i])) {
			perror(hosts[i].name);
			return 1;
		}
		pollers[i].fd = mnl_socket_get_fd(hosts[i].socket);
		pollers[i].events = POLLIN;
	}
	read_clock();
	say("-", "ready");
	for (;;) {
		(void)poll(pollers, count, -1);
		read_clock();
		for (nfds_t i = 0; i < count; i++)
			if (!drain(&hosts[i]))
				return 1;
	}
}
