/* SPDX-License-Identifier: ISC */
/*
 * Which peers are alive (liveness.c; PROTOCOL.md, Watching).
 */
#ifndef ELECTD_COMMON_NODE_WATCH_LIVENESS_H
#define ELECTD_COMMON_NODE_WATCH_LIVENESS_H

#include "common/node/node_parts.h"

/* The peers are others: watches them as at a start, but goes on with those
 * that have a session. */
void liveness_change(struct node *node);

/* Watches every peer, as at the begin of a session. */
void liveness_init(struct node *node);

/* The session has ended: forgets the refusals of the peer, our doubts, and whom
 * it named as the leader. */
void liveness_reset(struct peer *p);

/* An input begins: our list of members is to be made anew. */
void liveness_on_input(struct node *node);

/* A link has come up or gone down: chooses anew whom to watch. */
void liveness_on_link(struct node *node);

/* We follow a new leader: forgets how many nodes followed the last one. */
void liveness_on_leader(struct node *node);

/* True if this peer is next to us in a ring, tree or graph. */
bool liveness_is_neighbour(const struct node *node, const struct peer *p);

/* Decides for each peer that was touched whether we watch it, and tells it. */
void liveness_update(struct node *node);

/* With each round of heartbeats: without a leader, asks the next few of the
 * peers that we do not watch. */
void liveness_round(struct node *node, nsec_t now);

/* Watches the peer until we hear it: something says that its process is over.
 * The caller touches the peer. */
void liveness_question(struct peer *p);

/* The leader is lost. If it has fallen silent (lead_was_silent()), pings the
 * peers that we watch: they may have been cut off from us at once with it. */
void liveness_on_loss(struct node *node);

/* True if the next datagram to the peer has to ask for an answer: one that has
 * been sent since the leader fell silent may be lost. */
bool liveness_wants_answer(const struct node *node, const struct peer *p);

/* True if a peer that we watch was not heard since we began to, or has answered
 * no ping that was sent since our leader fell silent, or is lost unless we hear
 * it within half an interval; one that we do not watch, if our leader fell
 * silent. */
bool liveness_doubts(const struct node *node, nsec_t now, const struct peer *p);

/* When a peer that we ask will have answered or be lost; 0 if we ask it
 * nothing. */
nsec_t liveness_answer_at(const struct node *node, const struct peer *p);

/* Takes what a datagram of the peer says of watching. */
void liveness_hear(struct node *node, struct peer *p, unsigned flags);

/* The flags of a body that tell this peer the same of us. */
unsigned liveness_flags(const struct peer *p);

/* Our list of members, which is made once an input, and its size; NULL if we
 * have none to send. */
const uint8_t *liveness_members(struct node *node, size_t *size);

/* Takes the leader's list of members; ignores that of any other peer. */
void liveness_take_members(
    struct node *node, const struct peer *from, const struct members *members);

/* Hands on the leader's answer to the ping that we sent for others. */
void liveness_tell_answer(struct node *node, const struct peer *leader);

/* Pings a silent peer when it is time. Returns why the session is to end now;
 * EVIDENCE_NONE: it goes on. The caller touches the peer. */
enum evidence liveness_tick(struct node *node, nsec_t now, struct peer *p);

/* When liveness_tick() has something to do; NSEC_NEVER: nothing. */
nsec_t liveness_deadline(const struct node *node, const struct peer *p);

/* Another node says that the peer is over. Returns why it is for us, too: it
 * refused us, or is about to be lost; EVIDENCE_NONE: it is not. */
enum evidence liveness_agrees(
    const struct node *node, nsec_t now, const struct peer *p);

/* True if we want heartbeats of this peer. */
bool liveness_watches(const struct peer *p);

/* True if we send heartbeats to this peer: it wants ours, or we want its. */
bool liveness_beats(const struct peer *p);

/* A datagram of the peer has this beacon; NULL: none, so it has no leader.
 * Returns our leader if the peer has ceased to follow it and it refused us as
 * well: it is over. Else NULL. */
struct peer *liveness_take_leader(
    struct node *node, struct peer *p, const struct beacon *beacon);

/* The leader that the peer named last; none if we do not watch it, as it tells
 * us seldom. */
struct peer_told liveness_told(const struct peer *p);

/* True if the peer's last datagram named this leader in this term. */
bool liveness_follows(const struct peer *p, node_id leader, uint64_t term);

/* The nodes that follow our leader, by its own count; 0 if that is not
 * known. */
unsigned liveness_followers(const struct node *node);

/* Asserts every invariant of this part. */
void liveness_check(const struct node *node);

#endif
