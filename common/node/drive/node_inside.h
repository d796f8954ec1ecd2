/* SPDX-License-Identifier: ISC */
/*
 * The inside of a node, for the files of common/node alone. Each input takes
 * three steps: node_wake() notices whether the process stalled, the input's own
 * function handles it, and node_conclude() draws the conclusions for the
 * leadership. A step stores no actions: it sets due flags and queues notices,
 * and node_act() builds each action when the caller pulls it. So all that one
 * input causes reaches a peer in one datagram. A part sets its own due flag
 * (request_due, response_due) and calls peers_schedule(). datagram_act() of
 * send.c takes the peers in turn, and sealed_write() has each part write its
 * frames.
 */
#ifndef ELECTD_COMMON_NODE_DRIVE_NODE_INSIDE_H
#define ELECTD_COMMON_NODE_DRIVE_NODE_INSIDE_H

#include "common/node/lead/handover.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/handshake.h"

/* The session *made with a peer begins; an earlier one ends before. */
void node_session_begin(struct node *node, nsec_t now, struct peer *p,
    const struct handshake_result *made);

/* Ends the session, if there is one, and forgets all that belongs to it. */
void node_session_end(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);

/* Ends the session of a peer that was silent for too long, or refused us. In
 * the latter case we lose the leader if it is the peer and no other node hears
 * it. */
void node_suspect(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);

/* Derives whether the link is up from what both ends say; `evidence` says why
 * if it is not. */
void node_link_judge(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence);

/* Our leader, or our lead, is lost: begins an election if we may. */
void node_lose_leader(struct node *node, nsec_t now, struct reason reason);

/* The lease is over by which we lead, or that is left to our leader. */
void node_expire(struct node *node, nsec_t now);

/* Goes on as a new process of this incarnation, without sessions; gives up the
 * lead for `reason`. */
void node_reincarnate(struct node *node, nsec_t now, uint64_t incarnation,
    enum reason_kind reason);

/* Follows a new leader, or leads, until its beacon is stale at `stale_at`; see
 * lead_take(). */
void node_follow(struct node *node, nsec_t now, const struct beacon *beacon,
    struct peer *by, struct reason reason, nsec_t stale_at);

/* As the leader, hands over: see handover_make(). */
void node_hand_over(struct node *node, nsec_t now, struct reason reason,
    bool is_planned, node_id to);

/* Acts on a step of our handover. */
void node_heed_handover(struct node *node, nsec_t now, enum handover_next next);

/* Begins an election, unless no term is left. The caller has checked that we
 * may. */
void node_begin_election(struct node *node, nsec_t now, struct reason reason);

/* Acts on what our vote requests have led to: we lead, hand over to a rival, or
 * begin an election. */
void node_act_on_votes(struct node *node, nsec_t now, struct nominee_news news);

/* Sends what the election wants sent, and acts on its decision. Call it after
 * each input to the election. */
void node_flush_election(struct node *node, nsec_t now);

/* No node is eligible in this term: an election, which is over, has found that,
 * or this node hears nobody. */
void node_find_nobody(
    struct node *node, nsec_t now, uint64_t term, struct reason reason);

/* Each input ends with this: acts on what follows for the lead. */
void node_conclude(struct node *node, nsec_t now);

#endif
