/* SPDX-License-Identifier: ISC */
/* The peers in order of id and rank, the touched ones, the budgets
 * (peers.c). */
#ifndef ELECTD_COMMON_NODE_PEER_PEERS_H
#define ELECTD_COMMON_NODE_PEER_PEERS_H

#include "common/node/node_parts.h"

/* The bytes that peers_init() needs for the orders of the peers. */
size_t peers_size(unsigned peers_count);

/* Makes the orders in `memory`, of peers_size() bytes. The setup and the rank
 * of each peer must be set. */
void peers_init(struct node *node, void *memory);

/* Makes the orders anew, as peers_init(): the peers are others. */
void peers_change(struct node *node, void *memory);

/* NULL if no peer has this id; NODE_NONE and our own id have none. */
struct peer *peers_find(const struct node *node, node_id id);

/* Our share of the work that all nodes together may do in an interval: at least
 * 1, at most peers_budget_max(). */
unsigned peers_budget(const struct node *node, unsigned whole);

/* The limit of that share, whatever the size of the cluster. */
unsigned peers_budget_max(const struct node *node);

/* Marks a peer to be looked at again. Call it after a change of anything that
 * the peer is due, or of a time in timers_peer_deadline(). */
void peers_touch(struct node *node, const struct peer *p);
void peers_touch_all(struct node *node);

/* Makes a datagram due to a peer that has a session, and touches the peer. */
void peers_schedule(struct node *node, struct peer *p);
void peers_schedule_all(struct node *node);

/* The peer at this place in the order of ranks, 0 is the best. */
struct peer *peers_by_rank(const struct node *node, unsigned place);

/* The peer at this place in the order of ids, 0 is the lowest. */
struct peer *peers_by_id(const struct node *node, unsigned place);

/* The place of this peer in the order of ranks, 0 is the best. */
unsigned peers_rank_place(const struct node *node, const struct peer *p);

/* Our own place in the order of all ids, 0 is the lowest. */
unsigned peers_own_place(const struct node *node);

/* Where our rotations begin: each node begins at its own place, so of two nodes
 * one usually asks the other first. */
unsigned peers_first_turn(const struct node *node);

/* One step of a rotation. False if it asked nothing of the peer. */
typedef bool peers_visit(struct node *node, nsec_t now, struct peer *p);

/* Goes on with a rotation over the peers, in the order of ids, until `budget`
 * of them were asked something, once round at most. *turn is the place of the
 * next peer; at first peers_first_turn(). */
void peers_rotate(struct node *node, nsec_t now, unsigned *turn,
    unsigned budget, peers_visit *visit);

/* The index of the next touched peer from the index `from` on; NODES_MAX if
 * there is none. And whether any peer is touched. */
unsigned peers_next_touched(const struct node *node, unsigned from);
bool peers_are_touched(const struct node *node);

/* The next touched peer in this round; NULL at its end, after which another
 * round begins. `first`, unless NULL, comes before all others. */
struct peer *peers_take_turn(struct node *node, struct peer *first);

/* The peer is due nothing now: looks at it no more before `deadline`. */
void peers_settle(struct node *node, const struct peer *p, nsec_t deadline);

/* When this peer, which was settled, wants attention. NSEC_NEVER for a touched
 * one: its deadline is to be computed anew. */
nsec_t peers_settled_until(const struct node *node, const struct peer *p);

/* True if this peer was touched, or its deadline has come. */
bool peers_wants(const struct node *node, nsec_t now, const struct peer *p);

/* Count the sessions that begin and end, and how many there are. The first
 * returns the name of the new session, unique in this process. */
uint32_t peers_session_began(struct node *node);
void peers_session_ended(struct node *node);
unsigned peers_sessions(const struct node *node);

/* Chooses the peer whose session ends when the pool of blocks is empty; a
 * message from or to `p` found that (PROTOCOL.md, Message memory). */
struct peer *peers_largest_user(struct node *node, struct peer *p);

/* Makes a datagram due that asks the peer, which has a session, for an answer;
 * touches the peer. */
void peers_ping(struct node *node, struct peer *p);

/* The peer has pinged: makes the answer due, and touches the peer. */
void peers_answer(struct node *node, struct peer *p);

/* Makes the goodbyes due to a peer that has a session, and touches the peer. */
void peers_leave(struct node *node, struct peer *p);

/* The session has ended: nothing of it is due any more. */
void peers_reset_due(struct peer *p);

/* True if the next datagram asks the peer for an answer, is one, or says
 * goodbye. */
bool peers_pings(const struct peer *p);
bool peers_answers(const struct peer *p);
bool peers_says_bye(const struct peer *p);

/* The next datagram has been built: what it did is due no more. */
void peers_sent(struct peer *p);

/* True if a datagram of the session is due. The channel says by itself when it
 * has messages to send: channel_due(). */
bool peers_is_due(const struct peer *p);

/* Asserts every invariant of this part. */
void peers_check(const struct node *node);

#endif
