/* SPDX-License-Identifier: ISC */
#include "daemon/net/group.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/filter.h>

#include "common/wire/packet.h"
#include "daemon/system/log.h"

#define AGAIN_PAUSE (1 * SEC) /* between two tries to join again */

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

/* MCAST_JOIN_GROUP or MCAST_LEAVE_GROUP; index 0: of the route's interface. */
static int
group_change(int fd, int option, const struct address *group, unsigned index)
{
	struct group_req request = { .gr_interface = index };
	int level =
	    group->socket.ss_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;

	request.gr_group = group->socket;
	return setsockopt(fd, level, option, &request, sizeof(request)) == 0
		   ? 0
		   : -errno;
}

#define LOAD(size, at) BPF_STMT(BPF_LD | (size) | BPF_ABS, (at))
#define UNLESS(value, skipped)                                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skipped))
#define TAKE(bytes) BPF_STMT(BPF_RET | BPF_K, (bytes))

/* A sender that is in a group gets its own datagrams back, as other processes
 * of the host may be in that group, too. Our heartbeats are not to wake us. A
 * second node with our id is found by its other datagrams. */
static void
ignore_own(int fd, node_id self)
{
	/* Offsets in the datagram, which is after the head of UDP. */
	enum {
		TYPE = 8 + 1,
		SOURCE = 8 + 8
	};
	struct sock_filter steps[] = {
		LOAD(BPF_B, TYPE),
		UNLESS(PACKET_GROUP, 3),
		LOAD(BPF_W, SOURCE),
		UNLESS(self, 1),
		TAKE(0),
		TAKE(PACKET_MAX + 8 + 1),
	};
	const struct sock_fprog program = {
		.len = sizeof(steps) / sizeof(steps[0]),
		.filter = steps,
	};

	/* Without it the node counts them as dropped. */
	(void)setsockopt(
	    fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

/* A socket for what comes to the group and nothing else. */
static int
group_socket(const struct address *group, node_id self)
{
	int family = group->socket.ss_family, on = 1, off = 0, error;
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (family == AF_INET)
		(void)setsockopt(
		    fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof(off));
	ignore_own(fd, self);
	if (bind(fd, (const struct sockaddr *)&group->socket, group->size) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* Joins, and sends, by the interface that has the name now. */
static int
group_join(struct group *g)
{
	int family = g->address.socket.ss_family, error;
	unsigned index = 0;

	if (g->interface[0] != '\0') {
		index = if_nametoindex(g->interface);
		if (index == 0)
			return -errno;
	}
	if (family == AF_INET6)
		((struct sockaddr_in6 *)(void *)&g->address.socket)
		    ->sin6_scope_id = index;
	error = group_change(g->fd, MCAST_JOIN_GROUP, &g->address, index);
	if (error == 0 && index != 0)
		error = group_send_by(g->sender, family, g->interface);
	if (error == 0)
		g->joined = index;
	return error;
}

/* The socket knows whether it is in the group there. */
void
group_lose(struct group *g, int index)
{
	if (g->fd < 0 || group_change(g->fd, MCAST_LEAVE_GROUP, &g->address,
			     (unsigned)index) != 0)
		return;
	g->is_lost = true;
	g->again = 0;
	log_warnx(
	    "the interface of the multicast group is gone%s%s; joining again when there is one",
	    g->interface[0] != '\0' ? ": " : "", g->interface);
}

void
group_doubt(struct group *g)
{
	if (g->fd < 0 || g->is_lost)
		return;
	(void)group_change(g->fd, MCAST_LEAVE_GROUP, &g->address, g->joined);
	g->is_lost = true;
	g->again = 0;
	log_notice(
	    "many interfaces came and went; joining the multicast group anew");
}

void
group_tend(struct group *g, nsec_t now)
{
	if (!g->is_lost || now < g->again)
		return;
	g->again = nsec_after(now, AGAIN_PAUSE);
	if (group_join(g) != 0)
		return;
	g->is_lost = false;
	log_notice("joined the multicast group again%s%s",
	    g->interface[0] != '\0' ? " on " : "", g->interface);
}

bool
group_open(struct group *g, const struct settings_discovery *d, node_id self,
    int sender, int family)
{
	int error = 0;

	g->sender = sender;
	memcpy(g->interface, d->interface, sizeof(g->interface));
	if (!address_read(d->group, &g->address) ||
	    g->address.socket.ss_family != family) {
		log_errorx(
		    "multicast.group: %s is not of the family of this node's address",
		    d->group);
		return false;
	}
	g->fd = group_socket(&g->address, self);
	if (g->fd < 0)
		error = g->fd;
	if (error == 0)
		error = group_join(g);
	if (error == 0)
		error = set_ttl(sender, family, d->ttl);
	if (error == 0)
		return true;
	log_errorx("cannot use the multicast group %s%s%s: %s", d->group,
	    d->interface[0] != '\0' ? " on " : "", d->interface,
	    strerror(-error));
	return false;
}

void
group_close(struct group *g)
{
	if (g->fd >= 0)
		close(g->fd);
}
