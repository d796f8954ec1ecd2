/* SPDX-License-Identifier: ISC */
#include "daemon/system/sockets/netlink.h"

#include <string.h>
#include <sys/socket.h>

/* Moves on by `size` bytes and their padding, if all of these are there. */
static size_t
step(size_t bytes, size_t left)
{
	size_t whole =
	    (bytes + NLMSG_ALIGNTO - 1) & ~(size_t)(NLMSG_ALIGNTO - 1);

	return whole < left ? whole : left;
}

const struct nlmsghdr *
netlink_next(struct netlink_messages *messages)
{
	const struct nlmsghdr *message = (const void *)messages->at;
	size_t size;

	if (messages->left < sizeof(*message) ||
	    message->nlmsg_len < sizeof(*message) ||
	    message->nlmsg_len > messages->left)
		return NULL;
	size = step(message->nlmsg_len, messages->left);
	messages->at += size;
	messages->left -= size;
	return message;
}

const struct ifinfomsg *
netlink_link(const struct nlmsghdr *message)
{
	const void *content = (const char *)message + NLMSG_HDRLEN;
	const struct ifinfomsg *link = content;

	if ((message->nlmsg_type != RTM_NEWLINK &&
		message->nlmsg_type != RTM_DELLINK) ||
	    message->nlmsg_len < NLMSG_LENGTH(sizeof(*link)) ||
	    link->ifi_family != AF_UNSPEC)
		return NULL;
	return link;
}

bool
netlink_attribute(const struct nlmsghdr *message, size_t head, uint16_t type,
    void *value, size_t size)
{
	size_t at = NLMSG_SPACE(head), end = message->nlmsg_len;
	struct rtattr a;

	while (at < end && end - at >= sizeof(a)) {
		const char *bytes = (const char *)message + at;

		memcpy(&a, bytes, sizeof(a));
		if (a.rta_len < sizeof(a) || a.rta_len > end - at)
			return false;
		if ((a.rta_type & NLA_TYPE_MASK) == type) {
			if (a.rta_len - RTA_LENGTH(0) != size)
				return false;
			memcpy(value, bytes + RTA_LENGTH(0), size);
			return true;
		}
		at += step(a.rta_len, end - at);
	}
	return false;
}
