/* SPDX-License-Identifier: ISC */
/*
 * Measures the way from one host to another: this one process sends and
 * receives numbered UDP datagrams, which have the time of their sending.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_PROBE_H
#define ELECTD_TESTS_SYSTEM_LAN_PROBE_H

#include "common/util/types.h"

#define PROBE_COUNT_MAX 100000
#define PROBE_SIZE_MIN  32   /* header and some pattern */
#define PROBE_SIZE_MAX  1472 /* a datagram in one frame */

struct probe_options {
	unsigned count;
	unsigned size_bytes;
	nsec_t gap_ns;  /* between two datagrams */
	nsec_t wait_ns; /* of silence, before missing datagrams count as
			 * lost; an eighth if only duplicates may follow */
};

/*
 * Prints two lines: how many datagrams were sent, received, received again
 * (duplicate), behind a later one (reordered), wrong inside (damaged), and a
 * digest of the numbers in order of arrival; the delays in microseconds.
 */
int probe_run(const char *directory, const char *from, const char *to,
    const struct probe_options *options);

#endif
