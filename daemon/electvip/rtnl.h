/* SPDX-License-Identifier: ISC */
/* Messages to and from the kernel about interfaces and addresses: rtnetlink(7),
 * by libmnl. */
#ifndef ELECTD_DAEMON_ELECTVIP_RTNL_H
#define ELECTD_DAEMON_ELECTVIP_RTNL_H

#include <net/if.h>

#include "daemon/electvip/frame.h"
#include "daemon/system/sockets/netlink.h"

#define RTNL_REQUEST_BYTES 128 /* the longest has 76 */

enum rtnl_kind {
	RTNL_OTHER, /* a message of no interest */
	RTNL_LINK,
	RTNL_LINK_GONE,
	RTNL_ADDRESS,
	RTNL_ADDRESS_GONE,
};

/* The content of a message. */
struct rtnl_news {
	enum rtnl_kind kind;
	int index; /* index of the interface */

	/* RTNL_LINK */
	char name[IFNAMSIZ];
	bool is_ethernet;
	bool is_up;     /* the interface is up and has a carrier */
	bool is_router; /* if knows_router */
	bool knows_router;
	uint8_t mac[MAC_BYTES]; /* if has_mac */
	bool has_mac;

	/* RTNL_ADDRESS and RTNL_ADDRESS_GONE */
	struct ip ip;
	bool is_whole;     /* the prefix has the length of the address */
	uint32_t lifetime; /* seconds; UINT32_MAX: without an end */

	/* The attributes of an address that were read so far. */
	bool has_ip;
	bool has_local;
};

/* The meaning of a message of netlink_next() for a request: 1, a part of the
 * answer; 0, the request is done; or the kernel's negative errno. */
int rtnl_outcome(const struct nlmsghdr *message);

/* Reads a message of netlink_next(). */
void rtnl_read(const struct nlmsghdr *message, struct rtnl_news *news);

/*
 * Each of these writes a request with this number, and gives its size.
 * `lifetime` is in seconds; the address is nobody's choice as a source, and
 * makes no route.
 */
size_t rtnl_write_add(char bytes[RTNL_REQUEST_BYTES], uint32_t number,
    int index, const struct ip *ip, unsigned lifetime, bool is_renewal);
size_t rtnl_write_remove(char bytes[RTNL_REQUEST_BYTES], uint32_t number,
    int index, const struct ip *ip);

/* Asks for all interfaces, or for all addresses. */
size_t rtnl_write_dump(
    char bytes[RTNL_REQUEST_BYTES], uint32_t number, bool is_links);

#endif
