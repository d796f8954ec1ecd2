/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/rtnl.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>

static size_t
ip_size(bool is_v6)
{
	return is_v6 ? 16 : 4;
}

/* Reading. */

int
rtnl_outcome(const struct nlmsghdr *message)
{
	int32_t error = -EBADMSG;

	if (message->nlmsg_type != NLMSG_ERROR)
		return message->nlmsg_type == NLMSG_DONE ? 0 : 1;
	if (mnl_nlmsg_get_payload_len(message) >= sizeof(error))
		memcpy(&error, mnl_nlmsg_get_payload(message), sizeof(error));
	return error <= 0 ? error : -EBADMSG;
}

/* Is IPv6 forwarded? A flag of an advertisement must show that. */
static int
read_forwarding(const struct nlattr *attribute, void *context)
{
	struct rtnl_news *news = context;
	int32_t values[DEVCONF_FORWARDING + 1];

	if (mnl_attr_get_type(attribute) == IFLA_INET6_CONF &&
	    mnl_attr_get_payload_len(attribute) >= sizeof(values)) {
		memcpy(values, mnl_attr_get_payload(attribute), sizeof(values));
		news->is_router = values[DEVCONF_FORWARDING] != 0;
		news->knows_router = true;
	}
	return MNL_CB_OK;
}

static int
read_family(const struct nlattr *attribute, void *context)
{
	if (mnl_attr_get_type(attribute) == AF_INET6)
		(void)mnl_attr_parse_nested(
		    attribute, read_forwarding, context);
	return MNL_CB_OK;
}

static int
read_link_part(const struct nlattr *attribute, void *context)
{
	struct rtnl_news *news = context;
	uint16_t size = mnl_attr_get_payload_len(attribute);

	switch (mnl_attr_get_type(attribute)) {
	case IFLA_IFNAME:
		if (size <= IFNAMSIZ &&
		    mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) == 0)
			strcpy(news->name, mnl_attr_get_str(attribute));
		break;
	case IFLA_ADDRESS:
		news->has_mac = size == MAC_BYTES;
		if (news->has_mac)
			memcpy(news->mac, mnl_attr_get_payload(attribute),
			    MAC_BYTES);
		break;
	case IFLA_AF_SPEC:
		(void)mnl_attr_parse_nested(attribute, read_family, news);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

static void
read_link(const struct nlmsghdr *message, struct rtnl_news *news)
{
	const struct ifinfomsg *link = netlink_link(message);

	if (link == NULL)
		return;
	news->kind =
	    message->nlmsg_type == RTM_NEWLINK ? RTNL_LINK : RTNL_LINK_GONE;
	news->index = link->ifi_index;
	news->is_up = (link->ifi_flags & IFF_UP) != 0 &&
		      (link->ifi_flags & IFF_RUNNING) != 0;
	(void)mnl_attr_parse(message, sizeof(*link), read_link_part, news);
	news->is_ethernet = link->ifi_type == ARPHRD_ETHER && news->has_mac &&
			    (link->ifi_flags & IFF_NOARP) == 0;
}

/* IFA_LOCAL is ours, and IFA_ADDRESS that of a peer; but there may be no
 * IFA_LOCAL, and then IFA_ADDRESS is ours. */
static int
read_address_part(const struct nlattr *attribute, void *context)
{
	struct rtnl_news *news = context;
	uint16_t type = mnl_attr_get_type(attribute);
	uint16_t size = mnl_attr_get_payload_len(attribute);
	struct ifa_cacheinfo times;

	if (type == IFA_CACHEINFO && size >= sizeof(times)) {
		memcpy(&times, mnl_attr_get_payload(attribute), sizeof(times));
		news->lifetime = times.ifa_valid;
	}
	if (size != ip_size(news->ip.is_v6) ||
	    (type != IFA_LOCAL && (type != IFA_ADDRESS || news->has_local)))
		return MNL_CB_OK;
	memcpy(news->ip.bytes, mnl_attr_get_payload(attribute), size);
	news->has_ip = true;
	news->has_local = news->has_local || type == IFA_LOCAL;
	return MNL_CB_OK;
}

static void
read_address(const struct nlmsghdr *message, struct rtnl_news *news)
{
	const struct ifaddrmsg *address = mnl_nlmsg_get_payload(message);

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*address) ||
	    (address->ifa_family != AF_INET && address->ifa_family != AF_INET6))
		return;
	news->index = (int)address->ifa_index;
	news->ip.is_v6 = address->ifa_family == AF_INET6;
	news->is_whole = address->ifa_prefixlen == 8 * ip_size(news->ip.is_v6);
	news->lifetime = UINT32_MAX;
	(void)mnl_attr_parse(
	    message, sizeof(*address), read_address_part, news);
	if (news->has_ip)
		news->kind = message->nlmsg_type == RTM_NEWADDR
				 ? RTNL_ADDRESS
				 : RTNL_ADDRESS_GONE;
}

void
rtnl_read(const struct nlmsghdr *message, struct rtnl_news *news)
{
	memset(news, 0, sizeof(*news));
	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		read_link(message, news);
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		read_address(message, news);
		break;
	default:
		break;
	}
}

/* Writing. */

static struct nlmsghdr *
begin(char bytes[RTNL_REQUEST_BYTES], uint32_t number, uint16_t type,
    uint16_t flags)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(bytes);

	message->nlmsg_type = type;
	message->nlmsg_flags = NLM_F_REQUEST | flags;
	message->nlmsg_seq = number;
	return message;
}

static void
put_ip(struct nlmsghdr *message, int index, const struct ip *ip)
{
	struct ifaddrmsg *address =
	    mnl_nlmsg_put_extra_header(message, sizeof(*address));

	address->ifa_family = ip->is_v6 ? AF_INET6 : AF_INET;
	address->ifa_prefixlen = (uint8_t)(8 * ip_size(ip->is_v6));
	address->ifa_scope = RT_SCOPE_UNIVERSE;
	address->ifa_index = (uint32_t)index;
	mnl_attr_put(message, IFA_LOCAL, ip_size(ip->is_v6), ip->bytes);
	mnl_attr_put(message, IFA_ADDRESS, ip_size(ip->is_v6), ip->bytes);
}

size_t
rtnl_write_add(char bytes[RTNL_REQUEST_BYTES], uint32_t number, int index,
    const struct ip *ip, unsigned lifetime, bool is_renewal)
{
	const struct ifa_cacheinfo times = { .ifa_valid = lifetime };
	struct nlmsghdr *message = begin(bytes, number, RTM_NEWADDR,
	    NLM_F_ACK |
		(is_renewal ? NLM_F_REPLACE : NLM_F_CREATE | NLM_F_EXCL));

	put_ip(message, index, ip);
	mnl_attr_put(message, IFA_CACHEINFO, sizeof(times), &times);
	mnl_attr_put_u32(message, IFA_FLAGS, IFA_F_NODAD | IFA_F_NOPREFIXROUTE);
	assert(message->nlmsg_len <= RTNL_REQUEST_BYTES);
	return message->nlmsg_len;
}

size_t
rtnl_write_remove(char bytes[RTNL_REQUEST_BYTES], uint32_t number, int index,
    const struct ip *ip)
{
	struct nlmsghdr *message = begin(bytes, number, RTM_DELADDR, NLM_F_ACK);

	put_ip(message, index, ip);
	return message->nlmsg_len;
}

size_t
rtnl_write_dump(char bytes[RTNL_REQUEST_BYTES], uint32_t number, bool is_links)
{
	struct nlmsghdr *message = begin(
	    bytes, number, is_links ? RTM_GETLINK : RTM_GETADDR, NLM_F_DUMP);

	if (is_links)
		(void)mnl_nlmsg_put_extra_header(
		    message, sizeof(struct ifinfomsg));
	else
		(void)mnl_nlmsg_put_extra_header(
		    message, sizeof(struct ifaddrmsg));
	return message->nlmsg_len;
}
