/* SPDX-License-Identifier: ISC */
/*
 * Every algorithm of the registry, with each of its variants, on every kind
 * of topology that suits it: eight nodes each. As a world of whole nodes, and
 * as one election of the bare algorithm (tests/sim/run.h).
 */
#ifndef ELECTD_TESTS_LIB_SHAPES_H
#define ELECTD_TESTS_LIB_SHAPES_H

#include "tests/sim/run.h"
#include "tests/world/world_assert.h"

#define SHAPE_NODES 8

struct shape {
	char name[64]; /* "chang-roberts bidirectional on a ring" */
	struct world_setup setup;
	bool is_random; /* its counts depend on the seed */
};

/* The next one after `last`, or the first after NULL; NULL: it was the last.
 * They are made anew by shapes_first(). */
const struct shape *shape_first(void);
const struct shape *shape_next(const struct shape *last);

/* A world of it, in which nothing runs yet; a broken promise fails the case,
 * and names the shape. */
struct world *shape_world(const struct shape *shape);

/* The same, all started, and settled. */
struct world *shape_settled(const struct shape *shape);

/* One election by itself, begun by this node alone. */
struct run_result shape_run(const struct shape *shape, node_id starter,
    enum schedule schedule, uint64_t seed);

/* The ids next to `id`, as a bit set; in a ring, to both sides. */
unsigned shape_neighbours(const struct world *w, node_id id);

#endif
