/* SPDX-License-Identifier: ISC */
/*
 * Whether this node is outside the cluster (PROTOCOL.md, Configurations): the
 * configurations of other nodes do not name it.
 */
#ifndef ELECTD_COMMON_NODE_CONFIG_OUTSIDE_H
#define ELECTD_COMMON_NODE_CONFIG_OUTSIDE_H

#include "common/node/node.h"

struct peer;

/* A peer said that this configuration, its own, does not name us. */
void outside_on_word(struct node *node, nsec_t now, struct peer *p,
    const struct config_id *config_id);

/* A session with the peer begins: its configuration names us. */
void outside_on_session(struct node *node, nsec_t now, struct peer *p);

/* Links, or the configurations of peers, have changed. */
void outside_look(struct node *node, nsec_t now);

/* Our own configuration has changed, or the peers: what was said of us concerns
 * another configuration, which counts as an earlier one. */
void outside_change(struct node *node, nsec_t now);

/* Forgets what was said too long ago. */
void outside_tick(struct node *node, nsec_t now);
nsec_t outside_deadline(const struct node *node);

/* Tells the host whether we are outside, if that has changed. */
void outside_tell(struct node *node, nsec_t now);

/* A node that our configuration does not name said HELLO, sealed with our
 * key. */
void outside_on_caller(struct node *node, nsec_t now, node_id id);

/* True if the node with this id, which our configuration does not name, said
 * HELLO of late. */
bool outside_hears(const struct node *node, nsec_t now, node_id id);

/* QUORUM: true if it has said HELLO for a lease: if it votes, its quarantine is
 * over. */
bool outside_hears_for_a_lease(const struct node *node, nsec_t now, node_id id);

/* True if this node is outside. A leader under quorum is not: the voters have
 * granted it the lead, and clients may rely on it. */
bool node_is_outside(const struct node *node);

/* The config version of a later configuration that does not name us; 0:
 * none. */
uint32_t outside_removed_by(const struct node *node);

#endif
