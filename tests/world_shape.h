/* SPDX-License-Identifier: ISC */
/* The topology of a world: who may be whose neighbour. */
#ifndef ELECTD_TESTS_WORLD_SHAPE_H
#define ELECTD_TESTS_WORLD_SHAPE_H

#include "tests/world.h"

/* Takes the topology out of the setup, once its defaults are filled in. */
void world_shape(struct world *w);

/* May two ids be neighbours? In a ring all may, as it closes over the dead. */
bool world_linked(const struct world *w, node_id a, node_id b);

/* In a ring: the ids to one side of this one, the nearest first; how many. */
unsigned world_side(
    const struct world *w, node_id id, enum ring_link side, node_id *ids);

#endif
