/* SPDX-License-Identifier: ISC */
/*
 * The LAN itself: a network namespace for each host, which only the descriptors
 * here keep alive, and one for the switch, which is that of the process. Host N
 * has eth0 with 198.18.0.N/24 and 02:00:00:00:00:N.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_LAN_H
#define ELECTD_TESTS_SYSTEM_LAN_LAN_H

#include "tests/system/lan/fabric.h"

#define HOST_ADDRESS   UINT32_C(0xc6120000) /* 198.18.0.0; add the host */
#define HOST_INTERFACE "eth0"
#define HOST_IFINDEX   2 /* after the loopback interface */

struct lan {
	unsigned hosts;
	struct fabric *fabric; /* NULL: the kernel's bridge is the switch */
	int netlink_fd;        /* in the switch's namespace */
	int user_fd;           /* -1: the LAN has no user namespace */
	int pid_fd;
	int net_fd[HOSTS_MAX + 1]; /* by host */
	bool is_stopping;          /* after the command "stop" */
};

/*
 * Puts the process into namespaces of its own; its next child is the first
 * process of the new PID namespace. Says whether it needed a user namespace.
 * Gives 0, or a negative errno with *what as the name of the thing that failed.
 */
int lan_isolate(bool *has_user_namespace, const char **what);

/* Builds the LAN; only that first process may call it. Results as above. */
int lan_build(struct lan *lan, unsigned hosts, bool is_bridge, uint64_t seed,
    bool has_user_namespace, const char **what);

/* Takes away the carrier of a host's interface, or gives it back. */
int lan_set_carrier(struct lan *lan, unsigned host, bool is_up);

#endif
