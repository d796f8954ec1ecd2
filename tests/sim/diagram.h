/* SPDX-License-Identifier: ISC */
/*
 * A space-time diagram of one election, as SVG: a vertical line for each node,
 * time downwards, and an arrow for each message, from its sending to its
 * delivery.
 */
#ifndef ELECTD_TESTS_SIM_DIAGRAM_H
#define ELECTD_TESTS_SIM_DIAGRAM_H

#include "tests/sim/run.h"

/* A larger picture cannot be read. */
#define DIAGRAM_NODES_MAX    64
#define DIAGRAM_MESSAGES_MAX 2000

struct diagram;

/*
 * Makes a diagram of the run that this setup describes. It borrows what the
 * setup points to until diagram_free(). NULL: there is no memory.
 */
struct diagram *diagram_new(const struct run_setup *setup);

/* The run's observer (run_observe); the context is the diagram. */
void diagram_observe(void *context, const struct moment *moment);

/*
 * Writes the diagram to a file. Gives 0 or a negative errno; -E2BIG, without
 * writing, if the run had more nodes or messages than a diagram shows.
 */
int diagram_write(struct diagram *d, const char *path);

/* Frees it; NULL is allowed. */
void diagram_free(struct diagram *d);

#endif
