/* SPDX-License-Identifier: ISC */
/*
 * Handshakes that make sessions (handshake.c; PROTOCOL.md, Handshake).
 */
#ifndef ELECTD_COMMON_NODE_WATCH_HANDSHAKE_H
#define ELECTD_COMMON_NODE_WATCH_HANDSHAKE_H

#include "common/node/node_parts.h"

/* What follows from a datagram of the handshake, or from one that confirms our
 * answer to a HELLO. */
enum handshake_outcome {
	HANDSHAKE_ENDS,    /* nothing */
	HANDSHAKE_BEGINS,  /* a session with the peer */
	HANDSHAKE_PROVES,  /* we prove by a datagram that we are alive */
	HANDSHAKE_REFUTES, /* we go above our incarnation that the peer knows */
};

/* The outcome, and what it needs. The caller wipes it. */
struct handshake_result {
	enum handshake_outcome outcome;
	struct session session;       /* BEGINS; PROVES: for that datagram */
	uint8_t instance[SALT_BYTES]; /* BEGINS: of the peer's process */
	uint64_t number; /* BEGINS: of the confirmed HELLO; 0: of an answer */
	uint64_t known;  /* REFUTES: our incarnation that the peer knows */
};

/* Builds our HELLO to a peer in `datagram`, which has room for HANDSHAKE_BYTES;
 * returns its size. A repeated HELLO keeps its salt and number. */
size_t handshake_build_hello(
    struct node *node, struct peer *p, uint8_t *datagram);

/* Makes these bytes, HANDSHAKE_BYTES at most, the answer to the datagram that
 * came in; it goes to where that came from. */
void handshake_reply(struct node *node, const uint8_t *bytes, size_t size);

/* Gives the answer as an ACTION_REPLY; false if none is due. */
bool handshake_take_reply(struct node *node, struct action *action);

/* No answer is due any more: nothing may leave. */
void handshake_drop_reply(struct node *node);

/* Takes a HELLO, any bytes; handshake_take_reply() has the answer. `is_away`:
 * it came from another address than the peer's. */
void handshake_take_hello(struct node *node, nsec_t now, struct peer *p,
    bool is_away, const struct packet_head *head, const uint8_t *bytes,
    size_t size);

/* Answers the HELLO of a node that our configuration does not name: OUTSIDE. */
void handshake_take_outsider(struct node *node, nsec_t now,
    const struct packet_head *head, const uint8_t *bytes, size_t size);

/* Takes a HELLO_ACK, any bytes: the peer answers our HELLO, or refuses our
 * answer to its own. `is_away`: as above. *result says what follows. */
void handshake_take_ack(struct node *node, nsec_t now, struct peer *p,
    bool is_away, const struct packet_head *head, const uint8_t *bytes,
    size_t size, struct handshake_result *result);

/* Opens a datagram under the keys of an offer of ours to this peer. Returns the
 * offer; NULL: none opens it. */
struct offer *handshake_open_offer(const struct node *node, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    uint8_t *plain);

/* What opens a will of this process of the peer, to which we have made an
 * offer; NULL if we have not. */
const struct opener *handshake_opener(
    const struct peer *p, uint64_t incarnation);

/* A datagram opened under the keys of `offer`, one of ours to this peer: does
 * what the offer's verdict says and wipes the offer. *result says what
 * follows. */
void handshake_confirm(struct node *node, nsec_t now, struct peer *p,
    struct offer *offer, struct handshake_result *result);

/* The session *made has begun: no offer begins another one. */
void handshake_begin(
    struct peer *p, const struct handshake_result *made, bool is_new_process);

/* All processes of the peer up to this incarnation are over: wipes our offer to
 * any of them. */
void handshake_bury(struct peer *p, uint64_t incarnation);

/* Says HELLO to this peer at once, and eagerly at first. */
void handshake_reset(struct peer *p, nsec_t now);

/* Forgets the handshake that is under way: the next HELLO is a new one. The
 * session stays. */
void handshake_start_anew(struct peer *p);

/* Wipes our offers to this peer: none of them begins a session any more. */
void handshake_forget_offers(struct peer *p);

/* Asserts every invariant of this part. */
void handshake_check(const struct peer *p);

#endif
