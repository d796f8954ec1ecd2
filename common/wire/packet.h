/* SPDX-License-Identifier: ISC */
/*
 * The layout of a datagram (PROTOCOL.md, Wire format). The frames of the
 * algorithm, the voters, configurations, standbys and trees are in message.h,
 * vote.h, config_id.h, standby.h, label.h and group.h. Integers are big-endian.
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
 * Bytes 8 to 31 are the nonce of a session's datagram: unique, because no
 * number is used twice under one key. A handshake has a random nonce at byte
 * 48. This file knows layouts and no keys; seal.h knows keys.
 */
#ifndef ELECTD_COMMON_WIRE_PACKET_H
#define ELECTD_COMMON_WIRE_PACKET_H

#include "common/wire/config_id.h"
#include "common/wire/message.h"
#include "common/wire/seal.h"
#include "common/wire/standby.h"

/* The version of a handshake, for ever, and those that this release speaks in a
 * session (PROTOCOL.md, Versions). */
#define PACKET_VERSION_HANDSHAKE 2
#define PACKET_VERSION_MIN       7
#define PACKET_VERSION_MAX       7
#define PACKET_VERSIONS                                                        \
	{                                                                      \
		PACKET_VERSION_MIN, PACKET_VERSION_MAX                         \
	}

/* The version of a group datagram: its receivers may speak several. */
#define PACKET_VERSION_GROUP 7

#define PACKET_CLEAR_BYTES 32 /* authenticated, in clear */
#define PACKET_HEAD_BYTES  (PACKET_CLEAR_BYTES + SEAL_TAG_BYTES)
#define PACKET_NONCE_AT    8    /* offset of a session's nonce */
#define PACKET_MAX         1200 /* fits every path without fragments */
#define PACKET_SEALED_MAX  (PACKET_MAX - PACKET_HEAD_BYTES)

/* A HELLO is as long as its answer, so that nobody can amplify traffic. */
#define HANDSHAKE_BYTES        192
#define HANDSHAKE_SEALED_AT    (PACKET_HEAD_BYTES + SEAL_NONCE_BYTES)
#define HANDSHAKE_SEALED_BYTES (HANDSHAKE_BYTES - HANDSHAKE_SEALED_AT)

#define RESTARTS_MAX 7  /* a body has three bits for them */
#define BODY_BYTES   37 /* before the frames */
#define FRAME_BYTES  7  /* before a frame's own bytes */
#define BEACON_BYTES 45
#define TOKEN_BYTES  8

/*
 * A will is sealed beforehand, under a number that no other datagram of the
 * session ever has: wills count down from the highest number.
 */
#define WILL_BYTES        8
#define PACKET_WILL_BYTES (PACKET_HEAD_BYTES + WILL_BYTES)
#define WILL_NUMBERS      (UINT64_C(1) << 63) /* the lowest number of a will */

enum packet_type {
	PACKET_HELLO = 1,     /* asks for a session */
	PACKET_HELLO_ACK = 2, /* answers a HELLO, with a verdict */
	PACKET_SESSION = 3,   /* a body and frames: every heartbeat */
	/* 4 is not used. */
	PACKET_BYE = 5,  /* the same, and the process ends */
	PACKET_DIED = 6, /* a will, which the helper sends when the process has
			  * died */
	PACKET_ANNOUNCE = 7, /* announce.h; sealed as a HELLO is */
	PACKET_GROUP = 8,    /* group.h; sealed for several peers */
};

enum packet_flags {
	PACKET_PING = 1 << 0,   /* the receiver answers at once */
	PACKET_ANSWER = 1 << 1, /* a ping came since the sender's last one */
};

/* Bytes 0 to 31 of a datagram. */
struct packet_head {
	uint8_t version; /* PACKET_VERSION_HANDSHAKE, or the session's; > 0 */
	enum packet_type type;
	uint8_t key_id;       /* id of the cluster key; seal_key_id() */
	uint8_t flags;        /* enum packet_flags; the unknown are ignored */
	uint32_t cluster_tag; /* seal_cluster_tag() */
	node_id source;
	node_id destination;
	uint64_t incarnation; /* incarnation of the source */
	uint64_t number;      /* number of the datagram in its session and
			       * direction; from 0 */
};

/* The answer to a HELLO (PROTOCOL.md, Verdicts). */
enum verdict {
	VERDICT_WELCOME,   /* the session may begin */
	VERDICT_STALE,     /* `known` is a higher incarnation of the asker */
	VERDICT_DUPLICATE, /* another process with the asker's id is heard */
	VERDICT_DIFFERS,   /* the guarantee differs, or the settings do and
	                    * cannot be exchanged */
	VERDICT_OUTSIDE,   /* the asker is no node of the sender's
			    * configuration */
	VERDICT_VERSIONS,  /* no version is spoken by both */
	VERDICTS,
};

/* The versions that a node speaks: all from `min` to `max`. */
struct versions {
	uint8_t lowest; /* > 0 */
	uint8_t highest;
};

/* The sealed part of a HELLO or HELLO_ACK. */
struct handshake {
	uint8_t salt[SALT_BYTES];     /* the sender's, fresh for the session */
	uint8_t echo[SALT_BYTES];     /* ACK: the salt it answers; else zero */
	uint8_t instance[SALT_BYTES]; /* instance of the sender's process */
	struct config_id config_id;   /* the sender's */
	enum verdict verdict;         /* ACK */
	uint64_t known;               /* ACK, STALE: of the receiver */
	bool is_quorum;               /* the guarantee */
	bool exchanges;               /* the sender takes and gives documents */
	struct versions versions;     /* the versions that the sender speaks in
				       * a session */
	uint32_t release;             /* RELEASE() of the sender; 0: not told */
};

enum body_flags {
	BODY_HEARD = 1 << 0,       /* the sender hears the receiver */
	BODY_DUPLICATE = 1 << 1,   /* the receiver's id is in use twice */
	BODY_ELIGIBLE = 1 << 2,    /* the sender is eligible */
	BODY_CONTENDER = 1 << 3,   /* the sender is a contender */
	BODY_TAKES_RIGHT = 1 << 4, /* ring: the receiver is the sender's right
	                            * neighbour, or would be */
	BODY_TAKES_LEFT = 1 << 5,  /* ring: likewise, the left neighbour */
	BODY_BYPASSED = 1 << 6,    /* step over me */
	BODY_VOTES = 1 << 7,       /* quorum: the sender is able to vote */
};

/* Which heartbeats are wanted; the two ends of a session may differ in it. */
enum watch_flags {
	WATCH_WANTED = 1 << 0, /* the sender wants the receiver's */
	WATCH_GRANTED =
	    1 << 1, /* the receiver gets the sender's, as it wants */
	WATCH_REQUEST = 1 << 2, /* quorum, and not about heartbeats: the sender
	                         * requests votes, or hears a nominee that its
	                         * voter does not deny */
	WATCH_FLAGS = WATCH_WANTED | WATCH_GRANTED | WATCH_REQUEST,
};

/* The start of every datagram of a session. */
struct body {
	uint64_t incarnation;  /* the receiver's, as the sender knows it */
	uint32_t ack;          /* channel_ack_number() of the sender */
	uint32_t sack;         /* channel_sack_bits() of the sender */
	uint32_t timestamp;    /* the sender's clock, microseconds; never
				    * 0 */
	uint32_t echo;         /* the receiver's latest timestamp, plus the time
	                        * since it came in; 0: none yet */
	uint32_t heartbeat_us; /* between two heartbeats of the sender; > 0 */
	uint8_t watch;         /* enum watch_flags */
	uint8_t restarts;      /* recent restarts of the receiver, by the count
				* of the sender; at most RESTARTS_MAX */
	uint8_t flags;         /* enum body_flags */
	uint32_t config_tag;   /* config_tag() of the sender's */
	uint8_t second_key_id; /* id of the key that the sender accepts besides
				* the one in the head; the same: none */
	uint16_t frames_count; /* frames that follow the body */
};

/* The channel numbers messages; all other frames are unnumbered. */
enum frame_type {
	FRAME_MESSAGE = 1, /* message.h */
	FRAME_BEACON = 2,
	FRAME_VOTE_REQUEST = 3,  /* vote.h */
	FRAME_VOTE_RESPONSE = 4, /* vote.h */
	FRAME_RELEASE = 5,       /* vote.h */
	FRAME_LEASE_LEFT = 6,    /* vote.h */
	FRAME_MEMBERS = 7,
	/* 8 is not used. */
	FRAME_CONFIG = 9,       /* config_id.h */
	FRAME_ASK = 10,         /* config_id.h */
	FRAME_PIECE = 11,       /* config_id.h */
	FRAME_STANDBY = 12,     /* standby.h */
	FRAME_TREE = 13,        /* label.h */
	FRAME_GROUP_KEY = 14,   /* group.h */
	FRAME_GROUP_HEARD = 15, /* group.h */
	/* In a PACKET_GROUP alone: the numbers that a message has in the
	 * sessions with the receivers, 2 bytes each, and the message. */
	FRAME_SEVERAL = 16,
	FRAME_SNAPSHOT = 17, /* snapshot.h */
	FRAME_PULL = 18,     /* snapshot.h */
	FRAME_PULLED = 19,   /* snapshot.h */
	FRAME_TOKEN = 20,    /* the token of the beacon before it */
	FRAME_FILE = 21, /* the sender's host has an older file: a byte, 1 */
};

/* A frame of a datagram. */
struct packet_frame {
	uint8_t type;         /* enum frame_type */
	uint32_t sequence;    /* 0: unnumbered */
	const uint8_t *bytes; /* borrowed from the datagram */
	size_t size;          /* size of the bytes */
};

/*
 * The leader's newest sign of life (PROTOCOL.md, Beacon). With the leader
 * NODE_NONE the sender knows of no leader up to this term.
 */
struct beacon {
	uint64_t term;      /* term of the leader */
	struct rank leader; /* eligible, or id NODE_NONE */
	FILLER(4);
	uint64_t incarnation; /* the leader's; 0: not known yet */
	uint64_t number;      /* rises with every sign that the leader gives */
	struct reason reason; /* reason of the leader's election */
	uint16_t hops;        /* nodes that handed it on; at most NODES_MAX */
	bool hands_over;      /* the leader leads on until there is another */
	FILLER(1);
	node_id successor; /* hands_over: begins the election; NODE_NONE: the
	                       * leader has begun it */
	bool is_named;     /* hands_over: an operator named the successor,
	                       * which is to win */
	bool is_leaving;   /* hands_over: the leader ends; else it resigns */
	FILLER(6);
	uint64_t token; /* the term in which the leader began to lead,
	                       * without a gap since; 0: not known. It has a
	                       * frame of its own */
};

/* The bytes of a list of members, at most. */
#define MEMBERS_BYTES_MAX (2 + NODES_MAX / 8)

/*
 * The leader's list of members, in a cluster where followers do not watch each
 * other (PROTOCOL.md, Members).
 */
struct members {
	uint16_t agree;      /* nodes that follow the sender, itself too */
	size_t size;         /* bytes of the bits */
	const uint8_t *bits; /* a bit a node, by id; 1: the sender hears that
			      * node, or is that node; borrowed from the
			      * datagram */
};

/* The last will of a dead process. */
struct will {
	uint64_t term; /* quorum: it gave up its terms up to this; 0: none */
};

/* The version of a session between nodes that speak these; 0: there is none. */
uint8_t versions_common(const struct versions *a, const struct versions *b);

/* Each writes its part; the writer is the datagram's. */
void packet_head_encode(struct writer *w, const struct packet_head *h);
void handshake_encode(struct writer *w, const struct handshake *h);
void body_encode(struct writer *w, const struct body *b);
void frame_encode(struct writer *w, const struct packet_frame *f);
void beacon_encode(struct writer *w, const struct beacon *beacon);
void token_encode(struct writer *w, const struct beacon *beacon);
void members_encode(struct writer *w, const struct members *members);
void will_encode(struct writer *w, const struct will *will);

/*
 * Each reads its part and checks the range of every field. False if the bytes
 * are no such part: the result is then unspecified. The caller judges source
 * and destination; spare bytes and unknown flags of the head are ignored.
 */
bool packet_head_decode(struct reader *r, struct packet_head *h);
bool handshake_decode(struct reader *r, struct handshake *h);
bool body_decode(struct reader *r, struct body *b);
bool frame_decode(struct reader *r, struct packet_frame *f);
bool beacon_decode(struct reader *r, struct beacon *beacon);

/* Reads the token of this beacon. */
bool token_decode(struct reader *r, struct beacon *beacon);

/* The members are all bytes that are left. */
bool members_decode(struct reader *r, struct members *members);
bool will_decode(struct reader *r, struct will *will);

#endif
