/* SPDX-License-Identifier: ISC */
/*
 * Every algorithm of the registry, with each of its variants, on every kind of
 * topology that suits it, with eight nodes each: as a world of whole nodes, and
 * as one election of the bare algorithm (tests/model/sim/run/run.h).
 */
#ifndef ELECTD_TESTS_LIB_SHAPES_H
#define ELECTD_TESTS_LIB_SHAPES_H

#include "tests/model/sim/run/run.h"
#include "tests/model/world/assert/world_assert.h"

#define SHAPE_NODES 8

struct shape {
	char name[64]; /* "chang-roberts bidirectional on a ring" */
	struct world_setup setup;
	bool is_random; /* its counts depend on the seed */
};

/* Gives the shape after `last`, or the first after NULL; NULL: `last` was the
 * last. shapes_first() makes the shapes anew. */
const struct shape *shape_first(void);
const struct shape *shape_next(const struct shape *last);

/* Makes a world of it in which nothing runs yet. A broken promise fails the
 * case, and names the shape. */
struct world *shape_world(const struct shape *shape);

/* Makes such a world, starts all nodes and lets them settle. */
struct world *shape_settled(const struct shape *shape);

/* Runs one election of the bare algorithm, which this node alone begins. */
struct run_result shape_run(const struct shape *shape, node_id starter,
    enum schedule schedule, uint64_t seed);

/* Gives the ids next to `id` as a bit set; in a ring, those on both sides. */
unsigned shape_neighbours(const struct world *w, node_id id);

#endif
