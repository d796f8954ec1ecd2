/* SPDX-License-Identifier: ISC */
/* Whether the node flaps (damping.c). */
#ifndef ELECTD_COMMON_NODE_WATCH_DAMPING_H
#define ELECTD_COMMON_NODE_WATCH_DAMPING_H

#include "common/node/node_parts.h"

/* We give up `lost`, whose last datagram the detector still knows. */
void damping_lose(struct node *node, nsec_t now, const struct peer *lost);

/* A session begins. Call it while p->link.changed is still that of the
 * session before. */
void damping_meet(
    struct node *node, nsec_t now, struct peer *p, bool is_new_process);

/* A peer says how often it saw a new process of ours lately. */
void damping_told(struct node *node, nsec_t now, unsigned restarts);

/* We go on as a new process, whose restarts the peers count anew. */
void damping_reset(struct node *node);

/* True if this node may be a contender, as it has not flapped lately. */
bool damping_is_over(const struct node *node, nsec_t now);

/* When it may be one again; 0 if it may. */
nsec_t damping_ends_at(const struct node *node, nsec_t now);

/* When we are undamped again; NSEC_NEVER if we are. */
nsec_t damping_deadline(const struct node *node);

/* Asserts every invariant of this part. */
void damping_check(const struct node *node);

#endif
