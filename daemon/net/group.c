/* SPDX-License-Identifier: ISC */
#include "daemon/net/group.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/system/log.h"

int
group_send_by(int fd, int family, const char *interface)
{
	struct ip_mreqn by = { .imr_ifindex = (int)if_nametoindex(interface) };
	unsigned index = (unsigned)by.imr_ifindex;
	int result;

	if (index == 0)
		return -errno;
	if (family == AF_INET6)
		result = setsockopt(
		    fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index));
	else
		result = setsockopt(
		    fd, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof(by));
	return result == 0 ? 0 : -errno;
}

static int
set_ttl(int fd, int family, unsigned ttl)
{
	int hops = (int)ttl, result;

	if (family == AF_INET6)
		result = setsockopt(
		    fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops));
	else
		result = setsockopt(
		    fd, IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof(hops));
	return result == 0 ? 0 : -errno;
}

static int
group_join(int fd, const struct address *group, const char *interface)
{
	unsigned index = interface[0] != '\0' ? if_nametoindex(interface) : 0;
	struct group_req join = { .gr_interface = index };
	int level =
	    group->socket.ss_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;

	join.gr_group = group->socket;
	return setsockopt(fd, level, MCAST_JOIN_GROUP, &join, sizeof(join)) == 0
		   ? 0
		   : -errno;
}

/* A socket that hears the group and nothing else. */
static int
group_socket(const struct address *group, const char *interface)
{
	int family = group->socket.ss_family, on = 1, off = 0, error;
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (family == AF_INET)
		(void)setsockopt(
		    fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof(off));
	error =
	    bind(fd, (const struct sockaddr *)&group->socket, group->size) == 0
		? group_join(fd, group, interface)
		: -errno;
	if (error == 0)
		return fd;
	close(fd);
	return error;
}

int
group_open(const struct settings_discovery *d, int fd, int family,
    struct address *group)
{
	int error = 0, heard;

	bool is_read = address_read(d->group, group);

	if (is_read && group->socket.ss_family == AF_INET6)
		((struct sockaddr_in6 *)(void *)&group->socket)->sin6_scope_id =
		    if_nametoindex(d->interface);
	if (!is_read || group->socket.ss_family != family) {
		log_errorx(
		    "multicast.group: %s is not of the family of this node's address",
		    d->group);
		return -1;
	}
	heard = group_socket(group, d->interface);
	if (heard < 0)
		error = heard;
	if (error == 0 && d->interface[0] != '\0')
		error = group_send_by(fd, family, d->interface);
	if (error == 0)
		error = set_ttl(fd, family, d->ttl);
	if (error == 0)
		return heard;
	if (heard >= 0)
		close(heard);
	log_errorx("cannot use the multicast group %s%s%s: %s", d->group,
	    d->interface[0] != '\0' ? " on " : "", d->interface,
	    strerror(-error));
	return -1;
}
