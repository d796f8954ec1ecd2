/* SPDX-License-Identifier: ISC */
/*
 * What may be done to a host of the test LAN whose switch is the kernel's
 * bridge, and when it was done: the stamp and the deed are neighbours.
 */
#ifndef ELECTD_TESTS_BENCH_HARM_H
#define ELECTD_TESTS_BENCH_HARM_H

#include <stdbool.h>

#include "common/util/types.h"
#include "tests/lan/lan.h"

struct harm {
	int switch_fd; /* rtnetlink sockets, in the switch's namespace */
	int host_fd[HOSTS_MAX + 1]; /* and in that of each host */
};

/* CLOCK_MONOTONIC. */
nsec_t harm_now(void);

/*
 * `directory` names the LAN, `switch_path` the network namespace of its switch.
 * False says why on standard error; so does the next.
 */
bool harm_open(struct harm *h, const char *directory, const char *switch_path,
    unsigned hosts);

/*
 *	kill, term, stop, cont PID...	signals, the first one first
 *	cut, heal			silently no frame leaves or reaches it
 *	down, up			its own interface
 *	run PROGRAM ARGUMENT...		with nothing on its output
 */
bool harm_do(
    struct harm *h, const char *name, unsigned host, char **words, nsec_t *at);

#endif
