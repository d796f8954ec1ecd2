/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/rtnl.h"
#include "tests/unit/group.h"

#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

static const struct ip v4 = { .bytes = { 198, 18, 0, 100 } };
static const struct ip v6 = { .is_v6 = true,
	.bytes = { 0x20, 0x01, 0x0d, 0xb8, [15] = 3 } };

static char bytes[1024];

/* The kernel tells of an address with the words in which it was told. */
TEST(address_is_read_as_it_was_asked_for)
{
	const struct ip *const ips[] = { &v4, &v6 };
	struct rtnl_news news;

	for (unsigned i = 0; i < 2; i++) {
		size_t size = rtnl_write_add(bytes, 5, 7, ips[i], 2, false);
		const struct nlmsghdr *message = (void *)bytes;

		assert_int_equal(size, message->nlmsg_len);
		assert_int_equal(message->nlmsg_seq, 5);
		rtnl_read(message, &news);
		assert_int_equal(news.kind, RTNL_ADDRESS);
		assert_int_equal(news.index, 7);
		assert_true(ip_is_same(&news.ip, ips[i]));
		assert_true(news.is_whole);
		assert_int_equal(news.lifetime, 2);
		(void)rtnl_write_remove(bytes, 6, 7, ips[i]);
		rtnl_read(message, &news);
		assert_int_equal(news.kind, RTNL_ADDRESS_GONE);
		assert_true(ip_is_same(&news.ip, ips[i]));
	}
}

/* What exists is left alone by the first request, and by a renewal changed. */
TEST(first_request_takes_no_address_of_others)
{
	const struct nlmsghdr *message = (void *)bytes;

	(void)rtnl_write_add(bytes, 1, 7, &v4, 1, false);
	assert_int_equal(message->nlmsg_flags,
	    NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL);
	(void)rtnl_write_add(bytes, 1, 7, &v4, 1, true);
	assert_int_equal(
	    message->nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK | NLM_F_REPLACE);
}

static struct nlmsghdr *
address_message(uint8_t family, uint8_t prefix)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(bytes);
	struct ifaddrmsg *address;

	message->nlmsg_type = RTM_NEWADDR;
	address = mnl_nlmsg_put_extra_header(message, sizeof(*address));
	address->ifa_family = family;
	address->ifa_prefixlen = prefix;
	address->ifa_index = 3;
	return message;
}

/* Without a lifetime it has no end. */
TEST(address_with_a_peer_is_the_local_one)
{
	static const uint8_t peer[4] = { 10, 0, 0, 1 };
	struct nlmsghdr *message = address_message(AF_INET, 24);
	struct rtnl_news news;

	mnl_attr_put(message, IFA_LOCAL, 4, v4.bytes);
	mnl_attr_put(message, IFA_ADDRESS, 4, peer);
	rtnl_read(message, &news);
	assert_int_equal(news.kind, RTNL_ADDRESS);
	assert_true(ip_is_same(&news.ip, &v4));
	assert_false(news.is_whole);
	assert_int_equal(news.lifetime, UINT32_MAX);
}

TEST(address_without_one_is_no_news)
{
	struct nlmsghdr *message = address_message(AF_INET, 32);
	struct rtnl_news news;

	rtnl_read(message, &news);
	assert_int_equal(news.kind, RTNL_OTHER);
	mnl_attr_put(message, IFA_LOCAL, 3, v4.bytes);
	rtnl_read(message, &news);
	assert_int_equal(news.kind, RTNL_OTHER);
	message = address_message(AF_BRIDGE, 32);
	mnl_attr_put(message, IFA_LOCAL, 4, v4.bytes);
	rtnl_read(message, &news);
	assert_int_equal(news.kind, RTNL_OTHER);
}

static struct nlmsghdr *
link_message(unsigned short type, unsigned flags)
{
	static const uint8_t mac[MAC_BYTES] = { 2, 0, 0, 0, 0, 1 };
	struct nlmsghdr *message = mnl_nlmsg_put_header(bytes);
	struct ifinfomsg *link;

	message->nlmsg_type = RTM_NEWLINK;
	link = mnl_nlmsg_put_extra_header(message, sizeof(*link));
	link->ifi_type = type;
	link->ifi_flags = flags;
	link->ifi_index = 3;
	mnl_attr_put_strz(message, IFLA_IFNAME, "eth0");
	mnl_attr_put(message, IFLA_ADDRESS, MAC_BYTES, mac);
	return message;
}

TEST(interface_is_up_with_a_carrier)
{
	struct rtnl_news news;

	rtnl_read(link_message(ARPHRD_ETHER, IFF_UP), &news);
	assert_int_equal(news.kind, RTNL_LINK);
	assert_true(news.is_ethernet);
	assert_false(news.is_up);
	assert_string_equal(news.name, "eth0");
	assert_int_equal(news.mac[5], 1);
	rtnl_read(link_message(ARPHRD_ETHER, IFF_UP | IFF_RUNNING), &news);
	assert_true(news.is_up);
	assert_false(news.is_router);
}

TEST(interface_without_arp_is_no_ethernet)
{
	struct rtnl_news news;

	rtnl_read(link_message(ARPHRD_LOOPBACK, IFF_UP), &news);
	assert_false(news.is_ethernet);
	rtnl_read(link_message(ARPHRD_ETHER, IFF_UP | IFF_NOARP), &news);
	assert_false(news.is_ethernet);
}

TEST(interface_that_forwards_is_a_routers)
{
	static const int32_t values[] = { 1, 64 };
	struct nlmsghdr *message = link_message(ARPHRD_ETHER, IFF_UP);
	struct nlattr *families = mnl_attr_nest_start(message, IFLA_AF_SPEC);
	struct nlattr *family = mnl_attr_nest_start(message, AF_INET6);
	struct rtnl_news news;

	mnl_attr_put(message, IFLA_INET6_CONF, sizeof(values), values);
	mnl_attr_nest_end(message, family);
	mnl_attr_nest_end(message, families);
	rtnl_read(message, &news);
	assert_true(news.is_router);
}

/* The longest name has 15 bytes and its end. */
TEST(name_that_is_too_long_is_none)
{
	struct nlmsghdr *message = link_message(ARPHRD_ETHER, IFF_UP);
	struct rtnl_news news;

	mnl_attr_put(message, IFLA_IFNAME, 4, "eth1");
	rtnl_read(message, &news);
	assert_string_equal(news.name, "eth0");
	mnl_attr_put_strz(message, IFLA_IFNAME, "a234567890123456");
	rtnl_read(message, &news);
	assert_string_equal(news.name, "eth0");
	mnl_attr_put_strz(message, IFLA_IFNAME, "a23456789012345");
	rtnl_read(message, &news);
	assert_string_equal(news.name, "a23456789012345");
}
