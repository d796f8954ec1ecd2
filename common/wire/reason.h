/* SPDX-License-Identifier: ISC */
/*
 * Why an election was begun: its reason and the node it concerns. A reason
 * travels with the messages and beacons of its term, so that all who took part
 * give the same reason; who comes from another part of the cluster says merge.
 */
#ifndef ELECTD_COMMON_WIRE_REASON_H
#define ELECTD_COMMON_WIRE_REASON_H

#include "common/util/bytes.h"

enum reason_kind {
	REASON_NONE,
	REASON_START,     /* a node came up and heard no leader */
	REASON_DIED,      /* the leader's process is known to be gone */
	REASON_BYE,       /* the leader said goodbye */
	REASON_MISSED,    /* the leader's heartbeats were missed */
	REASON_PREEMPT,   /* a better node takes over */
	REASON_MERGE,     /* two leaders met */
	REASON_FORCED,    /* an operator asked for it */
	REASON_STALLED,   /* the leader itself was paused past detection */
	REASON_DUPLICATE, /* the leader's id is in use twice */
	REASON_REFUTED, /* the leader had lost its incarnation, and raised it */
	REASON_LEASE,   /* the leader's lease ran out: it lost its majority */
	REASON_QUORUM,  /* a majority of the voters is heard again */
	REASON_DENIED,  /* a voter had promised this term, or a later one */
	REASON_STATE_FILE, /* the leader's record can be trusted no more */
	REASON_RESIGN,     /* an operator wants another leader */
	REASON_REFUSED, /* the leader's host says that nothing listens there */
	REASON_ALONE, /* a node that abstained stands again: nobody else does */
	REASON_KINDS,
};

struct reason {
	enum reason_kind kind;
	node_id node; /* whom it concerns; NODE_NONE if nobody */
};

#define REASON_TEXT_MAX 24 /* "duplicate:2147483647" and its end */

/*
 * Writes "died:5", or "start" where no node is concerned, to `text`, which
 * has room for REASON_TEXT_MAX bytes; gives `text`.
 */
const char *reason_text(struct reason reason, char *text);

/* Writes a reason, five bytes. */
void reason_encode(struct writer *w, struct reason reason);

/* Reads a reason; false if it is out of range: *reason is then unspecified. */
bool reason_decode(struct reader *r, struct reason *reason);

#endif
