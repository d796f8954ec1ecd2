/* SPDX-License-Identifier: ISC */
/* The own rank; when the node may begin an election; when a leader is lost
 * (leadership.c). */
#ifndef ELECTD_COMMON_NODE_LEAD_LEADERSHIP_H
#define ELECTD_COMMON_NODE_LEAD_LEADERSHIP_H

#include "common/node/node_parts.h"

/* True if this node may begin an election now (PROTOCOL.md, Turns; not its
 * turn, for which see leadership_turn()). */
bool leadership_may_begin(const struct node *node, nsec_t now);

/* True if this node, which has a reason to begin an election, can lead nobody
 * but itself. An operator who wants an election gets one. */
bool leadership_is_lone(const struct node *node, struct reason reason);

/* The same for an election that our leader, which hands over to us, wants: we
 * need not listen for other leaders first. */
bool leadership_may_succeed(const struct node *node, nsec_t now);

/* When this node's turn comes to begin an election for a lost leader; some
 * time after `limit`, if it comes later than that. */
nsec_t leadership_turn(const struct node *node, nsec_t now, nsec_t limit);

/* Why the leader that we follow, or we as the leader, cannot lead on;
 * REASON_NONE if there is no reason or no leader. */
struct reason leadership_flaw(struct node *node, nsec_t now);

/* The reason for which the present leader leads no more: `kind`, unless it is
 * on standby, which then is the cause. */
struct reason leadership_end(struct node *node, enum reason_kind kind);

/* The reason that an election has which begins as there is no leader. */
struct reason leadership_lack(const struct node *node);

/* True if there is no leader and no election, and this node is to begin one
 * when its turn comes. */
bool leadership_is_wanted(const struct node *node, nsec_t now);

/* True if we follow a leader of the term that our instance elects in, or of a
 * later one: the host is not told of that election. */
bool leadership_knows_outcome(const struct node *node);

/* When a beacon that comes in now from `from`, over `hops` hops, becomes
 * stale. `from` is NULL if no peer handed it on. */
nsec_t leadership_stale_at(const struct node *node, nsec_t now,
    const struct peer *from, unsigned hops);

/* Makes a datagram to every peer due, so that all hear the new beacon at once;
 * does nothing in `full` under component. */
void leadership_hand_on(struct node *node);

/* Ends a resignation, once there is no leader and nobody else to become one. */
void leadership_end_resignation(struct node *node, nsec_t now);

/* Our own rank as of now (PROTOCOL.md, Rank). */
struct rank leadership_rank(const struct node *node, nsec_t now);

/* True if an election has named this node, which went on standby since. */
bool leadership_is_barred(const struct node *node, const struct rank *winner);

/* Why this node may lead no more, if it leads, but is to hand over; REASON_NONE
 * if it may. */
struct reason leadership_bar(const struct node *node);

/* A number that changes whenever we have something to tell every peer, also
 * those that get no heartbeats. */
unsigned leadership_word(const struct node *node, nsec_t now);

#endif
