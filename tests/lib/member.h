/* SPDX-License-Identifier: ISC */
/*
 * A member of the cluster that a test plays. It has the key, so it can shake
 * hands with a node, and then send under the session's seal what no honest node
 * would.
 */
#ifndef ELECTD_TESTS_LIB_MEMBER_H
#define ELECTD_TESTS_LIB_MEMBER_H

#include "common/node/node.h"
#include "common/util/peer_set.h"
#include "common/wire/announce.h"
#include "common/wire/group.h"
#include "common/wire/label.h"
#include "common/wire/packet.h"
#include "common/wire/vote.h"

/* A will, as a node's helper has it. */
struct kept_will {
	size_t size; /* 0: none */
	uint8_t bytes[PACKET_WILL_BYTES];
	unsigned count; /* of the wills that were not void, up to this one */
	unsigned place; /* its turn among all wills that went out */
};

/* What the node's last datagram had, without messages, and how often it had
 * that so far. */
struct said {
	bool has_request, has_vote, has_release, has_lease_left;
	struct vote_request request;
	struct vote_response vote;
	struct release release;
	struct lease_left lease_left;
	struct beacon beacon; /* term 0: none */
	unsigned requests, votes, releases;
};

struct member {
	node_id id;
	node_id to; /* the node it talks to */
	uint64_t incarnation;
	uint32_t cluster_tag;
	uint8_t key[KEY_BYTES];
	struct config_id config_id;
	struct versions versions; /* that it says it speaks */
	bool is_quorum;           /* the guarantee */
	bool exchanges;           /* says that it takes and gives documents */
	bool is_voting;           /* says that it is able to vote */
	bool is_abstaining;       /* says that it abstains */
	bool is_denouncing;       /* says that the node's id is in use twice */
	uint8_t instance[SALT_BYTES];
	uint64_t drawn;  /* salts and nonces */
	uint64_t hellos; /* number of the last hello */

	uint8_t salt[SALT_BYTES];            /* of our last hello or answer */
	uint64_t their_incarnation;          /* of the node, or 0 */
	uint8_t their_challenge[SALT_BYTES]; /* of the node's announcement */
	struct announce announced;           /* the last of the node */
	uint8_t their_salt[SALT_BYTES];      /* of the node's last hello */
	bool was_greeted;                    /* the node has sent a hello */
	struct handshake greeting;           /* the node's last hello */
	uint64_t greeting_number;            /* its packet number */
	struct handshake answer;             /* the node's last to us */
	unsigned answers;

	bool has_session;
	uint8_t send_key[KEY_BYTES];
	uint8_t receive_key[KEY_BYTES];
	uint8_t version; /* of our datagrams; of the node's last */
	uint8_t heard_version;
	bool is_pinged;    /* a ping came since our last datagram */
	uint64_t number;   /* of our next datagram */
	uint32_t sequence; /* of our last message */
	uint32_t ack;      /* messages of the node that came, in order */
	uint32_t tag;      /* of the configuration of the last of them */
	struct body heard; /* the node's last body */
	struct said said;
	unsigned goodbyes; /* of the node, so far */
	unsigned wills;    /* of ours, so far */

	/* The node's last, and how many came. */
	struct config_advert told;
	struct config_ask ask;
	struct config_piece piece; /* borrows from piece_bytes */
	uint8_t piece_bytes[PIECE_MAX];
	unsigned tolds, asks, pieces;
	unsigned standbys;     /* frames that say that the node is on standby */
	unsigned files;        /* frames that tell of an older file */
	struct tree_word tree; /* the node's last */
	unsigned trees;        /* frames of the tree so far */

	/* The group: our own key and the number of our next group datagram; the
	 * key that the node told, how often, and its group datagrams that we
	 * opened. */
	uint8_t group_key[KEY_BYTES];
	uint64_t group_number;
	struct group_key their_group;
	struct group_heard group_heard;
	unsigned group_keys, group_heards;
	uint64_t their_group_number; /* of its last group datagram */
	unsigned groups;             /* that we opened */
	uint32_t group_echo;         /* of the last that had us as receiver */
	unsigned groups_for_us, severals;
	struct lease_left group_left; /* of the last group datagram */
};

/* Makes a new process of `id`, which will talk to node `to` of cluster "web".
 */
void member_init(
    struct member *m, node_id id, node_id to, const uint8_t key[KEY_BYTES]);

/*
 * Each writes one datagram, of at most PACKET_MAX bytes, and gives its size: a
 * hello with a new salt; an answer to the node's last hello, which begins a
 * session; any handshake at all, with our versions.
 */
size_t member_hello(struct member *m, uint8_t *datagram);
size_t member_welcome(struct member *m, uint8_t *datagram);
size_t member_handshake(struct member *m, enum packet_type type,
    const struct handshake *h, uint8_t *datagram);

/* Likewise an announcement. */
size_t member_announce(
    struct member *m, const struct announce *a, uint8_t *datagram);

/* Seals any bytes, at most PACKET_SEALED_MAX, under the session's key. */
size_t member_seal(struct member *m, enum packet_type type, uint8_t flags,
    const uint8_t *plain, size_t size, uint8_t *datagram);

/* Makes the body that an honest node would send now, without frames. */
struct body member_body(const struct member *m, nsec_t now);

/* Seals a body and its frames, which are `size` bytes. Answers a ping. */
size_t member_say(struct member *m, const struct body *body,
    const uint8_t *frames, size_t size, uint8_t *datagram);

/* Makes the frame of the next message of the algorithm, with our tag. */
void member_write_message(
    struct member *m, struct writer *w, const struct message *message);

/* Makes the frame of a report; the report that the member itself leads; and
 * the word that its lease ends so long after the node's last datagram. */
void member_write_beacon(struct writer *w, const struct beacon *beacon);
struct beacon member_beacon(
    const struct member *m, uint64_t term, uint64_t number);
struct lease_left member_lease_left(const struct member *m, nsec_t valid);

/* Each makes a frame of configurations. */
void member_write_told(struct writer *w, const struct config_advert *told);
void member_write_ask(struct writer *w, const struct config_ask *ask);
void member_write_piece(struct writer *w, const struct config_piece *piece);

/* Makes the frame of a virtual tree. */
void member_write_tree(struct writer *w, const struct tree_word *word);

/* Each makes a frame of groups. */
void member_write_group_key(struct writer *w, const struct group_key *key);
void member_write_group_heard(
    struct writer *w, const struct group_heard *heard);

/* Makes the body of a group datagram that an honest node would send now, with
 * the node at `place` of 0 to 7 as its only receiver. */
struct group_body member_group_body(
    const struct member *m, nsec_t now, unsigned place);

/* Seals any bytes, or a body and its frames, under our group's key. */
size_t member_seal_group(struct member *m, uint8_t flags, const uint8_t *plain,
    size_t size, uint8_t *datagram);
size_t member_say_group(struct member *m, const struct group_body *body,
    const uint8_t *frames, size_t size, uint8_t *datagram);

/*
 * Makes the will that says that the member is dead: PACKET_WILL_BYTES, which
 * give up its terms up to this one. The numbers of wills go down from
 * UINT64_MAX.
 */
size_t member_will(
    struct member *m, uint64_t number, uint64_t term, uint8_t *datagram);

/* Puts the will of a node's ACTION_WILL in the place of the last one. */
void kept_will_take(struct kept_will *will, const struct action *a);

/* Opens a will of the node's; false: this is no will of this session. */
bool member_hear_will(const struct member *m, const uint8_t *bytes, size_t size,
    struct packet_head *head, struct will *will);

/* True if the action sends a datagram to a peer. */
bool member_is_addressed(const struct action *a);

/* Takes a datagram of the node's; false: the member cannot make sense of it. */
bool member_hear(struct member *m, const uint8_t *bytes, size_t size);

#endif
