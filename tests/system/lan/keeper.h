/* SPDX-License-Identifier: ISC */
/*
 * Starts a LAN and keeps it: a launcher waits, and the keeper, first process of
 * a PID namespace, is the switch and answers commands. When either ends, in any
 * way, everything in the LAN ends with it.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_KEEPER_H
#define ELECTD_TESTS_SYSTEM_LAN_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#define EXIT_MISSING  77  /* the system lacks what a LAN needs */
#define EXIT_LIFETIME 124 /* the LAN's time is over, as with timeout(1) */

struct keeper_options {
	const char *directory; /* NULL: only builds the LAN, and ends */
	unsigned hosts;
	unsigned lifetime_s;
	uint64_t seed;
	bool is_bridge;
};

/* Runs until the LAN ends; returns the exit status. */
int keeper_run(const struct keeper_options *options);

#endif
