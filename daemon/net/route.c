/* SPDX-License-Identifier: ISC */
#include "daemon/net/route.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include "daemon/net/group.h"

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
	/* Its zone means nothing on another host. */
	if (here.socket.ss_family == AF_INET6 &&
	    IN6_IS_ADDR_LINKLOCAL(
		&((struct sockaddr_in6 *)(void *)&here.socket)->sin6_addr))
		return -ENOTUNIQ;
	set_port(&here, port);
	if (address_text(&here, text) != text)
		return -EINVAL;
	return 0;
}
