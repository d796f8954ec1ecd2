/* SPDX-License-Identifier: ISC */
#include "daemon/net/links.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/system/sockets/netlink.h"

#define LINKS_BYTES 8192 /* no message of the kernel is longer */
#define LINKS_DRAIN 64   /* messages a turn; the next takes more */

int
links_open(void)
{
	const struct sockaddr_nl own = { .nl_family = AF_NETLINK,
		.nl_groups =
		    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR };
	int fd = socket(
	    AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&own, sizeof(own)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Takes what one call brings; false: there is nothing. */
static bool
take(int fd, const struct links_handler *handler)
{
	_Alignas(struct nlmsghdr) char bytes[LINKS_BYTES];
	ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	struct netlink_messages messages = { bytes, got > 0 ? (size_t)got : 0 };
	const struct nlmsghdr *message;

	if (got < 0 && errno == ENOBUFS) {
		handler->overrun(handler->context);
		return true;
	}
	while ((message = netlink_next(&messages)) != NULL) {
		const struct ifinfomsg *link = netlink_link(message);

		if (link != NULL && message->nlmsg_type == RTM_DELLINK)
			handler->gone(handler->context, link->ifi_index);
	}
	return got >= 0;
}

void
links_hear(int fd, const struct links_handler *handler)
{
	for (unsigned i = 0; i < LINKS_DRAIN && take(fd, handler); i++)
		;
}
