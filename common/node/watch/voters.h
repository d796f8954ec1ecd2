/* SPDX-License-Identifier: ISC */
/* Which nodes vote, and which of them are heard (voters.c; PROTOCOL.md,
 * Quorum). */
#ifndef ELECTD_COMMON_NODE_WATCH_VOTERS_H
#define ELECTD_COMMON_NODE_WATCH_VOTERS_H

#include "common/node/node_parts.h"

/* Numbers the voters. */
void voters_init(struct node *node);

/* Numbers the voters anew: the peers are others. */
void voters_change(struct node *node);

/* This process, as voters know it. */
struct owner voters_self(const struct node *node);

/* Our own number among the voters; VOTER_NONE if we are none. */
unsigned voters_own_number(const struct node *node);

/* The peer's number among the voters; VOTER_NONE if it is none. */
unsigned voters_number(const struct peer *p);

/* How many voters there are; 0 under component. */
unsigned voters_count(const struct node *node);

/* How many of them are a majority; 0 under component. */
unsigned voters_majority(const struct node *node);

/* True if this node is a voter and able to vote now. */
bool voters_has_vote(const struct node *node, nsec_t now);

/* The peer says whether it is able to vote, and whether a vote request is
 * pending. True if the former is news: quorum_look() is next. */
bool voters_hear(struct peer *p, bool votes, bool sees_request);

/* True if the peer is a voter and says in this session that it is able to
 * vote. */
bool voters_votes(const struct peer *p);

/* True if it says so, and its configuration does not keep it from voting for
 * us. */
bool voters_counts(const struct node *node, const struct peer *p);

/* How many voters we hear that are able to vote, with ourselves. */
unsigned voters_heard(const struct node *node, nsec_t now);

/* True if those are a majority. */
bool voters_are_there(const struct node *node, nsec_t now);

/* True if a majority of the voters, by links that are up, is there for
 * certain. */
bool voters_are_certain(const struct node *node, nsec_t now);

/* True if a peer says that a vote request is pending. */
bool voters_see_request(const struct node *node, nsec_t now);

/* The session has ended: the peer says nothing any more. */
void voters_reset(struct peer *p);

/* Asserts every invariant of the voters. */
void voters_check(const struct node *node);

#endif
