/* SPDX-License-Identifier: ISC */
/*
 * The use of processor time, memory and datagrams by processes and by the
 * system, from /proc.
 */
#ifndef ELECTD_TESTS_BENCH_SCALE_USAGE_H
#define ELECTD_TESTS_BENCH_SCALE_USAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The use of a process, its threads, and all its descendants. */
struct usage {
	pid_t pid; /* 0: none, and all is 0 */
	uint64_t cpu_ns;
	uint64_t pss_kib;
	unsigned processes;
};

/* Fills in the processor time of each; 0 for processes that have ended. */
void usage_read(struct usage *usages, size_t count);

/* Does so with the memory as well, which takes longer; 0 where it may not read.
 */
void usage_read_all(struct usage *usages, size_t count);

/* Lists the children of this process, and counts them. */
size_t children_find(pid_t *children, size_t max);

/* Reads the UDP counters of this network namespace. */
struct datagrams {
	uint64_t sent;
	uint64_t received;
	uint64_t overflowed; /* a receiver's buffer was full */
	uint64_t unsent;     /* a sender's buffer was full */
	uint64_t refused;    /* nobody listened there */
};

void datagrams_read(struct datagrams *d);

uint64_t memory_available_kib(void);

/* Reads CLOCK_MONOTONIC, the clock of mono_ns. */
int64_t moment_now(void);

#endif
