/* SPDX-License-Identifier: ISC */
/*
 * Why an election was begun: its cause and the node it concerns. A cause
 * travels with the messages and pulses of its term, so that all who took part
 * give the same reason; who comes from another part of the cluster says merge.
 */
#ifndef ELECTD_COMMON_WIRE_CAUSE_H
#define ELECTD_COMMON_WIRE_CAUSE_H

#include "common/util/types.h"

enum cause_kind {
	CAUSE_NONE,
	CAUSE_START,     /* a node came up and heard no leader */
	CAUSE_DIED,      /* the leader's process is known to be gone */
	CAUSE_BYE,       /* the leader said goodbye */
	CAUSE_MISSED,    /* the leader's heartbeats were missed */
	CAUSE_PREEMPT,   /* a better node takes over */
	CAUSE_MERGE,     /* two leaders met */
	CAUSE_FORCED,    /* an operator asked for it */
	CAUSE_STALLED,   /* the leader itself was paused past detection */
	CAUSE_DUPLICATE, /* the leader's id is in use twice */
	CAUSE_RAISED,  /* the leader had lost its incarnation, and raised it */
	CAUSE_LEASE,   /* the leader's lease ran out: it lost its majority */
	CAUSE_QUORUM,  /* a majority of the voters is heard again */
	CAUSE_DENIED,  /* a voter had promised this term, or a later one */
	CAUSE_MEMORY,  /* the leader's record can be trusted no more */
	CAUSE_RESIGN,  /* an operator wants another leader */
	CAUSE_REFUSED, /* the leader's host says that nothing listens there */
	CAUSE_ALONE, /* a node that abstained stands again: nobody else does */
	CAUSE_KINDS,
};

struct cause {
	enum cause_kind kind;
	node_id node; /* whom it concerns; NODE_NONE if nobody */
};

#define CAUSE_TEXT_MAX 24 /* "duplicate:2147483647" and its end */

/*
 * Writes "died:5", or "start" where no node is concerned, to `text`, which
 * has room for CAUSE_TEXT_MAX bytes; gives `text`.
 */
const char *cause_text(struct cause cause, char *text);

#endif
