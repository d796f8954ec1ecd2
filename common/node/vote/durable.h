/* SPDX-License-Identifier: ISC */
/* The durable state on its way to the disk (durable.c; PROTOCOL.md,
 * Durability). */
#ifndef ELECTD_COMMON_NODE_VOTE_DURABLE_H
#define ELECTD_COMMON_NODE_VOTE_DURABLE_H

#include "common/node/node_parts.h"

/* Makes the durable state ready, before voting_init() loads it; notes whether
 * it can be written at all. */
void durable_init(struct node *node);

/* We go on as a process of this incarnation: nothing leaves before that is
 * durable. */
void durable_set_incarnation(struct node *node, uint64_t incarnation);

/* Another configuration is in effect. */
void durable_change(struct node *node, nsec_t now);

/* True while nothing may leave, as our incarnation is not durable. */
bool durable_is_mute(const struct node *node);

/* We have taken a leader of this term: keeps it over a restart. */
void durable_keep_term(struct node *node, uint64_t term);

/* A later life of ours, which another node knows, may have given promises that
 * our durable state does not have: distrusts it. */
void durable_revoke(struct node *node, nsec_t now);

/* A leader admits our voter by this request (PROTOCOL.md, Admission): it votes
 * once the durable state that follows is written. Does nothing if it votes, or
 * has another configuration, or its disk has failed. */
void durable_admit(struct node *node, nsec_t now, struct owner leader,
    const struct vote_request *request);

/* Gives the durable state to write next; false if none is due, or a write is
 * under way, or the disk has failed. durable_written() ends the write.
 * *is_anew: it takes the place of what there is, which is not to be trusted. */
bool durable_take(struct node *node, nsec_t now, struct durable_state *durable,
    bool *is_anew);

/* The write has ended; `ok`: the state is durable. If not, no other write
 * begins. True if the present promise of our voter was not durable before, and
 * is now: nominee_on_kept() and voting_on_kept() are next. */
bool durable_written(struct node *node, nsec_t now, bool ok);

/* Asserts every invariant of this part. */
void durable_check(const struct node *node);

#endif
