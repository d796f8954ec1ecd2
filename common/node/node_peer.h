/* SPDX-License-Identifier: ISC */
/*
 * What a node knows of one of its peers, for the files of common/node alone:
 * the keys agreed on, the link, what it said last, and what it is due.
 */
#ifndef ELECTD_COMMON_NODE_NODE_PEER_H
#define ELECTD_COMMON_NODE_NODE_PEER_H

#include "common/link/channel.h"
#include "common/link/detector.h"
#include "common/link/flaps.h"
#include "common/node/node.h"
#include "common/quorum/voter.h"
#include "common/wire/costs.h"
#include "common/wire/replay.h"
#include "common/wire/seal.h"

/* Keys agreed on with one process of a peer's. */
struct session {
	uint8_t send_key[KEY_BYTES];
	uint8_t receive_key[KEY_BYTES];
	uint64_t number;      /* of the next datagram */
	uint64_t wills;       /* sealed under it: numbered from the last */
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
	uint8_t their_salt[SALT_BYTES]; /* the same hello gets the same */
	uint8_t our_salt[SALT_BYTES];   /* answer, however often it comes */
	uint8_t instance[SALT_BYTES];
	struct session session;
};

/* What the host is to be told of datagrams dropped for one reason. */
struct drop_note {
	nsec_t at;      /* the last notice; 0: none yet */
	nsec_t gap;     /* the next comes so much later */
	uint64_t count; /* of datagrams, since then */
};

struct peer {
	struct peer_setup setup;
	unsigned index;

	uint64_t incarnation;         /* highest confirmed; 0: none */
	uint8_t instance[SALT_BYTES]; /* of that incarnation */
	uint64_t hello_seen;       /* the number of its last confirmed hello */
	uint64_t dead_incarnation; /* incarnations up to this are dead, */
	enum evidence gone_by;     /* by its goodbye, or its will */
	struct flaps restarts;     /* new processes of it, lately */
	uint64_t last_incarnation; /* of its last session, ended; 0: none: */
	uint8_t last_key[KEY_BYTES]; /* a will may come yet, under its key */
	bool has_session;
	struct session session;
	uint32_t session_name;  /* of it, or the last one, to the election */
	struct offer offer;     /* that welcomes */
	struct offer rejection; /* the last other one: it displaces no offer */
	uint64_t asked_incarnation; /* of the latest hello that was welcomed: */
	uint64_t asked_number;      /* its number, and its process; it need */
	uint8_t asked_instance[SALT_BYTES]; /* not have been confirmed */
	bool hello_is_out;                  /* ours, not answered yet */
	uint8_t hello_salt[SALT_BYTES];
	uint64_t hello_number; /* of ours: rises with each new salt */
	unsigned hello_tries;  /* since there was a session */
	nsec_t hello_at;       /* the next */
	nsec_t answer_at;      /* when answers are free of debt */
	nsec_t fresh_at;       /* likewise, answers to new hellos */
	nsec_t rejection_at;   /* likewise, answers that reject */

	struct channel channel;
	struct detector detector;
	bool is_watched; /* its heartbeats are wanted, */
	bool watches_us; /* and ours, as it says */
	bool is_doubted; /* given for dead, or back anew: watched until heard */
	bool is_missed;  /* the leader does not hear it */
	bool is_refused; /* its host said that nothing listens there, */
	bool is_refused_twice; /* and again when it was asked */
	nsec_t refused_at;     /* then, */
	nsec_t ask_at;         /* and it is asked once more then; NSEC_NEVER */
	unsigned place;        /* in the order of all ids */
	struct rank rank;      /* as last told */
	bool hears_us;
	bool is_up;             /* both ends hear each other */
	bool takes[RING_LINKS]; /* us for its successor, predecessor */
	bool is_aside;          /* it says so */
	bool taken[RING_LINKS]; /* what we tell it of these */
	bool told_aside;
	enum evidence evidence;
	nsec_t changed; /* when the link came or went; 0: never */
	uint32_t stamp; /* its latest, and when we took it; 0: none */
	nsec_t stamped;
	nsec_t arrived; /* and when it came: for delays alone, as it rests on */
			/* the time of day */
	nsec_t said_at; /* the last datagram to it */
	nsec_t silence; /* ours, longer than detection takes, before the last */
			/* of them; 0: it gave back a stamp of since then */
	unsigned number;   /* among the voters; VOTER_NONE */
	bool votes;        /* it says, in this session, that it is able to */
	bool denies;       /* our claim, the last time it answered */
	bool sees_request; /* it says that one is pending: quorum_awaits() */
	struct vote_request request; /* its latest; */
	nsec_t requested_at;         /* when it came in */
	bool is_waiting; /* it is to be granted when the promise is kept */
	struct vote_response vote; /* our answer */
	uint64_t moved_to;  /* the term that it has promised our successor */
	uint64_t told_term; /* whom it follows, as it says */
	node_id told_leader;
	bool differs;
	bool has_other_key;  /* its datagrams are not under ours, it seems, */
	bool other_key_told; /* and our host knows of it */
	unsigned other_key_hints; /* datagrams in a row that say so */
	nsec_t other_key_until;   /* they count up to then */
	struct drop_note other_key_note;
	nsec_t duplicate_until;
	bool duplicate_noted;

	bool hello_due;
	bool datagram_due;
	bool ping_due;
	bool request_due;
	bool vote_due;
	unsigned byes_due;
	bool will_due;    /* what the helper has is not as it should be */
	bool release_due; /* likewise, of what it may release */
	uint64_t sent;
	uint64_t received;
	struct drop_note drops[DROP_KINDS];
};

#endif
