/* SPDX-License-Identifier: ISC */
/*
 * Which peers are alive (liveness.c; PROTOCOL.md, Watching).
 */
#ifndef ELECTD_COMMON_NODE_LIVENESS_H
#define ELECTD_COMMON_NODE_LIVENESS_H

#include "common/node/node_parts.h"

/* Watches every peer, as at the begin of a session. */
void liveness_init(struct node *node);

/* The session has ended: forgets the heartbeats and refusals of the peer. */
void liveness_reset(struct peer *p);

/* True if this peer is next to us in a ring, tree or graph. */
bool liveness_is_neighbour(const struct node *node, const struct peer *p);

/* Decides for each peer that was touched whether we watch it, and tells it. */
void liveness_update(struct node *node);

/* With each round of heartbeats: without a leader, asks the next few of the
 * peers that we do not watch. */
void liveness_round(struct node *node);

/* Watches the peer until we hear it: something says that its process is over.
 * The caller touches the peer. */
void liveness_question(struct peer *p);

/* True if a peer that we watch was not heard yet since then, or is lost unless
 * we hear it within an interval. */
bool liveness_doubts(const struct node *node, nsec_t now, const struct peer *p);

/* When a peer that we ask will have answered or be lost; 0 if we ask it
 * nothing. */
nsec_t liveness_answer_at(const struct node *node, const struct peer *p);

/* Takes what a datagram of the peer says of watching. */
void liveness_hear(struct node *node, struct peer *p, unsigned flags);

/* The flags of a body that tell this peer the same of us. */
unsigned liveness_flags(const struct peer *p);

/* The size of the list of members in node->live.members, which is made once an
 * input; 0 if we have none to send. */
size_t liveness_members(struct node *node);

/* Takes the leader's list of members; ignores that of any other peer. */
void liveness_take_members(
    struct node *node, const struct peer *from, const struct members *members);

/* Hands on the leader's answer to the ping that we sent for others. */
void liveness_tell_answer(struct node *node, const struct peer *leader);

/* The host of the peer, which has a session, says by ICMP that nothing
 * listens. */
void liveness_take_refusal(struct node *node, nsec_t now, struct peer *p);

/* Asks a peer that refused us, when it is time. True if we believe its second
 * refusal now: it is over. */
bool liveness_tick_refusal(struct peer *p, nsec_t now);

/* True if the peer, which refused us, is our leader and no other node has heard
 * it since. */
bool liveness_is_leader_lost(const struct node *node, const struct peer *p);

/* The peer `from` has ceased to follow our leader: gives the leader if it
 * refused us as well, and is over; else NULL. */
struct peer *liveness_heed_refusals(struct node *node, const struct peer *from);

#endif
