/* SPDX-License-Identifier: ISC */
/* The topology of a world: who may be whose neighbour. */
#ifndef ELECTD_TESTS_WORLD_WORLD_SHAPE_H
#define ELECTD_TESTS_WORLD_WORLD_SHAPE_H

#include "tests/world/world.h"

/* Takes the topology out of the setup, once its defaults are filled in. */
void world_shape(struct world *w);

/* May two ids be neighbours? In a ring all may, as it closes over the dead. */
bool world_linked(const struct world *w, node_id a, node_id b);

/* In a ring: the ids to one side of this one, the nearest first; how many. */
unsigned world_side(
    const struct world *w, node_id id, enum ring_link side, node_id *ids);

/* The process that answers at an id's address; 0: none, or two. */
process_name world_voice(const struct world *w, node_id id);

/* Do datagrams go both ways between two nodes that run? Whether or not their
 * neighbours are each other's: voters are addressed by all. */
bool world_wired(const struct world *w, node_id a, node_id b);

/* The ids that are connected with this one, by links that work both ways. */
unsigned world_neighbourhood(const struct world *w, node_id id);

/* The same, and QUORUM: also by voters that are addressed directly. */
unsigned world_component(const struct world *w, node_id id);

/* QUORUM (world_quorum.c), by bit sets of ids: who might be confirmed; can a
 * component have a leader; do all of it hear each other, as neighbours do; is
 * it right for one that cannot? If not, w->why says why. */
unsigned quorum_electable(const struct world *w);
bool quorum_has_leader(const struct world *w, unsigned component);
bool quorum_is_whole(const struct world *w, unsigned component);
bool quorum_leads_nobody(struct world *w, unsigned component);
bool quorum_leads_somebody(struct world *w, unsigned component);

#endif
