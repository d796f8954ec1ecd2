/* SPDX-License-Identifier: ISC */
/* Rounds of heartbeats, HELLOs, and when all that is due (timers.c). */
#ifndef ELECTD_COMMON_NODE_DRIVE_TIMERS_H
#define ELECTD_COMMON_NODE_DRIVE_TIMERS_H

#include "common/node/node_parts.h"

/* Begins with a round of heartbeats at once. */
void timers_begin(struct node *node, nsec_t now);

/* Makes a round of heartbeats due at once. */
void timers_beat_now(struct node *node, nsec_t now);

/* Does what is due now: heartbeats, HELLOs, pings, the end of sessions. */
void timers_tick(struct node *node, nsec_t now);

/* A new beacon came from the leader itself: sends our round along with it. */
void timers_beat_along(struct node *node, nsec_t now);

/* The peer is due nothing now: looks at it no more before its deadline. */
void timers_settle(struct node *node, const struct peer *p);

/* Asserts every invariant of this part. */
void timers_check(const struct node *node);

#endif
