/* SPDX-License-Identifier: ISC */
/*
 * The handover: a leader leads on until its successor does.
 */
#ifndef ELECTD_COMMON_NODE_LEAD_HANDOVER_H
#define ELECTD_COMMON_NODE_LEAD_HANDOVER_H

#include "common/node/node_parts.h"

/* What follows for a leader from a step of its handover. */
enum handover_next {
	HANDOVER_GOES_ON, /* nothing */
	HANDOVER_TELLS,   /* the beacon has just said so for the first time */
	HANDOVER_ELECTS,  /* the same; as the beacon names no successor, the
	                   * leader begins the election by itself */
	HANDOVER_ENDS,    /* the leader gives up the lead at once */
};

/* True if, as far as this node knows, a peer is there that may take over. It
 * may be a peer that is already lost. */
bool handover_has_successor(const struct node *node);

/* Begins to hand over, as the leader, to `to` or, NODE_NONE, to any node.
 * `is_planned`: we begin it ourselves; else we lost an election. `reason` is
 * that of the next election. */
enum handover_next handover_make(struct node *node, nsec_t now,
    struct reason reason, bool is_planned, node_id to);

/* Ends a handover without a word to the others: nobody leads, another node
 * does, or this node leads on. */
void handover_close(struct node *node, nsec_t now);

/* We follow `leader` from now on. Ends a handover, unless we lead again and
 * planned it: then we tell it anew in our new term. */
void handover_renew(struct node *node, nsec_t now, node_id leader);

/* Takes the next step that is due: tells the others, waits once more, gives up
 * the lead, or cancels a handover in vain. */
enum handover_next handover_tick(struct node *node, nsec_t now);

/* A voter has promised another node a term above the one that we hold: once a
 * majority has promised a next term, we give up the lead; returns what the
 * leader does then. Quorum only. */
enum handover_next handover_on_promise(struct node *node, nsec_t now);

/* The clients of this node rely on their deadlines for a shorter time: the
 * others may be told sooner. */
void handover_hurry(struct node *node);

/* When handover_tick() has a step to take; NSEC_NEVER: no handover. */
nsec_t handover_deadline(const struct node *node);

/* True if we hand over, as the leader. */
bool handover_is_made(const struct node *node);

/* True if we have said so in our beacon, or have given up the lead since. */
bool handover_is_told(const struct node *node);

/* True if we hand over as we want another node to lead. */
bool handover_is_planned(const struct node *node);

/* The reason of the election that follows. We hand over. */
struct reason handover_reason(const struct node *node);

/* The successor that our beacon named, which is sent it first; NULL: none. */
struct peer *handover_first_peer(struct node *node);

/* Our leader leads on: unless it hands over, it names no successor any more. */
void handover_on_renewed(struct node *node);

/* True if a beacon only predicts, by way of others, who wins the election that
 * we told: we lead on until the winner's own beacon. Component only. */
bool handover_is_early(const struct node *node, const struct beacon *beacon);

/* Our leader says for the first time that it hands over: takes it for no
 * longer eligible if it named a successor. */
void handover_heed(struct node *node, nsec_t now);

/* True if our leader names us as its successor, and we have not begun an
 * election for that within a heartbeat. */
bool handover_is_to_us(const struct node *node, nsec_t now);

/* We begin that election now: returns its reason. */
struct reason handover_succeed(struct node *node, nsec_t now);

/* True if an operator named us as the successor of our leader. */
bool handover_is_named(const struct node *node);

/* Asserts every invariant of the handover. */
void handover_check(const struct node *node);

#endif
