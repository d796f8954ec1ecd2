/* SPDX-License-Identifier: ISC */
/* In a ring, the neighbours that the node takes (ring.c): only for a node of a
 * ring, but for ring_reset(). */
#ifndef ELECTD_COMMON_NODE_LINKS_RING_H
#define ELECTD_COMMON_NODE_LINKS_RING_H

#include "common/node/node_parts.h"

/* Copies the orders of both sides from *setup to `memory`, which has room for
 * them, each aligned. */
void ring_init(struct node *node, const struct node_setup *setup, void *memory,
    nsec_t now);

/* The session has ended: forgets what the peer said of the ring. */
void ring_reset(struct peer *p);

/* Chooses both neighbours anew, and shows the result to the peers and to the
 * election. Call it whenever a peer has come up or gone down. */
void ring_update(struct node *node, nsec_t now);

/* Takes what the flags of a body say of the ring. */
void ring_hear(struct node *node, nsec_t now, struct peer *p, unsigned flags);

/* The flags of a body that tell this peer the same of us. */
unsigned ring_flags(const struct node *node, const struct peer *p);

/* The peer that we take on this side; NULL if there is none. */
struct peer *ring_peer(const struct node *node, enum ring_link side);

/* True if we seek this peer: it is within reach on one side. */
bool ring_keeps(const struct node *node, const struct peer *p);

/* True if this peer takes us for its neighbour on a side. */
bool ring_is_taken_by(const struct peer *p);

/* True if this node is bypassed: it asked its neighbours to step over it. */
bool ring_is_bypassed(const struct node *node);

/* True if both links are up and we are not bypassed. */
bool ring_is_whole(const struct node *node);

/* True if no peer is up and all of them had time to answer. */
bool ring_is_alone(const struct node *node);

/* True if we are whole and both neighbours are the nearest ones. */
bool ring_is_closed(const struct node *node);

/* NSEC_NEVER if the ring waits for nothing. */
nsec_t ring_deadline(const struct node *node);

#endif
