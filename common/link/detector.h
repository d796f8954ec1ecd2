/* SPDX-License-Identifier: ISC */
/*
 * The failure detector for one peer (PROTOCOL.md, Detection time). It gives a
 * silent peer up after (misses * interval + margin) * (1 + health); the margin
 * follows the measured jitter. Before the last miss it asks for three pings.
 *
 * All times are our clock. `misses` is the configured count, at least 1;
 * `health` is our own, 0 to HEALTH_MAX (PROTOCOL.md, Local health).
 */
#ifndef ELECTD_COMMON_LINK_DETECTOR_H
#define ELECTD_COMMON_LINK_DETECTOR_H

#include "common/util/types.h"

/* Before the last miss, a tenth interval apart: one of three gets through where
 * half of the datagrams are lost, in 7 of 8 cases. */
#define DETECTOR_PINGS 3
#define HEALTH_MAX     3 /* a late node waits four times as long, not more */

struct detector {
	nsec_t heard;       /* when the session's last authentic datagram came,
	                  * moved on by our own lag; 0: none yet */
	nsec_t watched;     /* silence counts from then at the earliest */
	nsec_t interval;    /* between heartbeats, as the peer announced; > 0 */
	nsec_t jitter;      /* mean deviation of its datagrams' transit times */
	nsec_t since;       /* when the session began */
	uint32_t timestamp; /* the peer's clock in its last datagram, us */
	uint8_t pings;      /* pings sent since the last datagram of the peer */
	bool is_heard;      /* a datagram of the session has come in */
};

/*
 * Begins a session with the peer, of which no datagram has come yet. `interval`
 * (> 0) counts until the peer announces another.
 */
void detector_open(struct detector *d, nsec_t now, nsec_t interval);

/* Ends the session: no datagram of the peer is expected any more. */
void detector_close(struct detector *d);

/*
 * Notes that an authentic datagram came in at `now`. The peer timestamped it
 * with its clock in microseconds, and announces a heartbeat each `interval` (>
 * 0).
 */
void detector_heard(
    struct detector *d, nsec_t now, uint32_t timestamp, nsec_t interval);

/* Expects heartbeats of the peer from now on: earlier silence is none. */
void detector_watch(struct detector *d, nsec_t now);

/* True if a datagram of the peer has come since its heartbeats are expected. */
bool detector_is_current(const struct detector *d);

/* When the peer has been silent for too long: its session ends then. */
nsec_t detector_deadline(
    const struct detector *d, unsigned misses, unsigned health);

/*
 * True within half an interval of the deadline: one more sign that the peer is
 * gone is enough.
 */
bool detector_doubts(
    const struct detector *d, nsec_t now, unsigned misses, unsigned health);

/* When the next ping is due; NSEC_NEVER if none is left to be sent. */
nsec_t detector_ping_at(
    const struct detector *d, unsigned misses, unsigned health);

/* Notes that the ping that was due has been sent. */
void detector_pinged(struct detector *d);

/* The margin added to the missed heartbeats, a duration. */
nsec_t detector_margin(const struct detector *d);

/*
 * Moves the deadline by `lag`, for which we did not run: the peer's heartbeats
 * may have waited as long.
 */
void detector_excuse(struct detector *d, nsec_t lag);

/* Asserts every invariant; called after each step by tests. */
void detector_check(const struct detector *d);

#endif
