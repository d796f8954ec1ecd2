/* SPDX-License-Identifier: ISC */
/*
 * Notices: what a node has to tell its own host. The daemon turns them into
 * log lines and `electctl watch` events, the simulator into traces.
 */
#ifndef ELECTD_COMMON_NODE_NOTICE_H
#define ELECTD_COMMON_NODE_NOTICE_H

#include "common/quorum/durable_state.h"
#include "common/wire/message.h"
#include "common/wire/reason.h"

enum notice_kind {
	NOTICE_LEADER,    /* this node now takes `leader` as leader */
	NOTICE_NO_LEADER, /* it had one, or ended an election, and has none */
	NOTICE_ELECTION,  /* an election has started, or reached this node */
	NOTICE_ELECTED,   /* it has ended; `sent` counts this node's messages */
	NOTICE_PEER_UP,   /* both ends of the link to `peer` hear each other */
	NOTICE_PEER_DOWN, /* no longer; `evidence` says how it is known */
	NOTICE_DUPLICATE, /* `on`: the id of `peer`, or ours, is in use twice */
	NOTICE_DIFFERS, /* `on`: `peer`'s cluster-wide settings are not ours */
	NOTICE_OTHER_KEY, /* `on`: `peer` seems to have another key; a hint */
	NOTICE_COUNTED,   /* this leader knows what its term's election cost */
	NOTICE_STALLED,   /* this process did not run for `duration` */
	NOTICE_DROPPED, /* `datagrams`, since the last notice of this reason and
			 * peer: they come less and less often */
	NOTICE_QUORUM, /* `on`: a majority of the voters is heard; or no more */
	NOTICE_STATE_FILE, /* this node's record cannot be trusted any more */
	NOTICE_STANDS,     /* though it resigned, as nobody else is left */
	NOTICE_TRACE, /* `text`: a step of the protocol, if tracing is on */
};

/* How a link is known to be down. */
enum evidence {
	EVIDENCE_NONE,
	EVIDENCE_DIED,    /* its will came, or a higher incarnation was heard */
	EVIDENCE_BYE,     /* it said goodbye */
	EVIDENCE_MISSED,  /* its heartbeats were missed, or it misses ours */
	EVIDENCE_REFUSED, /* its host said that nothing listens there */
	EVIDENCE_RESET,   /* the session was replaced or failed; both live */
	EVIDENCE_DISTANT, /* it is no neighbour in the ring any more */
};

/* Why a datagram was dropped; by and large in the order of the checks. */
enum drop {
	DROP_NONE,
	DROP_SHORT,       /* shorter than a header, or longer than allowed */
	DROP_FOREIGN,     /* not electd, or another version or type of it */
	DROP_CLUSTER,     /* of another cluster */
	DROP_SAME_ID,     /* its sender claims our own id */
	DROP_UNKNOWN,     /* its sender's id is not configured, or not to us */
	DROP_ADDRESS,     /* not from its sender's configured address */
	DROP_KEY,         /* under a key slot we have no key for */
	DROP_SESSION,     /* of no session we have: ended, or never begun */
	DROP_REPLAY,      /* its number was seen, or is too old */
	DROP_SEAL,        /* the seal does not verify */
	DROP_RATE,        /* genuine, but more handshakes than we answer */
	DROP_FORMAT,      /* sealed by a member, and yet makes no sense */
	DROP_INCARNATION, /* from an incarnation known to be dead */
	DROP_LATE,        /* so long on the way that it says nothing of now */
	DROP_KINDS,
};

#define NOTICE_TEXT_MAX 96 /* a trace line and its end */

struct notice {
	enum notice_kind kind;
	nsec_t at;              /* when it was so: the time of the input */
	uint64_t term;          /* LEADER to ELECTED */
	node_id leader;         /* LEADER, ELECTED; NODE_NONE for none */
	node_id previous;       /* LEADER, NO_LEADER: whom it took before */
	node_id peer;           /* NODE_NONE: a sender unknown to us */
	struct reason reason;   /* LEADER to ELECTED */
	enum evidence evidence; /* PEER_DOWN */
	enum drop drop;         /* DROPPED */
	node_id claimed;        /* DROPPED: who sent the last, as it says */
	uint64_t datagrams;     /* DROPPED */
	bool on; /* DUPLICATE, DIFFERS, OTHER_KEY, QUORUM: begins, or ends */
	enum state_health state_health; /* MEMORY */
	nsec_t duration;                /* ELECTED, STALLED */
	unsigned nodes;                 /* COUNTED: that have reported, */
	unsigned starters; /* and how many of them began by themselves */
	uint64_t sent[MESSAGE_KINDS_MAX]; /* ELECTED: by us; COUNTED: by all */
	char text[NOTICE_TEXT_MAX];       /* TRACE */
};

/* "missed", "bye" and so on; "replay", "seal" and so on: stable words. */
const char *evidence_name(enum evidence evidence);
const char *drop_name(enum drop drop);

/* A bounded queue of notices; memory of the caller's. */
struct notices {
	struct notice *ring;
	size_t capacity;
	size_t first;
	size_t count;
};

/*
 * Adds one at the end. A full queue is an assertion: the shell drains it
 * after every input, and node.c computes what one input can add.
 */
void notices_add(struct notices *q, const struct notice *n);

/* Takes the oldest; false when there is none. */
bool notices_take(struct notices *q, struct notice *n);

#endif
