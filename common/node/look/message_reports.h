/* SPDX-License-Identifier: ISC */
/* The count of an election's messages (message_reports.c). */
#ifndef ELECTD_COMMON_NODE_LOOK_MESSAGE_REPORTS_H
#define ELECTD_COMMON_NODE_LOOK_MESSAGE_REPORTS_H

#include "common/node/node_parts.h"
#include "common/util/shift.h"

/* The node was copied from another place. */
void message_reports_shift(struct node *node, struct shift *s);

/* The bytes that message_reports_init() needs for so many peers. */
size_t message_reports_size(unsigned peers_count);

/* Makes an empty table in `memory`, of message_reports_size() bytes. */
void message_reports_init(struct node *node, void *memory);

/* Makes the table anew, as message_reports_init(): the peers are others. */
void message_reports_change(struct node *node, void *memory);

/* Takes a report that a peer made or handed on; ignores one of another term
 * than our leader's, and one that says nothing new. Tells the peer from which
 * our leader's beacons come at once. */
void message_reports_take(
    struct node *node, nsec_t now, const struct cost_report *r);

/* A session with the peer begins from which our leader's beacons come: begins
 * again to tell it what we know, as a report may be lost. */
void message_reports_repeat(struct node *node);

/* With each round of heartbeats: takes our own report; as the leader, tells the
 * host the sum. */
void message_reports_beat(struct node *node, nsec_t now);

/* Writes the reports that this peer is to hand on or to count, as many as fit;
 * the next datagram goes on with the others. Returns the number of frames. */
unsigned message_reports_write(
    struct node *node, const struct peer *p, struct writer *w);

/* Asserts every invariant of this part. */
void message_reports_check(const struct node *node);

#endif
