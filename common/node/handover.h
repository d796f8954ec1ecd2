/* SPDX-License-Identifier: ISC */
/*
 * The handover: a leader leads on until its successor does.
 */
#ifndef ELECTD_COMMON_NODE_HANDOVER_H
#define ELECTD_COMMON_NODE_HANDOVER_H

#include "common/node/node_parts.h"

/* True if, as far as this node knows, a peer is there that may take over. It
 * may be a peer that is already lost. */
bool handover_has_successor(const struct node *node);

/* Begins to hand over, as the leader, to `to` or, NODE_NONE, to any node.
 * `is_planned`: we begin it ourselves; else we lost an election. `reason` is
 * that of the next election. */
void handover_make(struct node *node, nsec_t now, struct reason reason,
    bool is_planned, node_id to);

/* Ends a handover without a word to the others: nobody leads, another node
 * does, or this node leads on. */
void handover_close(struct node *node);

/* We follow `leader` from now on. Ends a handover, unless we lead again and
 * planned it: then we tell it anew in our new term. */
void handover_renew(struct node *node, node_id leader);

/* Takes the next step that is due: tells the others, waits once more, gives up
 * the lead, or cancels a handover in vain. Leads only. */
void handover_tick(struct node *node, nsec_t now);

/* A voter has promised the term `promised`, above the one that we hold: once
 * a majority has promised a next term, we give up the lead. Quorum only. */
void handover_moved(
    struct node *node, nsec_t now, node_id voter, uint64_t promised);

/* When handover_tick() has a step to take; NSEC_NEVER: no handover. */
nsec_t handover_deadline(const struct node *node);

/* Our leader leads on: unless it hands over, it names no successor any more. */
void handover_on_renewed(struct node *node);

/* True if a beacon only predicts, by way of others, who wins the election that
 * we told: we lead on until the winner's own beacon. Component only. */
bool handover_is_early(const struct node *node, const struct beacon *beacon);

/* Our leader says for the first time that it hands over: takes it for no
 * longer eligible if it named a successor, and hands its beacon on. */
void handover_heed(struct node *node, nsec_t now);

/* Begins an election if our leader names us as successor and we may begin one;
 * at most one in a heartbeat. */
void handover_succeed(struct node *node, nsec_t now);

/* Ends the abstention that an operator asked for, once there is no leader and
 * nobody else to become one. */
void handover_end_abstention(struct node *node, nsec_t now);

/* Asserts every invariant of the handover. */
void handover_check(const struct node *node);

#endif
