/* SPDX-License-Identifier: ISC */
/*
 * Deeds to a host of the test LAN whose switch is the kernel's bridge, and
 * their times: nothing comes between the deed and its timestamp.
 */
#ifndef ELECTD_TESTS_BENCH_HARM_H
#define ELECTD_TESTS_BENCH_HARM_H

#include <stdbool.h>

#include "common/util/types.h"
#include "tests/system/lan/lan.h"

struct harm {
	int switch_fd; /* rtnetlink sockets, in the switch's namespace */
	int host_fd[HOSTS_MAX + 1]; /* and in that of each host */
};

/* Reads CLOCK_MONOTONIC. */
nsec_t harm_now(void);

/*
 * `directory` names the LAN, `switch_path` the network namespace of its switch.
 * If this or harm_do() fails, it prints why on standard error.
 */
bool harm_open(struct harm *h, const char *directory, const char *switch_path,
    unsigned hosts);

/*
 *	kill, term, stop, cont PID...	sends the signal, to the first one first
 *	cut, heal			drops all frames to and from it, or none
 *	down, up			sets its own interface
 *	run PROGRAM ARGUMENT...		runs it, and discards its output
 */
bool harm_do(
    struct harm *h, const char *name, unsigned host, char **words, nsec_t *at);

#endif
