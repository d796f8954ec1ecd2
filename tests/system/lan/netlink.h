/* SPDX-License-Identifier: ISC */
/*
 * The functions of rtnetlink and ethtool that the test LAN uses, so that it
 * needs neither program. Every function returns 0 or a negative errno. `fd` is
 * a socket of netlink_open and acts in the network namespace that it was opened
 * in.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_NETLINK_H
#define ELECTD_TESTS_SYSTEM_LAN_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#define LOOPBACK_IFINDEX 1 /* of every network namespace */

/* One end of a new veth pair. */
struct veth_end {
	const char *name;
	int ifindex;
	unsigned char address[6];
};

/* Gives the descriptor, in the caller's network namespace. */
int netlink_open(void);

/* Makes a veth pair: `here` in this namespace, `there` in that of `there_fd`.
 */
int netlink_add_veth(int fd, const struct veth_end *here,
    const struct veth_end *there, int there_fd);
int netlink_add_bridge(int fd, const char *name, int ifindex);
int netlink_set_bridge(int fd, int ifindex, int bridge_ifindex);
int netlink_set_up(int fd, int ifindex, bool is_up);

/* Sets whether a port of a bridge passes frames; the interface does not show
 * it. */
int netlink_set_forwarding(int fd, int ifindex, bool is_on);

/* `address` in host byte order. */
int netlink_add_address(
    int fd, int ifindex, uint32_t address, unsigned char prefix_bits);

/* Stops IPv6 from sending by itself: the LAN carries only what hosts send. */
void netlink_set_silent(int fd, int ifindex);

/* These two open a socket in the caller's network namespace. */
int ethtool_disable_checksums(const char *name);
int ethtool_has_carrier(const char *name); /* 0, 1 */

#endif
