/* SPDX-License-Identifier: ISC */
#include "daemon/net/route.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "daemon/net/group.h"
#include "daemon/system/sockets/netlink.h"

static void
set_port(struct address *address, unsigned port)
{
	void *socket = &address->socket;

	if (address->socket.ss_family == AF_INET6)
		((struct sockaddr_in6 *)socket)->sin6_port =
		    htons((uint16_t)port);
	else
		((struct sockaddr_in *)socket)->sin_port =
		    htons((uint16_t)port);
}

int
route_source(const char *to, const char *interface, unsigned port,
    char text[ADDRESS_TEXT_MAX])
{
	struct address there = { .size = 0 }, here = { .size = 0 };
	int fd, error = 0;

	if (address_lookup(to, AF_UNSPEC, &there) != 0)
		return -EHOSTUNREACH;
	fd = socket(there.socket.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	here.size = sizeof(here.socket);
	if (interface[0] != '\0')
		error = group_send_by(fd, there.socket.ss_family, interface);
	if (error == 0 && (connect(fd, (const struct sockaddr *)&there.socket,
			       there.size) != 0 ||
			      getsockname(fd, (struct sockaddr *)&here.socket,
				  &here.size) != 0))
		error = -errno;
	close(fd);
	if (error != 0)
		return error;
	if (here.socket.ss_family == AF_INET &&
	    ((struct sockaddr_in *)(void *)&here.socket)->sin_addr.s_addr ==
		htonl(INADDR_ANY))
		return -EADDRNOTAVAIL;
	/* The zone of an address means nothing on another host. */
	if (here.socket.ss_family == AF_INET6 &&
	    IN6_IS_ADDR_LINKLOCAL(
		&((struct sockaddr_in6 *)(void *)&here.socket)->sin6_addr))
		return -ENOTUNIQ;
	set_port(&here, port);
	if (address_text(&here, text) != text)
		return -EINVAL;
	return 0;
}

int
route_open(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

/* The bytes of an address without its port, and how many. */
static size_t
ip_bytes(const struct address *address, const void **bytes)
{
	const void *socket = &address->socket;

	if (address->socket.ss_family == AF_INET6) {
		*bytes = &((const struct sockaddr_in6 *)socket)->sin6_addr;
		return sizeof(struct in6_addr);
	}
	*bytes = &((const struct sockaddr_in *)socket)->sin_addr;
	return sizeof(struct in_addr);
}

#define REQUEST_BYTES 128  /* the longest has 68: two addresses of IPv6 */
#define ANSWER_BYTES  4096 /* a route takes a few hundred */

static void
put(struct nlmsghdr *message, unsigned short type, const void *value,
    size_t size)
{
	struct rtattr attribute = { (unsigned short)RTA_LENGTH(size), type };
	char *end = (char *)message + message->nlmsg_len;

	memcpy(end, &attribute, sizeof(attribute));
	memcpy(end + RTA_LENGTH(0), value, size);
	message->nlmsg_len += (uint32_t)RTA_SPACE(size);
}

/* Asks for a route. A link-local address names its interface itself. */
static size_t
write_request(char *bytes, const struct address *to, const struct address *own)
{
	static const struct in6_addr any = IN6ADDR_ANY_INIT;
	struct nlmsghdr *message = (void *)bytes;
	struct rtmsg *route = NLMSG_DATA(message);
	const void *there, *here;
	size_t size = ip_bytes(to, &there);

	*message = (struct nlmsghdr){ .nlmsg_len = NLMSG_LENGTH(sizeof(*route)),
		.nlmsg_type = RTM_GETROUTE,
		.nlmsg_flags = NLM_F_REQUEST };
	*route =
	    (struct rtmsg){ .rtm_family = (unsigned char)to->socket.ss_family,
		    .rtm_dst_len = (unsigned char)(8 * size) };
	put(message, RTA_DST, there, size);
	if (own->socket.ss_family == to->socket.ss_family &&
	    ip_bytes(own, &here) == size && memcmp(here, &any, size) != 0) {
		route->rtm_src_len = (unsigned char)(8 * size);
		put(message, RTA_SRC, here, size);
	}
	return message->nlmsg_len;
}

unsigned
route_interface(int routes, const struct address *to, const struct address *own)
{
	_Alignas(struct nlmsghdr) char request[REQUEST_BYTES];
	_Alignas(struct nlmsghdr) char answer[ANSWER_BYTES];
	const struct sockaddr_in6 *there = (const void *)&to->socket;
	struct netlink_messages messages = { .at = answer };
	const struct nlmsghdr *message;
	size_t size = write_request(request, to, own);
	uint32_t index = 0;
	ssize_t got;

	if (to->socket.ss_family == AF_INET6 && there->sin6_scope_id != 0)
		return there->sin6_scope_id;
	if (send(routes, request, size, 0) != (ssize_t)size)
		return 0;
	/* The kernel has made its answer by now. */
	got = recv(routes, answer, sizeof(answer), MSG_DONTWAIT);
	messages.left = got > 0 ? (size_t)got : 0;
	message = netlink_next(&messages);
	if (message == NULL || message->nlmsg_type != RTM_NEWROUTE ||
	    !netlink_attribute(
		message, sizeof(struct rtmsg), RTA_OIF, &index, sizeof(index)))
		return 0;
	return index;
}
