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
#include "common/node/node.h"
#include "common/quorum/voter.h"
#include "common/wire/costs.h"
#include "common/wire/replay.h"
#include "common/wire/seal.h"

/* Keys agreed on with one process of a peer. */
struct session {
	uint8_t send_key[KEY_BYTES];
	uint8_t receive_key[KEY_BYTES];
	uint64_t number;      /* of the next datagram */
	uint64_t wills;       /* wills sealed: they count down from the top */
	uint64_t incarnation; /* the peer's */
	struct replay replay;
};

/*
 * What we answered to a peer's hello. It replaces nothing until a datagram
 * under its keys shows that the hello was no replay: confirm before replace.
 */
struct offer {
	bool is_made;
	uint64_t number;  /* of the hello */
	bool is_stranger; /* made to another address than the peer's */
	enum verdict verdict;
	uint8_t their_salt[SALT_BYTES]; /* the same hello gets ... */
	uint8_t our_salt[SALT_BYTES];   /* ... the same answer each time */
	uint8_t instance[SALT_BYTES];
	struct session session;
};

/* When the host was told of datagrams that were dropped for one reason. */
struct drop_note {
	nsec_t at;      /* of the last notice; 0: there was none */
	nsec_t gap;     /* from that notice to the next, at least */
	uint64_t count; /* datagrams since the last notice */
};

/* The peer's processes, one after the other (handshake.c). */
struct peer_process {
	uint64_t incarnation;         /* the highest confirmed; 0: none */
	uint8_t instance[SALT_BYTES]; /* of that incarnation */
	uint64_t dead_incarnation;    /* all up to this one have ended */
	enum evidence ended_by;       /* a goodbye, or a will */
	struct flaps restarts;        /* new processes lately */
	nsec_t duplicate_until;       /* until then its id is in use twice */
	bool duplicate_noted;         /* the host knows of that */
	bool differs;                 /* its cluster-wide settings do */
};

/* The handshake (handshake.c). */
struct peer_hello {
	bool is_due;
	bool is_out;              /* ours waits for its answer */
	uint8_t salt[SALT_BYTES]; /* of ours */
	uint64_t number;          /* of ours: rises with each new salt */
	unsigned tries;           /* since the last session */
	nsec_t at;                /* when the next is due */

	uint64_t seen; /* the number of the peer's last confirmed hello */
	/* The latest hello that was welcome, confirmed or not. */
	uint64_t asked_incarnation;
	uint64_t asked_number;
	uint8_t asked_instance[SALT_BYTES];
	struct offer offer;     /* the last answer that welcomes */
	struct offer rejection; /* the last other one: displaces no offer */

	/* When there is no debt, for each limit on answers. */
	nsec_t answer_at;    /* to hellos said again */
	nsec_t fresh_at;     /* to new hellos */
	nsec_t rejection_at; /* that reject */
};

/* Whether the peer is alive (liveness.c, timers.c). */
struct peer_liveness {
	struct detector detector;
	bool is_watched;       /* we want its heartbeats */
	bool watches_us;       /* it wants ours */
	bool is_doubted;       /* watched until it is heard */
	bool is_missed;        /* the leader does not hear it */
	bool is_refused;       /* its host said that nothing listens there */
	bool is_refused_twice; /* and said so again when we asked */
	nsec_t refused_at;     /* the first time */
	nsec_t ask_at;         /* we ask, or believe it; NSEC_NEVER */
};

/* When we last spoke to each other (receive.c, send.c). */
struct peer_stamps {
	uint32_t stamp; /* its latest; 0: none */
	nsec_t stamped; /* when we took that stamp */
	nsec_t arrived; /* when it came: for delays alone, as it rests on the
	                 * time of day */
	nsec_t said_at; /* our last datagram to it */
	nsec_t silence; /* our last silence that was longer than a detection;
	                 * 0: it gave back a stamp of since then */
};

/* Both sides of a vote, under the guarantee "quorum" (voting.c,
 * candidate.c). */
struct peer_voting {
	unsigned number; /* among the voters; VOTER_NONE */
	bool votes;      /* it says in this session that it is able to */
	/* As a nominee. */
	bool sees_request; /* it says that one is pending: quorum_awaits() */
	struct vote_request request; /* its latest */
	nsec_t requested_at;         /* when that came in */
	bool is_waiting; /* we grant it once our promise is durable */
	struct vote_response response; /* ours to that request */
	bool response_due;
	/* As a voter. */
	bool request_due;  /* ours */
	bool denies;       /* our request, in its last answer */
	uint64_t moved_to; /* the term that it has promised our successor */
};

/* A ring's links, by enum ring_link (ring.c). */
struct peer_ring {
	bool takes[RING_LINKS]; /* it takes us for its neighbour */
	bool taken[RING_LINKS]; /* what we tell it of the same */
	bool is_bypassed;       /* it says that it is */
	bool told_bypassed;     /* what we tell it of the same */
};

/* Whether the peer seems to have another key: a hint (drop.c). */
struct peer_other_key {
	bool is_seen;
	bool is_told;   /* the host knows */
	unsigned hints; /* datagrams in a row that say so */
	nsec_t until;   /* hints count up to then */
	struct drop_note note;
};

/* The last wills that the helper has for this peer, and the peer's own
 * (lastwill.c). */
struct peer_will {
	bool died_due;    /* the one that says "died" is to be sealed anew */
	bool release_due; /* the one that also gives up a term */
	/* Of the last session that ended: a will under its key may yet come. */
	uint64_t last_incarnation; /* 0: there was none */
	uint8_t last_key[KEY_BYTES];
};

/* What we owe the peer (send.c). */
struct peer_due {
	bool datagram;
	bool ping;     /* with a datagram */
	unsigned byes; /* goodbyes */
};

/* Which leader the peer says that it follows. */
struct peer_told {
	uint64_t term;
	node_id leader; /* NODE_NONE: none */
};

struct peer {
	struct peer_setup setup;
	unsigned index; /* in node->peers */
	unsigned place; /* in the order of all ids */
	struct peer_process process;
	struct peer_hello hello;

	bool has_session;
	struct session session;
	uint32_t session_name; /* names it, or the last one, to the election */
	struct channel channel;
	struct peer_stamps stamps;
	struct peer_due due;

	bool hears_us;
	bool is_up;             /* both ends hear each other */
	enum evidence evidence; /* why it went down last */
	nsec_t changed;         /* when `is_up` did; 0: never */
	struct peer_liveness live;

	struct rank rank; /* as last told */
	struct peer_told told;
	struct peer_voting voting;
	struct peer_ring ring;
	struct peer_will will;
	struct peer_other_key other_key;

	uint64_t sent;
	uint64_t received;
	struct drop_note drops[DROP_KINDS];
};

#endif
