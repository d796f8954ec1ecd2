/* SPDX-License-Identifier: ISC */
#include "daemon/net/udp_errors.h"

#include <netinet/in.h>
#include <stdalign.h>
#include <string.h>
#include <time.h>

#include <linux/errqueue.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>

#include "daemon/net/address.h"
#include "daemon/system/log.h"

#define CONTROL_BYTES 512 /* more than all that the kernel adds to an error */

void
sent_tags_note(struct sent_tags *sent, const uint8_t *bytes, size_t size)
{
	unsigned at = sent->next;

	if (size < PACKET_HEAD_BYTES)
		return;
	memcpy(sent->tags[at], bytes + PACKET_CLEAR_BYTES, SEAL_TAG_BYTES);
	sent->is_out[at] = true;
	sent->next = (at + 1) % SENT_TAGS;
}

bool
sent_tags_take(struct sent_tags *sent, const uint8_t tag[SEAL_TAG_BYTES])
{
	for (unsigned i = 0; i < SENT_TAGS; i++) {
		if (!sent->is_out[i] ||
		    memcmp(sent->tags[i], tag, SEAL_TAG_BYTES) != 0)
			continue;
		sent->is_out[i] = false;
		return true;
	}
	return false;
}

void
udp_errors_want(int fd, int family)
{
	int on = 1;
	int level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
	int name = family == AF_INET6 ? IPV6_RECVERR : IP_RECVERR;

	if (setsockopt(fd, level, name, &on, sizeof(on)) != 0)
		log_warn(
		    "cannot read ICMP errors (IP_RECVERR): a host whose electd and lastwill are both killed is found dead only after the detection time");
}

/* True if the error means that no socket has the port. */
static bool
is_port_unreachable(const struct sock_extended_err *e)
{
	if (e->ee_origin == SO_EE_ORIGIN_ICMP)
		return e->ee_type == ICMP_DEST_UNREACH &&
		       e->ee_code == ICMP_PORT_UNREACH;
	if (e->ee_origin == SO_EE_ORIGIN_ICMP6)
		return e->ee_type == ICMPV6_DEST_UNREACH &&
		       e->ee_code == ICMPV6_PORT_UNREACH;
	return false;
}

/* True if the control message holds a refusal by the host `to` itself; see
 * IP_RECVERR in ip(7). */
static bool
read_control(const struct cmsghdr *c, const struct sockaddr *to)
{
	struct {
		struct sock_extended_err error;
		struct sockaddr_in6 offender; /* or shorter */
	} report = { 0 };
	size_t size = c->cmsg_len - CMSG_LEN(0);
	bool is_error =
	    (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) ||
	    (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR);

	_Static_assert(sizeof(struct sock_extended_err) % 8 == 0,
	    "the offender follows without a gap");
	if (!is_error || c->cmsg_len < CMSG_LEN(sizeof(report.error)))
		return false;
	memcpy(&report, CMSG_DATA(c),
	    size < sizeof(report) ? size : sizeof(report));
	/* A router may report for a host, but cannot know its processes. */
	return is_port_unreachable(&report.error) &&
	       address_same_host((const struct sockaddr *)&report.offender, to);
}

bool
udp_errors_take(int fd, struct udp_error *error)
{
	alignas(struct cmsghdr) uint8_t control[CONTROL_BYTES];
	uint8_t quoted[PACKET_HEAD_BYTES];
	struct iovec vector = { quoted, sizeof(quoted) };
	struct msghdr m = {
		.msg_name = &error->to,
		.msg_namelen = sizeof(error->to),
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t size;

	*error = (struct udp_error){ .is_refusal = false };
	size = recvmsg(fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT);
	if (size < 0)
		return false;
	error->to_size = m.msg_namelen;
	if ((size_t)size < sizeof(quoted) || (m.msg_flags & MSG_CTRUNC))
		return true;
	memcpy(error->tag, quoted + PACKET_CLEAR_BYTES, SEAL_TAG_BYTES);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c != NULL;
	     c = CMSG_NXTHDR(&m, c))
		error->is_refusal |=
		    read_control(c, (const struct sockaddr *)&error->to);
	return true;
}
