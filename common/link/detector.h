/* SPDX-License-Identifier: ISC */
/*
 * The failure detector for one peer (PROTOCOL.md, Detection time): it has fixed
 * timing with a margin that follows the measured jitter, and sends three pings
 * before the last miss. Detection takes at most misses * interval + margin,
 * times 1 + health.
 */
#ifndef ELECTD_COMMON_LINK_DETECTOR_H
#define ELECTD_COMMON_LINK_DETECTOR_H

#include "common/util/types.h"

#define DETECTOR_PINGS 3 /* before the last miss, a tenth interval apart */
#define HEALTH_MAX     3 /* how far a node doubts itself at most */

struct detector {
	nsec_t heard;    /* the last authentic datagram of the session, moved on
	                  * by our own lag; 0: none yet */
	nsec_t watched;  /* silence counts from then at the earliest */
	nsec_t interval; /* between heartbeats, as the peer says */
	nsec_t jitter;   /* mean deviation of its datagrams' transit */
	nsec_t since;    /* when the session began */
	uint32_t stamp;  /* the peer's, of the last datagram */
	uint8_t pings;   /* sent since it was last heard */
	bool is_heard;
};

/*
 * Begins a session with the peer: with its first datagram it is heard.
 * `interval` holds until the peer says otherwise.
 */
void detector_open(struct detector *d, nsec_t now, nsec_t interval);

/*
 * An authentic datagram came in then, stamped by the peer in microseconds of
 * its clock; it sends a heartbeat each `interval`.
 */
void detector_heard(
    struct detector *d, nsec_t now, uint32_t stamp, nsec_t interval);

/* Nothing was expected of the peer until now; from now on heartbeats are. */
void detector_watch(struct detector *d, nsec_t now);

/* Has it been heard since? */
bool detector_is_current(const struct detector *d);

/* When the session is given up: silence has lasted too long. */
nsec_t detector_deadline(
    const struct detector *d, unsigned misses, unsigned health);

/* Has the peer been silent for so long that one more witness of it is enough?
 * Within half an interval of the deadline. */
bool detector_doubts(
    const struct detector *d, nsec_t now, unsigned misses, unsigned health);

/* When the next ping is due; NSEC_NEVER if none is left to be sent. */
nsec_t detector_ping_at(
    const struct detector *d, unsigned misses, unsigned health);
void detector_pinged(struct detector *d);

/* The margin added to the missed heartbeats. */
nsec_t detector_margin(const struct detector *d);

/* We did not run for `lag`: its heartbeats may have waited as long. */
void detector_excuse(struct detector *d, nsec_t lag);

void detector_check(const struct detector *d);

#endif
