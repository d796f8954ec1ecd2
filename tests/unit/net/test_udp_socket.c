/* SPDX-License-Identifier: ISC */
/* Why the datagram socket cannot be bound, on loopback. */
#include "tests/unit/group.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/net/udp_socket.h"

#define NOBODY 65534

/* Binds any port of the address, and sets it. Gives the descriptor. */
static int
take_port(struct address *address)
{
	int fd = socket(address->socket.ss_family, SOCK_DGRAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(
	    bind(fd, (const struct sockaddr *)&address->socket, address->size),
	    0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address->socket,
			     &address->size),
	    0);
	return fd;
}

static struct address
loopback(int family)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct address address = { .size = sizeof(v6) };

	if (family == AF_INET) {
		address.size = sizeof(v4);
		memcpy(&address.socket, &v4, sizeof(v4));
	} else {
		memcpy(&address.socket, &v6, sizeof(v6));
	}
	return address;
}

TEST(user_who_has_the_port_is_named)
{
	static const int families[] = { AF_INET, AF_INET6 };
	char text[UDP_ERROR_MAX];

	if (geteuid() != 0)
		skip("only root can be another user");
	for (size_t i = 0; i < 2; i++) {
		struct address address = loopback(families[i]);
		int fd;

		assert_int_equal(seteuid(NOBODY), 0);
		fd = take_port(&address);
		assert_int_equal(seteuid(0), 0);
		udp_socket_error(&address, EADDRINUSE, text);
		assert_non_null(strstr(text, "(uid 65534) has this port"));
		close(fd);
		udp_socket_error(&address, EADDRINUSE, text);
		assert_non_null(strstr(text, "is another electd running"));
	}
}

TEST(port_of_our_own_user_is_another_electds)
{
	struct address address = loopback(AF_INET);
	int fd = take_port(&address);
	char text[UDP_ERROR_MAX];

	udp_socket_error(&address, EADDRINUSE, text);
	assert_string_equal(
	    text, "Address already in use; is another electd running there?");
	close(fd);
}
