/* SPDX-License-Identifier: ISC */
/* The topology of a world: which nodes may be neighbours. */
#ifndef ELECTD_TESTS_WORLD_WORLD_SHAPE_H
#define ELECTD_TESTS_WORLD_WORLD_SHAPE_H

#include "tests/world/world.h"

/* Takes the topology from the setup, once its defaults are filled in. */
void world_shape(struct world *w);

/* True if two ids may be neighbours. In a ring all may, as it closes over the
 * dead. */
bool world_linked(const struct world *w, node_id a, node_id b);

/* In a ring: lists the ids to one side of this one, the nearest first, and
 * counts them. */
unsigned world_side(
    const struct world *w, node_id id, enum ring_link side, node_id *ids);

/* Gives the process that answers at an id's address; 0: none, or two. */
process_name world_voice(const struct world *w, node_id id);

/* True if datagrams go both ways between two nodes that run. They need not be
 * neighbours, as all nodes send to voters. */
bool world_wired(const struct world *w, node_id a, node_id b);

/* Gives the ids that are connected with this one by links that work both ways.
 */
unsigned world_neighbourhood(const struct world *w, node_id id);

/* The same; under QUORUM voters, to which all send directly, connect too. */
unsigned world_component(const struct world *w, node_id id);

/* QUORUM (world_quorum.c): true if this leader hears a majority directly without
 * the node `lost`. */
bool quorum_keeps_leader(struct world *w, node_id leader, node_id lost);

/* QUORUM (world_quorum.c), with bit sets of ids. One function each for: which
 * ids may win a majority; whether a component can have a leader; whether all of
 * it hear each other as neighbours; whether it is right for a component that
 * can have none. If not, w->why says why. */
unsigned quorum_electable(const struct world *w);
bool quorum_has_leader(const struct world *w, unsigned component);
bool quorum_is_whole(const struct world *w, unsigned component);
bool quorum_leads_nobody(struct world *w, unsigned component);

/* True if by each edition that a host may have a majority of the voters can
 * vote without this one, and elect one of them; if all hosts can. */
bool quorum_spares(const struct world *w, node_id one);
bool quorum_is_sound(const struct world *w);

/* True if each leader has admitted all voters that it can. */
bool quorum_has_admitted(struct world *w);

bool quorum_leads_somebody(struct world *w, unsigned component);

#endif
