/* SPDX-License-Identifier: ISC */
/*
 * The life of this process: how far it takes part.
 */
#ifndef ELECTD_COMMON_NODE_LIFE_H
#define ELECTD_COMMON_NODE_LIFE_H

#include "common/node/node_parts.h"

/* Listens for `startup`, as at a start. */
void life_init(struct node *node, nsec_t now);

/* Listens for `duration`, as a process that is new to its peers. A process that
 * is ending goes on ending. */
void life_listen(struct node *node, nsec_t now, nsec_t duration);

/* Listens until then at the latest. It listens. */
void life_shorten_listening(struct node *node, nsec_t until);

/* Takes part, if the time to listen is over. */
void life_tick(struct node *node, nsec_t now);

/* Takes part without listening any longer; a process that is ending stays
 * so. */
void life_take_part(struct node *node);

/* The process is told to stop. It is not ending yet. */
void life_leave(struct node *node);

/* The process leaves, and leads no more: it has stopped. */
void life_stop(struct node *node);

/* Each is true in the stage of enum life_stage that it is named after. */
bool life_listens(const struct node *node);
bool life_takes_part(const struct node *node);
bool life_leaves(const struct node *node);
bool life_is_stopped(const struct node *node);

/* True if the process leaves, or has stopped. */
bool life_is_ending(const struct node *node);

/* Until when the process listens, or would have listened. */
nsec_t life_listens_until(const struct node *node);

/* NSEC_NEVER if the process does not listen. */
nsec_t life_deadline(const struct node *node);

/* This node may lead again, or may not for another reason than before: the time
 * that PREEMPT_AFTER wants begins anew. */
void life_stand_anew(struct node *node, nsec_t now);

/* The host has a carrier again, or no more. Without one the process begins no
 * election and is not eligible; when it has one again it listens as at a
 * start. */
void life_set_carrier(struct node *node, nsec_t now, bool has_carrier);

/* True if the host has no carrier. */
bool life_lacks_carrier(const struct node *node);

/* True if nothing has kept this node from leading for `duration` but what its
 * rank tells. */
bool life_was_eligible_for(
    const struct node *node, nsec_t now, nsec_t duration);

/* Asserts every invariant of this part. */
void life_check(const struct node *node);

#endif
