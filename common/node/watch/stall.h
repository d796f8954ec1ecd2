/* SPDX-License-Identifier: ISC */
/* The stall meter: how late this node runs (stall.c; PROTOCOL.md, Local
 * health). */
#ifndef ELECTD_COMMON_NODE_WATCH_STALL_H
#define ELECTD_COMMON_NODE_WATCH_STALL_H

#include "common/node/node_parts.h"

/* Begins on time. */
void stall_init(struct node *node, nsec_t now);

/* How much later this input comes than we asked for one; 0: on time. Call it
 * before node->input.now is that of this input. */
nsec_t stall_lag(const struct node *node, nsec_t now);

/* True if a lag is long enough to count as a stall. */
bool stall_counts(const struct node *node, nsec_t lag);

/* True if we were silent for so long that the peers have given us up. Call it
 * when stall_lag() is to be called. */
bool stall_was_given_up(const struct node *node, nsec_t now);

/* We stalled: lowers our trust in our own clock, so that all patience grows. */
void stall_worsen(struct node *node, nsec_t now);

/* Raises our trust by one step, if it is time. True if it did: all deadlines
 * that depend on stall_health() come earlier. */
bool stall_recover(struct node *node, nsec_t now);

/* By how much we mistrust our own clock: 0 to HEALTH_MAX. Detection times grow
 * with it (PROTOCOL.md, Local health). */
unsigned stall_health(const struct node *node);

/* We send a round of heartbeats now. */
void stall_speak(struct node *node, nsec_t now);

/* The time since our last round of heartbeats. */
nsec_t stall_silence(const struct node *node, nsec_t now);

/* All that an input caused is done: we ask our caller for the next one at
 * `deadline`. */
void stall_ask(struct node *node, nsec_t deadline);

/* Asserts every invariant of this part. */
void stall_check(const struct node *node);

#endif
