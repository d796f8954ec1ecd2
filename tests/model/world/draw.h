/* SPDX-License-Identifier: ISC */
/* Worlds drawn at random: size, algorithm, and topology. */
#ifndef ELECTD_TESTS_MODEL_WORLD_WORLD_DRAW_H
#define ELECTD_TESTS_MODEL_WORLD_WORLD_DRAW_H

#include "tests/model/world/world.h"

/* Memory to which a drawn setup points; it must live until world_new(). */
struct world_drawn {
	struct world_link links[2 * WORLD_NODES_MAX];
	node_id order[WORLD_NODES_MAX];
};

/*
 * Draws the size, unless it is set; the algorithm with its choices, unless it
 * is set; and a topology for it.
 */
void world_draw(struct world_setup *setup, struct world_drawn *drawn,
    struct random *random);

#endif
