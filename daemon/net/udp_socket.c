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
#include "daemon/system/rights/user.h"

#define BUFFER      (1 << 20)  /* bytes, for bursts while we do not run */
#define BUFFER_PEER 4096       /* bytes more for each peer */
#define BIND_TRIES  20         /* 100 ms: many times fork() to execve() */
#define BIND_PAUSE  (5 * MSEC) /* between two tries */
#define KEY_MAX     33         /* 32 digits of an IPv6 address, and the end */

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

/* Gives the port, and writes the address as the kernel's lists of sockets have
 * it. */
static unsigned
own_key(const struct address *own, char key[KEY_MAX])
{
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;
	uint32_t words[4];

	if (own->socket.ss_family == AF_INET) {
		memcpy(&v4, &own->socket, sizeof(v4));
		snprintf(key, KEY_MAX, "%08X", v4.sin_addr.s_addr);
		return ntohs(v4.sin_port);
	}
	memcpy(&v6, &own->socket, sizeof(v6));
	memcpy(words, &v6.sin6_addr, sizeof(words));
	snprintf(key, KEY_MAX, "%08X%08X%08X%08X", words[0], words[1], words[2],
	    words[3]);
	return ntohs(v6.sin6_port);
}

static bool
is_any(const char *key)
{
	return key[strspn(key, "0")] == '\0';
}

/* Looks in one of the kernel's lists of sockets for one that has our port, and
 * gives its user. False: there is none. */
static bool
find_user_of_port(const char *list, const struct address *own, uid_t *user)
{
	char line[256], ours[KEY_MAX], key[KEY_MAX];
	unsigned port = own_key(own, ours), at, uid;
	FILE *file = fopen(list, "re");
	bool is_found = false;

	while (file != NULL && !is_found &&
	       fgets(line, sizeof(line), file) != NULL) {
		is_found =
		    sscanf(line, "%*u: %32[0-9A-F]:%x %*s %*s %*s %*s %*s %u",
			key, &at, &uid) == 3 &&
		    at == port &&
		    (is_any(key) || is_any(ours) || strcmp(key, ours) == 0);
	}
	if (file != NULL)
		fclose(file);
	if (is_found)
		*user = uid;
	return is_found;
}

/* Says whose process has our port, as any user may take one above 1023. */
static void
explain_in_use(const struct address *own, char text[UDP_ERROR_MAX])
{
	char name[USER_TEXT_MAX];
	uid_t user;

	if ((find_user_of_port("/proc/self/net/udp", own, &user) ||
		find_user_of_port("/proc/self/net/udp6", own, &user)) &&
	    user != geteuid())
		snprintf(text, UDP_ERROR_MAX,
		    "a process of user %s (uid %u) has this port; see CAVEATS in electd(8)",
		    user_text(user, name), (unsigned)user);
	else
		snprintf(text, UDP_ERROR_MAX,
		    "%s; is another electd running there?",
		    strerror(EADDRINUSE));
}

const char *
udp_socket_error(const struct address *own, int error, char text[UDP_ERROR_MAX])
{
	struct ifaddrs *list = NULL;
	char ours[ADDRESS_LIST_MAX];

	if (error == EADDRINUSE)
		explain_in_use(own, text);
	else if (error != EADDRNOTAVAIL || getifaddrs(&list) != 0)
		snprintf(text, UDP_ERROR_MAX, "%s", strerror(error));
	else
		snprintf(text, UDP_ERROR_MAX,
		    "not an address of this host (%s); correct id or -i, or set listen",
		    address_list(list, ours));
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
	/* Without timestamps each datagram seems to arrive when we read it. */
	(void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	if (socket_bind(fd, own))
		return fd;
	log_errorx(
	    "cannot listen on %s: %s", text, udp_socket_error(own, errno, why));
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
