/* SPDX-License-Identifier: ISC */
/*
 * Whether the interfaces by which this host sends to its peers have a carrier
 * (PROTOCOL.md, Carrier). An interface of which the kernel says nothing counts
 * as one with a carrier.
 */
#ifndef ELECTD_DAEMON_NET_CARRIER_H
#define ELECTD_DAEMON_NET_CARRIER_H

#include <net/if.h>

#include "common/util/types.h"
#include "daemon/net/address.h"

#define CARRIER_INTERFACES 8 /* that lead to peers; most hosts have 1 */

struct carrier_interface {
	unsigned index;
	char name[IF_NAMESIZE]; /* the latest name */
};

struct carrier {
	bool is_watched;
	struct carrier_interface interfaces[CARRIER_INTERFACES];
	unsigned count; /* number of `interfaces`; 0: none is known */
	bool lacks;     /* none of `interfaces` has a carrier */
	nsec_t since;   /* when `lacks` last changed */
	bool hears;     /* lacks: datagrams of a peer came all the same, so
			 * there is another way */
	nsec_t look_at; /* when to look for the ways to the peers */
	char names[CARRIER_INTERFACES * IF_NAMESIZE]; /* "eth0 eth1" */
};

/* Gives the address of a peer, counted from 0; NULL: it is not known. False:
 * there is no such peer. */
typedef bool carrier_peer(
    void *context, unsigned peer, const struct address **address);

/* Not `is_watched`: there always is a carrier. */
void carrier_init(struct carrier *c, bool is_watched);

/* Call this when interfaces or addresses of this host have changed: looks
 * whether there is a carrier, and logs a change. `fd` is any socket. */
void carrier_check(struct carrier *c, int fd, nsec_t now);

/* A datagram arrived at that time that a peer sealed. */
void carrier_hear(struct carrier *c, nsec_t arrived);

/* The peers are others, or at other addresses. */
void carrier_change(struct carrier *c);

/* Looks for the ways to the peers, if that is due; each turn of the loop. */
void carrier_tend(struct carrier *c, int fd, nsec_t now,
    const struct address *own, carrier_peer *peer, void *context);

/* The interfaces, none of which has a carrier; NULL: there is one. */
const char *carrier_lacking(const struct carrier *c);

#endif
