/* SPDX-License-Identifier: ISC */
/*
 * Snapshots of the cluster's state, and how one node gets what another keeps
 * (PROTOCOL.md, Snapshots, Pulls). What is pulled is a row of items: of a
 * snapshot the head of a node's record, its channels and the messages in them;
 * or the events of the node.
 */
#ifndef ELECTD_COMMON_WIRE_SNAPSHOT_H
#define ELECTD_COMMON_WIRE_SNAPSHOT_H

#include "common/util/bytes.h"
#include "common/wire/message.h"
#include "common/wire/reason.h"

/* Which snapshot: no other one ever has this name. */
struct snapshot_name {
	node_id initiator;
	uint32_t number;      /* counts the snapshots of that process; from 1 */
	uint64_t incarnation; /* incarnation of the initiator's process; > 0 */
};

/* On the wire: of a frame, and, alone in a message of the channel, of a
 * marker. */
#define SNAPSHOT_NAME_BYTES 16

bool snapshot_name_equal(
    const struct snapshot_name *a, const struct snapshot_name *b);
void snapshot_name_encode(struct writer *w, const struct snapshot_name *name);

/* Reads a name; false if it is out of range: *name is then unspecified. */
bool snapshot_name_decode(struct reader *r, struct snapshot_name *name);

/* The state of a node's part of a snapshot. */
enum snapshot_outcome {
	SNAPSHOT_OPEN,      /* markers have still to come */
	SNAPSHOT_COMPLETE,  /* all have come */
	SNAPSHOT_LOST,      /* the session with a node ended first */
	SNAPSHOT_FULL,      /* there was no room for a marker or a message */
	SNAPSHOT_CHANGED,   /* other settings came into effect at the node */
	SNAPSHOT_UNKNOWN,   /* the node has learned of no snapshot of this name,
			     * or has forgotten it */
	SNAPSHOT_BUSY,      /* the node has learned of too many */
	SNAPSHOT_SILENT,    /* a node did not answer */
	SNAPSHOT_RESTARTED, /* another process of a node answers */
	SNAPSHOT_LARGE,  /* the cluster has more channels than are gathered */
	SNAPSHOT_FAR,    /* more than PULL_PATH_MAX nodes are on the way */
	SNAPSHOT_ABSURD, /* what a node gave makes no sense */
	SNAPSHOT_OUTCOMES,
};

/* The stable word of the control protocol: "complete" and so on. */
const char *snapshot_outcome_name(enum snapshot_outcome outcome);

#define SNAPSHOT_TRANSIT_MAX 256 /* messages that a node keeps */

/* A node's state as of its record. */
struct snapshot_head {
	node_id node;
	node_id leader; /* whom it follows; NODE_NONE */
	uint64_t incarnation;
	int64_t epoch;          /* when its clock was 0, in ns since 1970 */
	uint64_t term;          /* the highest that it has seen */
	uint64_t leader_term;   /* term of that leader, or of the last */
	uint64_t election_term; /* term of the last election; 0: none */
	bool is_electing;       /* that election runs */
	FILLER(7);
	uint64_t events; /* number of the last event */
	uint64_t sent;   /* datagrams that were sent */
	uint64_t received;
	unsigned channels; /* channels that follow */
	unsigned messages; /* messages that follow; SNAPSHOT_TRANSIT_MAX at
			    * most */
};

/* The state of a channel in the record of one end. */
enum channel_stage {
	CHANNEL_OPEN,   /* the marker has not come */
	CHANNEL_CLOSED, /* the marker has come */
	CHANNEL_LOST,   /* the session ended first */
	CHANNEL_STAGES,
};

/* Both directions of the session with a peer, as of the record. */
struct snapshot_channel {
	node_id peer;
	uint64_t session; /* name of the session */
	enum channel_stage stage;
	bool is_up;         /* the link was up */
	uint32_t sent;      /* the number of the last message; 0: none */
	uint32_t delivered; /* likewise */
};

#define SNAPSHOT_KIND_MARKER  254 /* the marker of another snapshot */
#define SNAPSHOT_KIND_UNKNOWN 255 /* not readable */

/* A message in transit: sent before the sender recorded, and delivered after
 * the receiver did. */
struct snapshot_message {
	node_id from;
	uint32_t sequence; /* number in the channel */
	uint8_t kind;      /* index into the algorithm's kinds, or as above; for
	               * those the rest is 0 */
	uint64_t term;
	node_id rank; /* the id of the rank */
	node_id origin;
	uint32_t phase;
};

#define SNAPSHOT_HEAD_BYTES    79
#define SNAPSHOT_CHANNEL_BYTES 22
#define SNAPSHOT_MESSAGE_BYTES 29

void snapshot_head_encode(struct writer *w, const struct snapshot_head *head);
void snapshot_channel_encode(
    struct writer *w, const struct snapshot_channel *channel);
void snapshot_message_encode(
    struct writer *w, const struct snapshot_message *message);

/* Each reads one item; false if it is out of range: it is then unspecified. */
bool snapshot_head_decode(struct reader *r, struct snapshot_head *head);
bool snapshot_channel_decode(
    struct reader *r, struct snapshot_channel *channel);
bool snapshot_message_decode(
    struct reader *r, struct snapshot_message *message);

/* What can be pulled. */
enum pull_kind {
	PULL_RECORD, /* a node's part of the snapshot: a head, its channels,
	              * its messages */
	PULL_EVENTS, /* a node's events */
	PULL_KINDS,
};

#define PULL_PATH_MAX 64 /* nodes; leaves space for items */

/* Asks the last node of a path for items; or, on its way back, its answer. */
struct pull {
	enum pull_kind kind;
	FILLER(4);
	struct snapshot_name name; /* RECORD: of which snapshot; and for the
	                            * asker to tell its pulls apart */
	uint64_t from;             /* the number of the first item; RECORD: from
	                            * 0, EVENTS: from 1 */
	unsigned count;            /* nodes of the path; 1 at least */
	unsigned at;               /* the receiver's place in it */
	node_id path[PULL_PATH_MAX]; /* the asker first; no node twice */
};

/* The answer. */
struct pulled {
	uint64_t incarnation; /* of the process that has it; 0: unknown */
	struct pull pull;     /* as it was asked; `at` counts down */
	enum snapshot_outcome outcome; /* not OPEN; EVENTS: COMPLETE */
	node_id culprit; /* the node by which it failed; NODE_NONE */
	uint64_t first;  /* the number of the first item that is here */
	uint64_t next;   /* the number to ask for next; 0: that was all */
	size_t size;
	const uint8_t *items; /* borrowed */
};

/* True if both ask the same of the same nodes. */
bool pull_equal(const struct pull *a, const struct pull *b);

/* On the wire, without the path and without items; and with them at most, so
 * that there is always space in a datagram. */
#define PULL_BYTES       27
#define PULLED_BYTES     56
#define PULLED_BYTES_MAX 600

void pull_encode(struct writer *w, const struct pull *pull);
void pulled_encode(struct writer *w, const struct pulled *pulled);

/* Reads a pull, after which more may follow; false if it is out of range: *pull
 * is then unspecified. */
bool pull_read(struct reader *r, struct pull *pull);

/* Each reads all that is left; false if it is out of range: the result is then
 * unspecified. Items are not looked at. */
bool pull_decode(struct reader *r, struct pull *pull);
bool pulled_decode(struct reader *r, struct pulled *pulled);

#endif
