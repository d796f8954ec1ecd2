/* SPDX-License-Identifier: ISC */
/*
 * Estimates the round trip to a peer, and how long to wait for an
 * acknowledgement, as RFC 6298 does, with bounds for a LAN and a protocol of
 * rare, small messages. Zeroed, it has no sample yet.
 */
#ifndef ELECTD_COMMON_LINK_RTT_H
#define ELECTD_COMMON_LINK_RTT_H

#include "common/util/types.h"

#define RTT_GRANULARITY (1 * MSEC)   /* timers and schedulers are no finer */
#define RTT_TIMEOUT_MIN (20 * MSEC)  /* a busy peer may answer this late */
#define RTT_TIMEOUT_MAX (160 * MSEC) /* longer ones would delay an election */
#define RTT_RETRIES_MAX 3            /* doublings from the least to the most */
#define RTT_SAMPLE_MAX  (1 * SEC)    /* longer ones: a paused process */

_Static_assert(RTT_TIMEOUT_MIN << RTT_RETRIES_MAX == RTT_TIMEOUT_MAX,
    "more doublings change nothing");

struct rtt {
	nsec_t smoothed;  /* SRTT; 0: no sample yet */
	nsec_t variation; /* RTTVAR */
};

/*
 * Takes one measured round trip. An echoed timestamp measures it, so it is
 * clear which datagram was answered. Values outside [1, RTT_SAMPLE_MAX] count
 * as the nearest bound.
 */
void rtt_sample(struct rtt *rtt, nsec_t sample);

/*
 * How long an answer normally takes at most: SRTT + max(1 ms, 4 RTTVAR). Before
 * the first sample RTT_TIMEOUT_MIN: a LAN answers sooner, and to a peer that is
 * farther away a session's first message goes once too often.
 */
nsec_t rtt_patience(const struct rtt *rtt);

/*
 * How long to wait before a message is sent again: the patience, at least
 * RTT_TIMEOUT_MIN, doubled for each of the `retries` before this one, at most
 * RTT_TIMEOUT_MAX.
 */
nsec_t rtt_timeout(const struct rtt *rtt, unsigned retries);

/* Asserts every invariant. */
void rtt_check(const struct rtt *rtt);

#endif
