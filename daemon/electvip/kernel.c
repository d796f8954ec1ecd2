/* SPDX-License-Identifier: ISC */
#include "daemon/electvip/kernel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>

/* The kernel makes messages of at most a page, or of 32 KiB to a dump that has
 * room for them. */
#define MESSAGES_BYTES 32768
#define ASK_TRIES      10 /* of a list that changes while it is sent */

#define FRAME_MAX 1514 /* bytes of a frame that we read; more is of no use */

static const uint16_t protocols[LANS] = { ETH_P_ARP, ETH_P_IPV6 };

/* Opening. */

/* Lets only Neighbor Solicitations and Advertisements of IPv6 through: by the
 * next header and the type of ICMP, in Ethernet. */
static int
set_filter(int fd)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 20),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_ICMPV6, 0, 4),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 54),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 135, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 136, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, FRAME_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {
		.len = sizeof(rules) / sizeof(rules[0]),
		.filter = rules,
	};

	return setsockopt(
	    fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

/* A socket of protocol 0: nothing comes until it is bound. */
static int
open_lan(enum kernel_lan lan)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (lan == LAN_V6 && set_filter(fd) != 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}

static int
open_netlink(struct mnl_socket **socket, int flags, unsigned groups)
{
	*socket = mnl_socket_open2(NETLINK_ROUTE, flags);
	if (*socket == NULL ||
	    mnl_socket_bind(*socket, groups, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	return 0;
}

int
kernel_open(struct kernel *k, const char *name, const bool wanted[LANS])
{
	int error;

	*k = (struct kernel){ .name = name, .lans = { -1, -1 } };
	error = open_netlink(&k->monitor, SOCK_CLOEXEC | SOCK_NONBLOCK,
	    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR);
	if (error == 0)
		error = open_netlink(&k->requests, SOCK_CLOEXEC, 0);
	for (unsigned i = 0; i < LANS && error == 0; i++) {
		if (!wanted[i])
			continue;
		k->lans[i] = open_lan((enum kernel_lan)i);
		if (k->lans[i] < 0)
			error = k->lans[i];
	}
	if (error != 0)
		kernel_close(k);
	return error;
}

void
kernel_close(struct kernel *k)
{
	if (k->monitor != NULL)
		mnl_socket_close(k->monitor);
	if (k->requests != NULL)
		mnl_socket_close(k->requests);
	for (unsigned i = 0; i < LANS; i++) {
		if (k->lans[i] >= 0)
			close(k->lans[i]);
		k->lans[i] = -1;
	}
	k->monitor = k->requests = NULL;
}

int
kernel_fd(const struct kernel *k)
{
	return mnl_socket_get_fd(k->monitor);
}

/* News. */

/* Has the sockets take the frames of this interface; 0: of none. */
static void
listen_to(struct kernel *k, int index)
{
	for (unsigned i = 0; i < LANS; i++) {
		struct sockaddr_ll address = {
			.sll_family = AF_PACKET,
			.sll_protocol = htons(index != 0 ? protocols[i] : 0),
			.sll_ifindex = index,
		};

		if (k->lans[i] >= 0)
			(void)bind(k->lans[i],
			    (const struct sockaddr *)&address, sizeof(address));
	}
}

/* True if the news is of our interface. It may be a new one of that name, or
 * have got another name. */
static bool
take_link(struct kernel *k, const struct rtnl_news *news)
{
	bool is_ours =
	    news->kind == RTNL_LINK && strcmp(news->name, k->name) == 0;
	int index = is_ours ? news->index : 0;

	if (!is_ours && news->index != k->index)
		return false;
	k->is_ethernet = is_ours && news->is_ethernet;
	k->is_up = k->is_ethernet && news->is_up;
	if (news->knows_router)
		k->is_router = news->is_router;
	memcpy(k->mac, news->mac, MAC_BYTES);
	if (index != k->index)
		listen_to(k, index);
	k->index = index;
	return true;
}

struct receiver {
	struct kernel *k;
	kernel_handler *handler;
	void *context;
	bool is_torn; /* the list changed while the kernel sent it; some may be
		       * missing */
};

static void
take_message(struct receiver *to, const struct nlmsghdr *message)
{
	struct rtnl_news news;
	bool is_ours;

	rtnl_read(message, &news);
	if (news.kind == RTNL_OTHER)
		return;
	if (news.kind == RTNL_LINK || news.kind == RTNL_LINK_GONE)
		is_ours = take_link(to->k, &news);
	else
		is_ours = to->k->index != 0 && news.index == to->k->index;
	if (is_ours)
		to->handler(to->context, to->k, &news);
}

/* Takes what was received: 1, more of the answer to this request is to come; 0
 * or a negative errno, that was all. News has the number 0, and no end. */
static int
take_messages(
    struct receiver *to, struct netlink_messages messages, uint32_t number)
{
	const struct nlmsghdr *message;

	while ((message = netlink_next(&messages)) != NULL) {
		int outcome = rtnl_outcome(message);

		if (number != 0 && message->nlmsg_seq != number)
			continue; /* an answer to an earlier request */
		to->is_torn |= (message->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
		if (number != 0 && outcome <= 0)
			return outcome;
		take_message(to, message);
	}
	return 1;
}

/* Takes all: an answer, or the news that has come. */
static int
receive(struct receiver *to, struct mnl_socket *from, uint32_t number)
{
	_Alignas(struct nlmsghdr) char bytes[MESSAGES_BYTES];

	for (;;) {
		ssize_t size = mnl_socket_recvfrom(from, bytes, sizeof(bytes));
		int outcome;

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0 && errno == EAGAIN && number == 0)
			return 0;
		if (size < 0)
			return -errno;
		outcome = take_messages(to,
		    (struct netlink_messages){ bytes, (size_t)size }, number);
		if (outcome <= 0)
			return outcome;
	}
}

int
kernel_take(struct kernel *k, kernel_handler *handler, void *context)
{
	struct receiver to = { .k = k, .handler = handler, .context = context };

	return receive(&to, k->monitor, 0);
}

/* Sends a request and takes its answer, which the kernel has made by then. */
static int
request(struct receiver *to, const char *bytes, size_t size)
{
	struct mnl_socket *socket = to->k->requests;

	if (mnl_socket_sendto(socket, bytes, size) < 0)
		return -errno;
	return receive(to, socket, to->k->number);
}

/* Asks for a list until it is whole. */
static int
ask_for(struct receiver *to, bool is_links)
{
	for (unsigned tries = 0; tries < ASK_TRIES; tries++) {
		char bytes[RTNL_REQUEST_BYTES];
		size_t size = rtnl_write_dump(bytes, ++to->k->number, is_links);
		int error;

		to->is_torn = false;
		error = request(to, bytes, size);
		if (error != 0 || !to->is_torn)
			return error;
	}
	return -EINTR;
}

int
kernel_ask(struct kernel *k, kernel_handler *handler, void *context)
{
	struct receiver to = { .k = k, .handler = handler, .context = context };
	int error = ask_for(&to, true);

	return error != 0 ? error : ask_for(&to, false);
}

/* Deeds. */

int
kernel_add(
    struct kernel *k, const struct ip *ip, unsigned lifetime, bool is_renewal)
{
	struct receiver to = { .k = k };
	char bytes[RTNL_REQUEST_BYTES];
	size_t size = rtnl_write_add(
	    bytes, ++k->number, k->index, ip, lifetime, is_renewal);

	return request(&to, bytes, size);
}

int
kernel_remove(struct kernel *k, int index, const struct ip *ip)
{
	struct receiver to = { .k = k };
	char bytes[RTNL_REQUEST_BYTES];
	size_t size = rtnl_write_remove(bytes, ++k->number, index, ip);

	return request(&to, bytes, size);
}

void
kernel_join(struct kernel *k, const struct ip *ip)
{
	struct packet_mreq group = {
		.mr_ifindex = k->index,
		.mr_type = PACKET_MR_MULTICAST,
		.mr_alen = MAC_BYTES,
	};

	if (!ip->is_v6 || k->index == 0)
		return;
	frame_group(ip, group.mr_address);
	(void)setsockopt(k->lans[LAN_V6], SOL_PACKET, PACKET_ADD_MEMBERSHIP,
	    &group, sizeof(group));
}

static int
send_frame(
    struct kernel *k, const struct ip *ip, const uint8_t *bytes, size_t size)
{
	enum kernel_lan lan = ip->is_v6 ? LAN_V6 : LAN_V4;
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = k->index,
		.sll_protocol = htons(protocols[lan]),
		.sll_halen = MAC_BYTES,
	};

	memcpy(to.sll_addr, bytes, MAC_BYTES);
	if (sendto(k->lans[lan], bytes, size, MSG_NOSIGNAL,
		(const struct sockaddr *)&to, sizeof(to)) < 0)
		return -errno;
	return 0;
}

int
kernel_probe(struct kernel *k, const struct ip *ip)
{
	uint8_t bytes[FRAME_BYTES];

	return send_frame(k, ip, bytes, frame_write_probe(bytes, k->mac, ip));
}

int
kernel_announce(struct kernel *k, const struct ip *ip)
{
	uint8_t bytes[FRAME_BYTES];
	int error = 0;

	for (unsigned i = 0; i < (ip->is_v6 ? 1 : 2) && error == 0; i++)
		error = send_frame(k, ip, bytes,
		    frame_write_claim(bytes, k->mac, ip, i == 1, k->is_router));
	return error;
}

void
kernel_hear(struct kernel *k, enum kernel_lan lan, kernel_listener *listener,
    void *context)
{
	uint8_t bytes[FRAME_MAX];
	struct frame frame;

	for (unsigned i = 0; i < KERNEL_FRAMES_MAX; i++) {
		ssize_t size = recv(k->lans[lan], bytes, sizeof(bytes), 0);

		if (size < 0)
			return;
		if (frame_read(bytes, (size_t)size, &frame) &&
		    memcmp(frame.sender, k->mac, MAC_BYTES) != 0)
			listener(context, &frame);
	}
}
