/* SPDX-License-Identifier: ISC */
/*
 * Starts a LAN and keeps it: a launcher that waits, and the keeper, first
 * process of a PID namespace, that is the switch and answers commands. When
 * either ends, however it ends, everything in the LAN ends with it.
 */
#ifndef ELECTD_TESTS_LAN_KEEPER_H
#define ELECTD_TESTS_LAN_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#define EXIT_MISSING  77  /* the system refuses what a LAN needs */
#define EXIT_LIFETIME 124 /* the LAN's time was over, as timeout(1) has it */

struct keeper_options {
	const char *directory; /* NULL: build the LAN, and end */
	unsigned hosts;
	unsigned lifetime_s;
	uint64_t seed;
	bool is_bridge;
};

/* Runs until the LAN ends; returns the exit status. */
int keeper_run(const struct keeper_options *options);

#endif
