/* SPDX-License-Identifier: ISC */
/*
 * What a datagram looks like; the whole of electd's wire format but for the
 * message (message.h). Network byte order throughout.
 *
 *    0  1  version          | in clear, authenticated
 *    1  1  type
 *    2  1  key id
 *    3  1  flags
 *    4  4  cluster tag
 *    8  4  source id
 *   12  4  destination id
 *   16  8  source incarnation
 *   24  8  packet number, per session and direction
 *   32 16  tag
 *   48     sealed part: a handshake (after its nonce) or a body and frames
 *
 * The nonce of a session's datagram is bytes 8 to 31: unique, as numbers are
 * never reused under a key. A handshake's is random and stands at 48.
 * Packing and sealing are apart: this file knows layouts, seal.h knows keys.
 */
#ifndef ELECTD_COMMON_WIRE_PACKET_H
#define ELECTD_COMMON_WIRE_PACKET_H

#include "common/wire/message.h"
#include "common/wire/seal.h"

#define PACKET_VERSION     1
#define PACKET_CLEAR_BYTES 32 /* authenticated, in clear */
#define PACKET_HEAD_BYTES  (PACKET_CLEAR_BYTES + SEAL_TAG_BYTES)
#define PACKET_NONCE_AT    8    /* where a session's nonce stands */
#define PACKET_MAX         1200 /* fits every path without fragments */
#define PACKET_SEALED_MAX  (PACKET_MAX - PACKET_HEAD_BYTES)

/* A handshake is as long as its answer: nothing is amplified. */
#define HANDSHAKE_BYTES        192
#define HANDSHAKE_SEALED_AT    (PACKET_HEAD_BYTES + SEAL_NONCE_BYTES)
#define HANDSHAKE_SEALED_BYTES (HANDSHAKE_BYTES - HANDSHAKE_SEALED_AT)

#define RESTARTS_MAX 7  /* three bits of a body tell of them */
#define BODY_BYTES   32 /* before the frames */
#define FRAME_BYTES  7  /* before a frame's own bytes */
#define BEACON_BYTES 45

/* A will is sealed beforehand, under numbers that no other datagram of the
 * session ever has: counted down from the last. */
#define WILL_BYTES        8
#define PACKET_WILL_BYTES (PACKET_HEAD_BYTES + WILL_BYTES)
#define WILL_NUMBERS      (UINT64_C(1) << 63) /* and above */

enum packet_type {
	PACKET_HELLO = 1,     /* let us agree on keys */
	PACKET_HELLO_ACK = 2, /* here is my part, and what I think of you */
	PACKET_SESSION = 3,   /* heartbeat, acknowledgement, frames */
	PACKET_BYE = 5,       /* the same, and the last word of this process */
	PACKET_DIED = 6,      /* its helper says so: a will */
};

enum packet_flags {
	PACKET_PING = 1 << 0, /* answer at once */
};

struct packet_head {
	enum packet_type type;
	uint8_t key_id;
	uint8_t flags;
	uint32_t cluster_tag;
	node_id source;
	node_id destination;
	uint64_t incarnation;
	uint64_t number;
};

/* What the answering side says of the asking one. */
enum verdict {
	VERDICT_WELCOME,
	VERDICT_STALE, /* `known` is a higher incarnation of yours, not heard */
	VERDICT_DUPLICATE, /* another process of your id is heard */
	VERDICT_DIFFERS,   /* your cluster-wide settings are not mine */
	VERDICTS,
};

struct handshake {
	uint8_t salt[SALT_BYTES];     /* the sender's */
	uint8_t echo[SALT_BYTES];     /* ACK: the salt it answers; else zero */
	uint8_t instance[SALT_BYTES]; /* the sender's process */
	uint8_t digest[SALT_BYTES];   /* the sender's settings */
	enum verdict verdict;         /* ACK */
	uint64_t known;               /* ACK, STALE */
};

enum body_flags {
	BODY_HEARD = 1 << 0,     /* I hear you */
	BODY_DUPLICATE = 1 << 1, /* your id is in use twice */
	BODY_ELIGIBLE = 1 << 2,  /* the sender's rank, as it is now */
	BODY_CONTENDER = 1 << 3,
	BODY_TAKES_RIGHT = 1 << 4, /* in a ring: you are my successor, */
	BODY_TAKES_LEFT = 1 << 5,  /* my predecessor, or would be */
	BODY_BYPASSED = 1 << 6,    /* step over me */
	BODY_VOTES = 1 << 7,       /* quorum: the sender is able to vote */
};

/* Whose heartbeats are wanted; both ends of a session may differ in it. */
enum watch_flags {
	WATCH_WANTED = 1 << 0,  /* I want yours */
	WATCH_GRANTED = 1 << 1, /* you have mine, as you want them */
	WATCH_REQUEST = 1 << 2, /* QUORUM, and not of heartbeats: the sender
	                         * claims a term, or hears a claimant that it
	                         * does not deny it */
	WATCH_FLAGS = WATCH_WANTED | WATCH_GRANTED | WATCH_REQUEST,
};

struct body {
	uint64_t incarnation; /* the receiver's, as the sender knows it */
	uint32_t ack;
	uint32_t sack;
	uint32_t stamp;        /* the sender's clock, microseconds */
	uint32_t echo;         /* the receiver's latest stamp, moved on by the
	                       * time since it came in; 0: none yet */
	uint32_t heartbeat_us; /* between two heartbeats of the sender */
	uint8_t watch;         /* enum watch_flags */
	uint8_t restarts;      /* of the receiver, as the sender has counted
	                        * them lately; at most RESTARTS_MAX */
	uint8_t flags;         /* enum body_flags */
	uint16_t frames_count;
};

enum frame_type {
	FRAME_MESSAGE = 1,      /* of the algorithm; numbered, in order, once */
	FRAME_BEACON = 2,       /* the newest sign of the leader; unnumbered, */
	FRAME_VOTE_REQUEST = 3, /* like the rest: claim.h */
	FRAME_VOTE_RESPONSE = 4,
	FRAME_RELEASE = 5,
	FRAME_LEASE_LEFT = 6,
	FRAME_MEMBERS = 7,
};

/* A frame as it stands in a datagram; `bytes` are borrowed from it. */
struct packet_frame {
	uint8_t type;
	uint32_t sequence; /* 0: unnumbered */
	const uint8_t *bytes;
	size_t size;
};

/*
 * The newest sign that a leader leads (PROTOCOL.md, Beacon); or, with leader
 * NODE_NONE, that the sender knows of no leader up to this term.
 */
struct beacon {
	uint64_t term;
	struct rank leader;
	uint64_t incarnation; /* the leader's */
	uint64_t number;      /* rises with every sign the leader gives */
	struct reason reason; /* of the leader's election */
	uint16_t hops;        /* nodes it was handed on by; to NODES_MAX */
	bool hands_over;   /* the leader leads only until there is another: */
	node_id successor; /* who is to begin its election; NODE_NONE: the
	                       * leader has begun it */
	bool is_named;     /* by an operator: the successor is to win it, too */
	bool is_leaving;   /* the leader is to end; or else it resigns */
};

/*
 * What the leader tells its followers of one another, in a cluster where they
 * do not watch each other: a bit for each node, in the order of their ids.
 */
#define MEMBERS_BYTES_MAX (2 + NODES_MAX / 8)

struct members {
	uint16_t agree;      /* so many follow the sender, itself too */
	size_t size;         /* of the bits, in bytes */
	const uint8_t *bits; /* borrowed: 1: the sender hears it, or is it */
};

/* What a dead process leaves: QUORUM: every term of its up to this one is given
 * up; 0: none. */
struct will {
	uint64_t term;
};

/* Each writes its part; the writer is the datagram's. */
void packet_head_encode(struct writer *w, const struct packet_head *h);
void handshake_encode(struct writer *w, const struct handshake *h);
void body_encode(struct writer *w, const struct body *b);
void frame_encode(struct writer *w, const struct packet_frame *f);
void beacon_encode(struct writer *w, const struct beacon *p);
void members_encode(struct writer *w, const struct members *members);
void will_encode(struct writer *w, const struct will *will);

/*
 * Each reads its part and checks the ranges of what it says; false if it is
 * none. Whom it is from and to, spare bytes and unknown flags of the head are
 * for the caller to judge.
 */
bool packet_head_decode(struct reader *r, struct packet_head *h);
bool handshake_decode(struct reader *r, struct handshake *h);
bool body_decode(struct reader *r, struct body *b);
bool frame_decode(struct reader *r, struct packet_frame *f);
bool beacon_decode(struct reader *r, struct beacon *p);
bool members_decode(struct reader *r, struct members *members);
bool will_decode(struct reader *r, struct will *will);

#endif
