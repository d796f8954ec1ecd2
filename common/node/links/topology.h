/* SPDX-License-Identifier: ISC */
/* The links that the election sees (topology.c). */
#ifndef ELECTD_COMMON_NODE_LINKS_TOPOLOGY_H
#define ELECTD_COMMON_NODE_LINKS_TOPOLOGY_H

#include "common/node/node_parts.h"

#define LINK_NONE UINT_MAX /* no link of the election */

/* The bytes that topology_init() needs. */
size_t topology_size(const struct node_setup *setup);

/* Makes the links, without any that is up, in `memory`, of topology_size()
 * bytes; in a ring, our place as well. Takes the orders of its sides from
 * *setup. */
void topology_init(struct node *node, const struct node_setup *setup,
    void *memory, nsec_t now);

/* Makes the links anew, as topology_init(): the peers are others. */
void topology_change(struct node *node, const struct node_setup *setup,
    void *memory, nsec_t now);

/* Lets an election of this setup see our links. */
void topology_show(const struct node *node, struct election_setup *setup);

/* How many links the election sees in this topology. */
unsigned topology_links(const struct node_setup *setup);

/* Shows the election that this peer has come up or gone down. */
void topology_update(struct node *node, nsec_t now, const struct peer *p);

/* Shows the election the rank that this peer told last. */
void topology_set_rank(struct node *node, nsec_t now, const struct peer *p);

/* The peer at this link; NULL if the ring has nobody on that side. */
struct peer *topology_peer(struct node *node, unsigned link);

/* Our link for a message of the peer, which the peer sent on its own link
 * `sent_on`; LINK_NONE if we have no such link. */
unsigned topology_find(
    struct node *node, const struct peer *p, unsigned sent_on);

/* True if we seek a session with this peer. */
bool topology_keeps(const struct node *node, const struct peer *p);

/* The session with this peer has ended: forgets what it said of our links. */
void topology_reset(struct node *node, struct peer *p);

/* True if we are part of our ring; elsewhere always. */
bool topology_takes_part(const struct node *node);

/* The same, and in a tree that it is not forming: elections may begin. */
bool topology_is_ready(const struct node *node);

/* True if all neighbours, or in a ring the nearest ones, are up. */
bool topology_hears_all(const struct node *node);

/* The most hops that the first beacon of this leader takes to us. NULL stands
 * for a leader that is no peer of ours. */
unsigned topology_hops(const struct node *node, const struct peer *p);

/* Ring only: true if the peer is no neighbour of ours, and its session is to
 * end. */
bool topology_is_distant(
    const struct node *node, nsec_t now, const struct peer *p);

#endif
