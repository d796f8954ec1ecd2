/* SPDX-License-Identifier: ISC */
/*
 * How a node gets what another keeps, over nodes in between (pulls.c;
 * PROTOCOL.md, Pulls).
 */
#ifndef ELECTD_COMMON_NODE_LOOK_PULLS_H
#define ELECTD_COMMON_NODE_LOOK_PULLS_H

#include "common/node/node_parts.h"

/* Begins a pull of our own; false if there are too many. */
bool pulls_begin(struct node *node, nsec_t now, const struct pull *pull);

/* A pull, or an answer, comes from this peer. */
void pulls_take(struct node *node, struct peer *p, const struct pull *pull);
void pulls_take_answer(
    struct node *node, struct peer *p, const struct pulled *pulled);

/* Answers those that waited for our parts of snapshots. */
void pulls_look(struct node *node);

/* Asks again where no answer came. */
void pulls_tick(struct node *node, nsec_t now);
nsec_t pulls_deadline(const struct node *node);

/* True if something waits for a datagram to the peer. */
bool pulls_are_due(const struct node *node, const struct peer *p);

/* Writes the first of it. Returns the number of frames. */
unsigned pulls_write(struct node *node, const struct peer *p, struct writer *f);

/* An answer to one of our own pulls, or that there is none. */
bool pulls_act(struct node *node, struct action *action);

/* The session with the peer has ended. */
void pulls_reset(struct node *node, const struct peer *p);

/* The peers are others. */
void pulls_change(struct node *node);

#endif
