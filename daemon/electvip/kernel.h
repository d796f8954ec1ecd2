/* SPDX-License-Identifier: ISC */
/*
 * One interface, by the kernel: its state, its addresses, and the frames of its
 * LAN. All that needs a privilege is opened by kernel_open(), except that each
 * change of an address needs CAP_NET_ADMIN. Functions that give an int give 0
 * or a negative errno.
 */
#ifndef ELECTD_DAEMON_ELECTVIP_KERNEL_H
#define ELECTD_DAEMON_ELECTVIP_KERNEL_H

#include "daemon/electvip/rtnl.h"

struct mnl_socket;

enum kernel_lan {
	LAN_V4, /* ARP */
	LAN_V6, /* Neighbor Discovery */
	LANS,
};

struct kernel {
	const char *name; /* name of the interface; borrowed */
	int index;        /* 0: there is none of that name */
	bool is_ethernet;
	bool is_up;
	bool is_router;
	uint8_t mac[MAC_BYTES];

	struct mnl_socket *monitor;  /* brings the news */
	struct mnl_socket *requests; /* all is answered at once */
	uint32_t number;             /* number of the last request */
	int lans[LANS];              /* packet(7); -1: not wanted */
};

/* Takes news of the interface or one of its addresses; the state of the
 * interface is in `k` already. */
typedef void kernel_handler(
    void *context, const struct kernel *k, const struct rtnl_news *news);

int kernel_open(struct kernel *k, const char *name, const bool wanted[LANS]);
void kernel_close(struct kernel *k);

/* Readable when there is news. */
int kernel_fd(const struct kernel *k);

/* Takes the news that has come. -ENOBUFS: some was lost, so ask again. */
int kernel_take(struct kernel *k, kernel_handler *handler, void *context);

/* Asks for all that there is, and takes it. */
int kernel_ask(struct kernel *k, kernel_handler *handler, void *context);

int kernel_add(
    struct kernel *k, const struct ip *ip, unsigned lifetime, bool is_renewal);

/* Takes the address away from the interface `index`, whatever its name. */
int kernel_remove(struct kernel *k, int index, const struct ip *ip);

/* Lets the kernel pass on what others send to the group of this address. */
void kernel_join(struct kernel *k, const struct ip *ip);

/* Asks the LAN whether anyone has the address. */
int kernel_probe(struct kernel *k, const struct ip *ip);

/* Tells the LAN that we have it: in both forms of ARP; IPv6 has one. */
int kernel_announce(struct kernel *k, const struct ip *ip);

/* Takes a frame of another host. */
typedef void kernel_listener(void *context, const struct frame *frame);

/* Takes the frames that have come, at most KERNEL_FRAMES_MAX: if others send
 * without an end, the rest of the work must still be done. */
#define KERNEL_FRAMES_MAX 64
void kernel_hear(struct kernel *k, enum kernel_lan lan,
    kernel_listener *listener, void *context);

#endif
