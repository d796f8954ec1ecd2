/* SPDX-License-Identifier: ISC */
/* Messages of the kernel, as netlink(7) has them, read within their bounds. */
#ifndef ELECTD_DAEMON_SYSTEM_SOCKETS_NETLINK_H
#define ELECTD_DAEMON_SYSTEM_SOCKETS_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

/* The bytes that were received: messages, one after the other. */
struct netlink_messages {
	const char *at; /* aligned as a message; borrowed */
	size_t left;
};

/* The next one, which is complete; NULL: there is none. */
const struct nlmsghdr *netlink_next(struct netlink_messages *messages);

/* The interface of a message, which is there, or is gone (RTM_DELLINK); NULL:
 * the message is another, or of a port of a bridge. */
const struct ifinfomsg *netlink_link(const struct nlmsghdr *message);

/* Copies the attribute of this type, which must have this size, behind the
 * `head` bytes that the kind of message begins with. False: there is none. */
bool netlink_attribute(const struct nlmsghdr *message, size_t head,
    uint16_t type, void *value, size_t size);

#endif
