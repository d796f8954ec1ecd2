/* SPDX-License-Identifier: ISC */
/*
 * What processes and the system have used, read from /proc: processor time,
 * memory, datagrams.
 */
#ifndef ELECTD_TESTS_SCALE_USAGE_H
#define ELECTD_TESTS_SCALE_USAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of one process, its threads, and all that descend from it. */
struct usage {
	pid_t pid; /* 0: nobody, and all is 0 */
	uint64_t cpu_ns;
	uint64_t pss_kib;
	unsigned processes;
};

/* Fills in the processor time of each; of those that have ended, 0. */
void usage_read(struct usage *usages, size_t count);

/* Likewise, and the memory: that takes longer. What may not be read is 0. */
void usage_read_all(struct usage *usages, size_t count);

/* The processes whose parent this one is; how many. */
size_t children_find(pid_t *children, size_t max);

/* The UDP counters of this network namespace. */
struct datagrams {
	uint64_t sent;
	uint64_t received;
	uint64_t overflowed; /* no room in a receiver's buffer */
	uint64_t unsent;     /* no room in a sender's */
	uint64_t refused;    /* nobody listens there */
};

void datagrams_read(struct datagrams *d);

uint64_t memory_available_kib(void);

/* CLOCK_MONOTONIC, the clock of mono_ns. */
int64_t moment_now(void);

#endif
