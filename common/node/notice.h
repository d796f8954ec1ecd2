/* SPDX-License-Identifier: ISC */
/*
 * Notices: what a node tells its own host, each as an ACTION_NOTICE
 * (PROTOCOL.md, The core as a machine). The daemon turns them into log lines
 * and `electctl watch` events, the simulator into traces.
 */
#ifndef ELECTD_COMMON_NODE_NOTICE_H
#define ELECTD_COMMON_NODE_NOTICE_H

#include "common/quorum/durable_state.h"
#include "common/wire/message.h"
#include "common/wire/reason.h"

enum notice_kind {
	NOTICE_LEADER,    /* this node now follows `leader`, perhaps itself */
	NOTICE_NO_LEADER, /* the leader is lost, or an election named none */
	NOTICE_ELECTION,  /* an election has begun, or has reached this node */
	NOTICE_ELECTED,   /* an election has decided; `sent`: what we sent */
	NOTICE_PEER_UP,   /* both ends of the link to `peer` hear each other */
	NOTICE_PEER_DOWN, /* the link is down; `evidence` says how we know */
	NOTICE_DUPLICATE, /* `on`: the id of `peer`, or ours, is in use twice */
	NOTICE_DIFFERS, /* `on`: `peer`'s cluster-wide settings are not ours */
	NOTICE_OTHER_VERSION, /* `on`: `peer` speaks no version that we do */
	NOTICE_OUTSIDE,       /* `on`: other nodes' configurations do not
			       * name us */
	NOTICE_CLASH,         /* `peer` has other settings of our config
			    * version and revision, which no leader has
			    * stamped: an operator's mistake, or two lists */
	NOTICE_OTHER_KEY,  /* `on`: `peer` seems to have another key; a hint */
	NOTICE_STALLED,    /* this process did not run for `duration` */
	NOTICE_DROPPED,    /* `datagrams` were dropped since the last notice of
	                    * this reason and peer; notices become rarer */
	NOTICE_QUORUM,     /* `on`: this node hears a majority of the voters */
	NOTICE_STATE_FILE, /* the durable state can no longer be trusted */
	NOTICE_STANDBY,    /* `on`: `peer`, or this node, is on standby, perhaps
	                    * for another reason than before */
	NOTICE_HANDOVER,   /* `on`: this leader wants to give up the lead, and
	                    * hands out no later deadlines; else that is over */
	NOTICE_TRACE, /* `text`: a step of the protocol, if tracing is on */
};

/* How a node knows that a link is down (PROTOCOL.md, End of a session). */
enum evidence {
	EVIDENCE_NONE,
	EVIDENCE_DIED,    /* the peer's will came, or a higher incarnation */
	EVIDENCE_BYE,     /* the peer said goodbye */
	EVIDENCE_MISSED,  /* heartbeats are missing, at one end or the other */
	EVIDENCE_REFUSED, /* the peer's host said that nothing listens there */
	EVIDENCE_RESET,   /* the session was replaced or failed; both live */
	EVIDENCE_DISTANT, /* the peer is no neighbour any more */
	EVIDENCE_REMOVED, /* our configuration does not name the peer */
};

/* Why a datagram was dropped (PROTOCOL.md, Order of checks). */
enum drop {
	DROP_NONE,
	DROP_SHORT,   /* shorter than a header, or longer than allowed */
	DROP_FOREIGN, /* not electd, or another version or type of it */
	DROP_CLUSTER, /* of another cluster */
	DROP_SAME_ID, /* the datagram's sender claims our own id */
	DROP_UNKNOWN, /* the source is not configured, or we are not meant */
	DROP_ADDRESS, /* a HELLO from another address than its sender's, which
	               * is heard there */
	DROP_KEY,     /* under a key that we do not have */
	DROP_SESSION, /* of no session of ours: it ended, or never began */
	DROP_REPLAY,  /* the datagram's number was seen, or is too old */
	DROP_SEAL,    /* the seal does not verify */
	DROP_RATE,    /* genuine, but above our limit of answers */
	DROP_FORMAT,  /* sealed by a member, but its bytes make no sense */
	DROP_INCARNATION, /* of an incarnation known to be over */
	DROP_LATE,        /* too long under way to prove its sender alive */
	DROP_KINDS,
};

#define NOTICE_TEXT_MAX 96 /* a trace line and its end */

struct notice {
	enum notice_kind kind;
	FILLER(4);
	nsec_t at;              /* when it happened: the time of the input */
	uint64_t term;          /* LEADER to ELECTED */
	uint64_t token;         /* LEADER; 0: not known */
	node_id leader;         /* LEADER, ELECTED; NODE_NONE for none */
	node_id previous;       /* LEADER, NO_LEADER: the leader before */
	node_id peer;           /* NODE_NONE: a sender that is not configured */
	struct reason reason;   /* LEADER to ELECTED */
	enum evidence evidence; /* PEER_DOWN */
	enum drop drop;         /* DROPPED */
	node_id claimed;        /* DROPPED: the source that the last claims */
	uint64_t datagrams;     /* DROPPED: how many */
	bool on; /* DUPLICATE to OTHER_KEY, QUORUM, STANDBY, HANDOVER: begins,
	          * or ends */
	FILLER(3);
	enum state_health state_health;   /* STATE_FILE */
	nsec_t duration;                  /* ELECTED, STALLED */
	uint64_t sent[MESSAGE_KINDS_MAX]; /* ELECTED: by this node */
	char text[NOTICE_TEXT_MAX];       /* TRACE */
};

/* "missed", "bye" and so on: stable words of the control protocol. */
const char *evidence_name(enum evidence evidence);

/* "replay", "seal" and so on: stable words, too. Not of DROP_KINDS. */
const char *drop_name(enum drop drop);

/* A bounded queue of notices. */
struct notices {
	struct notice *ring; /* capacity of them; the caller's memory */
	size_t capacity;
	size_t first; /* index of the oldest */
	size_t count;
};

/*
 * Adds one at the end. The queue is not full: the shell drains it after every
 * input, and notices_wanted() bounds what one input can add.
 */
void notices_add(struct notices *q, const struct notice *n);

/* Takes the oldest; false when there is none. */
bool notices_take(struct notices *q, struct notice *n);

#endif
