/* SPDX-License-Identifier: ISC */
/*
 * The switch of the test LAN: takes frames from the ports, leads them over
 * three wires (into the port, between the two hosts, out of the port) and
 * sends them. It learns nothing: the address of host N is 02:00:00:00:00:N.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_FABRIC_H
#define ELECTD_TESTS_SYSTEM_LAN_FABRIC_H

#include "tests/system/lan/queue.h"

#define HOSTS_MAX    100 /* electd promises clusters of 3 to 100 */
#define PORT_IFINDEX 100 /* port N is the interface PORT_IFINDEX + N */

struct fabric_counts {
	uint64_t received;
	uint64_t sent;
	uint64_t unknown; /* no host has that address, or the size is wrong */
	uint64_t refused; /* the kernel says that the port is down */
	uint64_t overrun; /* the kernel dropped it before the switch saw it */
	uint64_t queue_peak;
};

struct fabric {
	int fd; /* the packet socket of all ports */
	unsigned hosts;
	struct wire in[HOSTS_MAX + 1];  /* from host to switch; by host */
	struct wire out[HOSTS_MAX + 1]; /* from switch to host */
	struct wire link[HOSTS_MAX + 1][HOSTS_MAX + 1]; /* from, to */
	struct queue queue;
	struct fabric_counts counts;
};

/*
 * Makes a switch with `hosts` ports, in the network namespace of the caller;
 * NULL with errno. The ports may come and go.
 */
struct fabric *fabric_new(unsigned hosts, uint64_t seed);

void fabric_free(struct fabric *f);

/* Moves all frames that are due, and a bounded number of new ones. */
void fabric_run(struct fabric *f);

/* Gives when fabric_run must run even if nothing arrives, or NSEC_NEVER. */
nsec_t fabric_next_due(const struct fabric *f);

/* Adds the kernel's count of overruns to the others. */
void fabric_update_counts(struct fabric *f);

/* Reads CLOCK_MONOTONIC, the clock of all due times here. */
nsec_t fabric_now(void);

#endif
