/* SPDX-License-Identifier: ISC */
#include "tests/system/lan/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/veth.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/util/types.h"

#define REQUEST_MAX 512 /* the largest, of a veth pair, has under 200 bytes */

/* A request under construction; bytes[] begins with its nlmsghdr. */
struct request {
	_Alignas(struct nlmsghdr) unsigned char bytes[REQUEST_MAX];
	size_t length;
};

int
netlink_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	return fd < 0 ? -errno : fd;
}

/* Appends bytes, padded to netlink's alignment. */
static void
request_append(struct request *r, const void *data, size_t length)
{
	size_t padded = (length + 3) & ~(size_t)3;

	assert(padded <= REQUEST_MAX - r->length);
	if (length > 0)
		memcpy(r->bytes + r->length, data, length);
	r->length += padded;
}

static void
request_begin(struct request *r, uint16_t type, uint16_t flags)
{
	struct nlmsghdr header = {
		.nlmsg_type = type,
		.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags),
	};

	*r = (struct request){ 0 };
	request_append(r, &header, sizeof(header));
}

static void
request_put(struct request *r, uint16_t type, const void *data, size_t length)
{
	struct rtattr attribute = {
		.rta_type = type,
		.rta_len = (uint16_t)(sizeof(attribute) + length),
	};

	request_append(r, &attribute, sizeof(attribute));
	request_append(r, data, length);
}

static void
request_put_string(struct request *r, uint16_t type, const char *string)
{
	request_put(r, type, string, strlen(string) + 1);
}

/* Opens an attribute that holds others; the result closes it. */
static size_t
request_open(struct request *r, uint16_t type)
{
	size_t at = r->length;

	request_put(r, type, NULL, 0);
	return at;
}

static void
request_close(struct request *r, size_t at)
{
	uint16_t length = (uint16_t)(r->length - at);

	memcpy(r->bytes + at + offsetof(struct rtattr, rta_len), &length,
	    sizeof(length));
}

/* Begins a request about an interface. */
static void
request_begin_link(struct request *r, uint16_t flags, int ifindex)
{
	struct ifinfomsg link = { .ifi_index = ifindex };

	request_begin(r, RTM_NEWLINK, flags);
	request_append(r, &link, sizeof(link));
}

/* Sends it and waits for the kernel's answer. */
static int
request_talk(struct request *r, int fd)
{
	uint32_t length = (uint32_t)r->length;
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		unsigned char echo[REQUEST_MAX];
	} reply = { 0 };
	ssize_t n;

	memcpy(r->bytes + offsetof(struct nlmsghdr, nlmsg_len), &length,
	    sizeof(length));
	if (send(fd, r->bytes, r->length, 0) < 0)
		return -errno;
	n = recv(fd, &reply, sizeof(reply), 0);
	if (n < 0)
		return -errno;
	if (reply.header.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return reply.error.error;
}

int
netlink_add_veth(int fd, const struct veth_end *here,
    const struct veth_end *there, int there_fd)
{
	struct ifinfomsg peer = { .ifi_index = there->ifindex };
	struct request r;
	size_t info, data, end;

	request_begin_link(&r, NLM_F_CREATE | NLM_F_EXCL, here->ifindex);
	request_put_string(&r, IFLA_IFNAME, here->name);
	request_put(&r, IFLA_ADDRESS, here->address, sizeof(here->address));
	info = request_open(&r, IFLA_LINKINFO);
	request_put_string(&r, IFLA_INFO_KIND, "veth");
	data = request_open(&r, IFLA_INFO_DATA);
	end = request_open(&r, VETH_INFO_PEER);
	request_append(&r, &peer, sizeof(peer));
	request_put_string(&r, IFLA_IFNAME, there->name);
	request_put(&r, IFLA_ADDRESS, there->address, sizeof(there->address));
	request_put(&r, IFLA_NET_NS_FD, &there_fd, sizeof(there_fd));
	request_close(&r, end);
	request_close(&r, data);
	request_close(&r, info);
	return request_talk(&r, fd);
}

int
netlink_add_bridge(int fd, const char *name, int ifindex)
{
	struct request r;
	size_t info;

	request_begin_link(&r, NLM_F_CREATE | NLM_F_EXCL, ifindex);
	request_put_string(&r, IFLA_IFNAME, name);
	info = request_open(&r, IFLA_LINKINFO);
	request_put_string(&r, IFLA_INFO_KIND, "bridge");
	request_close(&r, info);
	return request_talk(&r, fd);
}

int
netlink_set_bridge(int fd, int ifindex, int bridge_ifindex)
{
	struct request r;

	request_begin_link(&r, 0, ifindex);
	request_put(&r, IFLA_MASTER, &bridge_ifindex, sizeof(bridge_ifindex));
	return request_talk(&r, fd);
}

int
netlink_set_up(int fd, int ifindex, bool is_up)
{
	struct ifinfomsg link = {
		.ifi_index = ifindex,
		.ifi_flags = is_up ? IFF_UP : 0,
		.ifi_change = IFF_UP,
	};
	struct request r;

	request_begin(&r, RTM_NEWLINK, 0);
	request_append(&r, &link, sizeof(link));
	return request_talk(&r, fd);
}

int
netlink_set_forwarding(int fd, int ifindex, bool is_on)
{
	struct ifinfomsg link = {
		.ifi_family = AF_BRIDGE,
		.ifi_index = ifindex,
	};
	unsigned char state = is_on ? BR_STATE_FORWARDING : BR_STATE_DISABLED;
	struct request r;
	size_t port;

	request_begin(&r, RTM_SETLINK, 0);
	request_append(&r, &link, sizeof(link));
	port = request_open(&r, IFLA_PROTINFO | NLA_F_NESTED);
	request_put(&r, IFLA_BRPORT_STATE, &state, sizeof(state));
	request_close(&r, port);
	return request_talk(&r, fd);
}

int
netlink_add_address(
    int fd, int ifindex, uint32_t address, unsigned char prefix_bits)
{
	struct ifaddrmsg message = {
		.ifa_family = AF_INET,
		.ifa_prefixlen = prefix_bits,
		.ifa_index = (uint32_t)ifindex,
	};
	uint32_t wire = htonl(address);
	struct request r;

	request_begin(&r, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
	request_append(&r, &message, sizeof(message));
	request_put(&r, IFA_LOCAL, &wire, sizeof(wire));
	request_put(&r, IFA_ADDRESS, &wire, sizeof(wire));
	return request_talk(&r, fd);
}

void
netlink_set_silent(int fd, int ifindex)
{
	unsigned char mode = IN6_ADDR_GEN_MODE_NONE;
	struct request r;
	size_t families, inet6;

	request_begin_link(&r, 0, ifindex);
	families = request_open(&r, IFLA_AF_SPEC);
	inet6 = request_open(&r, AF_INET6);
	request_put(&r, IFLA_INET6_ADDR_GEN_MODE, &mode, sizeof(mode));
	request_close(&r, inet6);
	request_close(&r, families);
	/* The kernel refuses this where there is no IPv6, which is as well. */
	(void)request_talk(&r, fd);
}

/* Runs one ethtool command that takes or gives a single value. */
static int
ethtool_run(const char *name, struct ethtool_value *value)
{
	struct ifreq ifr = { 0 };
	int fd, error = 0;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	ifr.ifr_data = (char *)value;
	if (ioctl(fd, SIOCETHTOOL, &ifr) < 0)
		error = -errno;
	close(fd);
	return error;
}

int
ethtool_disable_checksums(const char *name)
{
	struct ethtool_value value = { .cmd = ETHTOOL_STXCSUM, .data = 0 };

	return ethtool_run(name, &value);
}

int
ethtool_has_carrier(const char *name)
{
	struct ethtool_value value = { .cmd = ETHTOOL_GLINK };
	int error = ethtool_run(name, &value);

	return error < 0 ? error : value.data != 0;
}
