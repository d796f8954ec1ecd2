/* SPDX-License-Identifier: ISC */
/*
 * A member of the cluster that a test plays: it has the key, so it can shake
 * hands with a node, and then say under the session's seal what no honest
 * node would.
 */
#ifndef ELECTD_TESTS_LIB_MEMBER_H
#define ELECTD_TESTS_LIB_MEMBER_H

#include "common/node/node.h"
#include "common/util/peer_set.h"
#include "common/wire/costs.h"
#include "common/wire/packet.h"

/* A will, as a node's helper has it. */
struct kept_will {
	size_t size; /* 0: none */
	uint8_t bytes[PACKET_WILL_BYTES];
	unsigned count; /* of those before that were not void, and this one */
	unsigned place; /* in the order in which wills go out */
};

struct member {
	node_id id;
	node_id to; /* the node it talks to */
	uint64_t incarnation;
	uint32_t cluster_tag;
	uint8_t key[KEY_BYTES];
	uint8_t digest[SALT_BYTES];
	uint8_t instance[SALT_BYTES];
	uint64_t drawn;  /* salts and nonces */
	uint64_t hellos; /* said: the number of the last */

	uint8_t salt[SALT_BYTES];       /* of our last hello or answer */
	uint64_t their_incarnation;     /* as the node says, once it has */
	uint8_t their_salt[SALT_BYTES]; /* of its last hello */
	bool was_greeted;               /* there was one */
	struct handshake answer;        /* its last, to a hello of ours */
	unsigned answers;

	bool has_session;
	uint8_t send_key[KEY_BYTES];
	uint8_t receive_key[KEY_BYTES];
	uint64_t number;      /* of the next datagram */
	uint32_t sequence;    /* of the last message of ours */
	uint32_t ack;         /* messages of the node's that came, in order */
	struct body heard;    /* the last body of the node's */
	struct beacon beacon; /* and the last beacon; term 0: none */
	struct cost_report report; /* and the last report; term 0: none */
	unsigned reports;          /* frames with a report so far */
	struct peer_set reported;  /* the nodes below NODES_MAX in these */
};

/* A new process `id` that will talk to node `to` of cluster "web". */
void member_init(
    struct member *m, node_id id, node_id to, const uint8_t key[KEY_BYTES]);

/*
 * Each writes one datagram, of at most PACKET_MAX bytes, and gives its size:
 * a hello with a new salt; an answer to the node's last hello, after which
 * there is a session; any handshake at all.
 */
size_t member_hello(struct member *m, uint8_t *datagram);
size_t member_welcome(struct member *m, uint8_t *datagram);
size_t member_handshake(struct member *m, enum packet_type type,
    const struct handshake *h, uint8_t *datagram);

/* Any bytes, at most PACKET_SEALED_MAX, sealed under the session. */
size_t member_seal(struct member *m, enum packet_type type, uint8_t flags,
    const uint8_t *plain, size_t size, uint8_t *datagram);

/* What an honest body would be now, with no frames. */
struct body member_body(const struct member *m, nsec_t now);

/* A body and frames, which are `size` bytes, sealed. */
size_t member_say(struct member *m, const struct body *body,
    const uint8_t *frames, size_t size, uint8_t *datagram);

/* The frame of a message of the algorithm, the next in order. */
void member_write_message(
    struct member *m, struct writer *w, const struct message *message);

/* The frame of a report. */
void member_write_report(struct writer *w, const struct cost_report *report);
void member_write_beacon(struct writer *w, const struct beacon *beacon);

/*
 * What is to be said of the member once it is dead: PACKET_WILL_BYTES, that
 * give up its terms up to this one. Numbers are counted from UINT64_MAX down.
 */
size_t member_will(
    struct member *m, uint64_t number, uint64_t term, uint8_t *datagram);

/* A node's ACTION_WILL replaces the one of before. */
void kept_will_take(struct kept_will *will, const struct action *a);

/* Opens a will of the node's; false: it is none, of this session. */
bool member_hear_will(const struct member *m, const uint8_t *bytes, size_t size,
    struct packet_head *head, struct will *will);

/* Takes a datagram of the node's. False if it makes no sense to the member. */
bool member_hear(struct member *m, const uint8_t *bytes, size_t size);

#endif
