/* SPDX-License-Identifier: ISC */
/*
 * Why an election began, or a leader was given up: the reason, and the node
 * that it concerns. The reason of an election travels with the messages and
 * beacons of its term, so that all nodes that took part give the same one. A
 * node that joins from another part of the cluster has the reason "merge".
 */
#ifndef ELECTD_COMMON_WIRE_REASON_H
#define ELECTD_COMMON_WIRE_REASON_H

#include "common/util/bytes.h"

/* The numbers are on the wire (PROTOCOL.md, Frames). */
enum reason_kind {
	REASON_NONE,
	REASON_START,      /* a node came up and heard no leader */
	REASON_DIED,       /* the leader's process is known to be dead */
	REASON_BYE,        /* the leader said BYE */
	REASON_MISSED,     /* the leader's heartbeats were missed */
	REASON_PREEMPT,    /* a better node takes over */
	REASON_MERGE,      /* two leaders met */
	REASON_FORCED,     /* an operator asked for it */
	REASON_STALLED,    /* the leader did not run for a detection time */
	REASON_DUPLICATE,  /* the leader's id is in use twice */
	REASON_REFUTED,    /* the leader learned of a later life of its own */
	REASON_LEASE,      /* the leader lost its majority: its lease ended */
	REASON_QUORUM,     /* a majority of the voters is heard again */
	REASON_DENIED,     /* a voter had promised this term, or a later one */
	REASON_STATE_FILE, /* the leader's durable state is no longer sound */
	REASON_RESIGN,     /* an operator made the leader resign */
	REASON_REFUSED,    /* nothing listens on the leader's host, says ICMP */
	REASON_ALONE,      /* a node that resigned is the only one left */
	REASON_REMOVED, /* the settings do not let the leader lead any more */
	REASON_CARRIER, /* the leader has no carrier; no election's reason */
	REASON_KINDS,
};

struct reason {
	enum reason_kind kind;
	node_id node; /* node that the reason concerns; NODE_NONE: none */
};

#define REASON_BYTES    5  /* bytes on the wire */
#define REASON_TEXT_MAX 24 /* "duplicate:2147483647" and its end */

/*
 * Writes "died:5", or "start" if no node is concerned, to `text`, which has
 * REASON_TEXT_MAX bytes; returns `text`.
 */
const char *reason_text(struct reason reason, char *text);

/* Writes a reason, REASON_BYTES bytes. */
void reason_encode(struct writer *w, struct reason reason);

/* Reads a reason; false if it is out of range: *reason is then unspecified. */
bool reason_decode(struct reader *r, struct reason *reason);

#endif
