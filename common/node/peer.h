/* SPDX-License-Identifier: ISC */
/*
 * What a node knows of one of its peers, for the files of common/node alone.
 * Each concern of the node has a struct of its own here; the file that is named
 * with it is the one that keeps it.
 */
#ifndef ELECTD_COMMON_NODE_PEER_H
#define ELECTD_COMMON_NODE_PEER_H

#include "common/link/channel.h"
#include "common/link/detector.h"
#include "common/link/flaps.h"
#include "common/link/replay.h"
#include "common/node/node.h"
#include "common/quorum/voter.h"
#include "common/wire/seal.h"
#include "common/wire/snapshot.h"

/* What opens the datagrams and wills of a process of a peer. */
struct opener {
	uint8_t key[KEY_BYTES];
	uint8_t version; /* of them all, as of the session; 0: of none */
};

/* Keys agreed on with one process of a peer (session.c). */
struct session {
	uint8_t send_key[KEY_BYTES];
	struct opener opener; /* its version is also that of what we send */
	uint64_t number;      /* of the next datagram that we send */
	uint64_t wills; /* wills sealed; their numbers count down from 2^64-1 */
	uint64_t incarnation; /* of the peer's process */
	uint32_t release;     /* of the peer's program; 0: not told */
	uint64_t name;        /* the same at both ends; tells no key */
	struct replay replay;
};

/*
 * Our answer to a HELLO of the peer. It replaces nothing until a datagram under
 * its keys shows that the HELLO was no replay (PROTOCOL.md, Handshake).
 */
struct offer {
	bool is_made;
	uint64_t number; /* of the HELLO */
	enum verdict verdict;
	uint8_t their_salt[SALT_BYTES]; /* in the HELLO that we answer */
	uint8_t our_salt[SALT_BYTES]; /* ours: a repeated HELLO gets the same */
	uint8_t instance[SALT_BYTES];
	struct session session;
};

/* When we told the host of datagrams dropped for one reason. */
struct drop_note {
	nsec_t at;      /* when the last notice was; 0: never */
	nsec_t gap;     /* the next notice comes this much later at least */
	uint64_t count; /* datagrams since the last notice */
};

/* What keeps a process of the peer from a session with us. */
enum mismatch {
	MISMATCH_NONE,
	MISMATCH_SETTINGS, /* its cluster-wide settings differ from ours */
	MISMATCH_VERSIONS, /* there is no version that both speak */
};

/* The peer's processes, one after another (process.c). */
struct peer_process {
	uint64_t incarnation;         /* the highest confirmed; 0: none */
	uint8_t instance[SALT_BYTES]; /* of that incarnation */
	uint64_t dead_incarnation;    /* all up to this one are over; 0: none */
	enum evidence ended_by;       /* EVIDENCE_BYE or EVIDENCE_DIED */
	struct flaps restarts;        /* new processes after those that died */
	nsec_t duplicate_until; /* until then its id counts as in use twice */
	bool duplicate_noted;   /* the host was told of that */
	enum mismatch mismatch; /* why it said that it cannot join us */
};

/* When we say HELLO to the peer (hello.c). */
struct peer_hello {
	bool is_due;    /* our HELLO is to be sent */
	unsigned tries; /* HELLOs since the last session */
	nsec_t at;      /* when our next HELLO is due */
};

/* The handshake (handshake.c). */
struct peer_handshake {
	bool is_out;              /* our HELLO waits for its answer */
	uint8_t salt[SALT_BYTES]; /* of our HELLO */
	uint64_t number;          /* of our HELLO */

	uint64_t seen; /* number of the peer's last confirmed HELLO */
	/* The peer's latest HELLO that was welcome, confirmed or not. */
	uint64_t asked_incarnation;
	uint64_t asked_number;
	uint8_t asked_instance[SALT_BYTES];
	struct offer offer;     /* our last answer that welcomes */
	struct offer rejection; /* our last other answer */

	/* For each limit on answers, when its bucket is empty. */
	nsec_t answer_at;    /* answers to repeated HELLOs */
	nsec_t fresh_at;     /* answers to new HELLOs */
	nsec_t rejection_at; /* rejections */
};

/* The link with the peer (node.c, receive.c; init.c). All read it. */
struct peer_link {
	bool hears_us;          /* the peer says so */
	bool is_up;             /* both ends hear each other */
	enum evidence evidence; /* why it went down last */
	nsec_t changed;         /* when `is_up` did; 0: never */
	nsec_t sought; /* since when our settings name it as a neighbour */
	uint32_t session_name; /* of the present or last session */
};

/* Steps of a refusal, one after the other. */
enum refusal {
	REFUSAL_NONE,   /* no ICMP error has come that counts */
	REFUSAL_FIRST,  /* one has: nothing listens there; we wait */
	REFUSAL_PINGED, /* we have pinged the peer */
	REFUSAL_SECOND, /* an error has come instead of the answer; we wait */
};

/* ICMP errors that come instead of the peer's answers (refusal.c). */
struct peer_refusal {
	enum refusal step;
	nsec_t first_at; /* when the last REFUSAL_FIRST began; 0: never */
	nsec_t at;       /* when the wait is over; NSEC_NEVER: we do not wait */
};

/* The leader that a datagram named. */
struct peer_told {
	uint64_t term;
	node_id leader; /* NODE_NONE: none */
	FILLER(4);
};

/* Whether the peer is alive (liveness.c). Two doubts may come together: each
 * alone is a reason to watch the peer. */
struct peer_liveness {
	bool is_watched; /* we want its heartbeats */
	bool watches_us; /* the peer wants our heartbeats */
	bool is_doubted; /* first doubt: perhaps over, until it is heard */
	bool is_missed;  /* second one: the leader's list lacks it */
	struct peer_told told; /* the leader that its last datagram named */
};

/* When we last spoke to each other (timestamps.c). */
struct peer_timestamps {
	uint32_t timestamp; /* the peer's latest timestamp; 0: none */
	nsec_t timestamped; /* when we took that timestamp */
	nsec_t arrived;  /* when that datagram arrived: only for delays, as it
	                 * is derived from the time of day */
	nsec_t answered; /* when we sent a ping that it has answered, or the
	                  * session began; like `arrived` */
	nsec_t said_at;  /* when we sent it our last datagram */
	nsec_t silence;  /* our last silence above a detection; 0: the peer has
	                 * given back a timestamp from after it */
};

/* The peer as one of the voters (voters.c). */
struct peer_voter {
	unsigned number;   /* among the voters; VOTER_NONE */
	bool votes;        /* the peer says that it is able to vote */
	bool sees_request; /* the peer says that a vote request is pending */
};

/* The peer as a nominee, which our voter answers (voting.c). */
struct peer_nominee {
	struct vote_request request; /* the peer's latest vote request */
	nsec_t requested_at;         /* when `request` came in */
	uint64_t released; /* the peer has given up its terms up to this one */
	bool is_waiting;   /* we grant it once our promise is durable */
	struct vote_response response; /* ours to that request */
	bool response_due;             /* `response` is to be sent */
	bool is_rival; /* it asked in vain while another node held the lease,
	                * and that did not hand over */
};

/* The peer's vote on our own request (nominee.c). */
struct peer_ballot {
	bool request_due; /* our vote request is to be sent */
	bool denies;      /* the peer's last response denied our request */
	FILLER(6);
	uint64_t promised; /* the highest term that it has promised another
	                    * node since we hand over */
};

/* What we and the peer say of the ring, by enum ring_link (ring.c). */
struct peer_ring {
	bool takes[RING_LINKS]; /* as a neighbour, the peer us */
	bool taken[RING_LINKS]; /* as a neighbour, we the peer */
	bool is_bypassed;       /* the peer says that it is bypassed */
	bool told_bypassed;     /* we tell it that we are bypassed */
};

/* The ids of the peer's keys, as it tells them (keys.c). */
struct peer_keys {
	bool are_known; /* the peer has told them in this session */
	uint8_t first;  /* of the key that it seals with */
	uint8_t second; /* of the key that it accepts besides; `first`: none */
};

/* The peer's configuration of the shared settings (configs.c). */
struct peer_config {
	bool is_known;   /* the peer has told its tag in this session */
	uint32_t tag;    /* of its configuration */
	uint64_t number; /* of the datagram that told it */
	bool denies;     /* its voter denies us: our configuration does not
			  * follow its configuration, and we cannot take that */
	bool is_asked;   /* the peer waits for a piece of our document */
	struct config_ask asked; /* that piece */
	bool is_removed; /* the next configuration does not name it, and we have
	                  * still to tell it so */
};

/* Whether the peer is on standby (standby.c). */
struct peer_standby {
	struct standby told; /* what the peer said last, as of `at` */
	bool has_older_file; /* the file of the peer's host is older, at `at` */
	nsec_t at;
	uint32_t session_name; /* of the session that said it; 0: none has */
	uint64_t number;       /* of its datagram in that session */
};

/* The peer said that its configuration does not name us (outside.c). */
struct peer_outside {
	nsec_t until;            /* that counts till then */
	bool is_later;           /* the peer's is later than ours */
	uint32_t config_version; /* of its configuration */
};

/* Hints that the peer has another key. */
struct peer_other_key {
	bool is_seen;   /* there are enough hints */
	bool is_told;   /* the host was told */
	unsigned hints; /* datagrams in a row that hint at it */
	nsec_t until;   /* hints count until then */
	struct drop_note note;
};

/* Datagrams of the peer that we dropped (drop.c). */
struct peer_drops {
	struct drop_note notes[DROP_KINDS];
	struct peer_other_key other_key;
};

/* Our last wills to the peer, and the key to its own (lastwill.c). */
struct peer_will {
	bool died_due;    /* the plain one is to be sealed anew */
	bool release_due; /* the releasing one is to be sealed anew */
	/* The peer of the last session that ended: a will under the key of that
	 * session may yet come. */
	uint64_t last_incarnation; /* 0: there was none */
	struct opener last_opener;
};

/* What we and the peer send to several peers at once (group.c). */
struct peer_group {
	/* What the peer sends. */
	bool has_key; /* the peer has told its key in this session */
	uint8_t key[KEY_BYTES];
	uint64_t first; /* no lower number counts */
	nsec_t key_at;  /* when it last told that */
	uint64_t heard; /* the latest that we took, */
	uint8_t run;    /* taken in a row up to that; UINT8_MAX: or more */
	uint16_t word;  /* group_word() of the latest session's body */
	uint64_t word_number; /* of that datagram */
	nsec_t served_at;     /* when it last had us as a receiver; 0: never */
	uint64_t served;      /* the number of that datagram */
	nsec_t unicast_at;    /* when its last unicast came; 0: never */
	bool knows_pause;     /* as the leader, it was told that we pause */
	nsec_t answer_at;     /* we tell it that we hear it not before */
	/* What we send. */
	bool has_answered; /* the peer has our key */
	nsec_t sent_at;    /* the last datagram of the session; 0: none */
	nsec_t key_told;   /* when we last told it */
	uint64_t told;     /* the latest of ours that it says it took */
	bool hears_us;     /* the peer takes what we send to the group */
	uint32_t sequence; /* of the last message to several, in its
			    * session; 0: none */
};

#define SNAPSHOTS_MAX 8 /* initiators in a few seconds */

/* What our part of a snapshot has of the peer (snapshot.c). */
struct peer_snapshot {
	/* The session at our record, or one that began before our part was
	 * complete: as in struct snapshot_channel. */
	uint64_t session;
	uint32_t sent;
	uint32_t delivered;
	uint32_t marker; /* ours, by its number in the present session; 0: the
	                  * peer gets none; UINT32_MAX: there was no room */
	uint8_t stage;   /* enum channel_stage */
	bool is_up;
	bool is_listed; /* there was such a session */
	FILLER(1);
};

/* Snapshots as they concern the peer (snapshot.c). */
struct peer_snapshots {
	struct peer_snapshot parts[SNAPSHOTS_MAX];
	uint32_t marker; /* the last of all; 0: none in this session */
};

/* Pulls that come from the peer (pulls.c). */
struct peer_pulls {
	nsec_t empty_at; /* when the bucket of them is empty */
};

/* What is due to the peer (peers.c). */
struct peer_due {
	bool datagram; /* any datagram of the session */
	bool ping;     /* a datagram with the flag PING */
	bool answer;   /* one with the flag ANSWER */
	FILLER(1);
	unsigned byes; /* datagrams of type BYE */
};

/* Datagrams, for the status (receive.c, send.c, status.c). */
struct peer_traffic {
	uint64_t sent;
	uint64_t received;
};

/*
 * A peer. All read the fields that are no parts; these files write them: init.c
 * and node.c, peers.c for its places, receive.c for what a datagram says,
 * handover.c for a leader that hands over, liveness.c for its detector.
 */
struct peer {
	struct peer_setup setup;
	unsigned index; /* in node->peers */
	unsigned place; /* in the order of all ids */
	struct peer_process process;
	struct peer_hello hello;
	struct peer_handshake handshake;

	bool has_session;
	struct session session;
	struct channel channel;
	struct detector detector;
	struct peer_timestamps timestamps;
	struct peer_due due;

	struct peer_link link;
	struct peer_liveness live;
	struct peer_refusal refusal;

	struct rank rank; /* as the peer told it last */
	struct peer_voter voter;
	struct peer_nominee nominee;
	struct peer_ballot ballot;
	struct peer_ring ring;
	struct peer_config config;
	struct peer_standby standby;
	struct peer_outside outside;
	struct peer_keys keys;
	struct peer_will will;
	struct peer_group group;
	struct peer_snapshots snapshots;
	struct peer_pulls pulls;
	struct peer_drops drops;
	struct peer_traffic traffic;
};

#endif
