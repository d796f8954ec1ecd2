/* SPDX-License-Identifier: ISC */
/*
 * A space-time diagram of one election, as SVG: a vertical line a node, time
 * downwards, and an arrow a message, from its sending to its delivery.
 */
#ifndef ELECTD_TESTS_SIM_DIAGRAM_H
#define ELECTD_TESTS_SIM_DIAGRAM_H

#include "tests/sim/run.h"

/* Beyond these a picture shows nothing any more. */
#define DIAGRAM_NODES_MAX    64
#define DIAGRAM_MESSAGES_MAX 2000

struct diagram;

/*
 * A diagram of the run that this setup describes; what the setup points to is
 * borrowed until diagram_free(). NULL when there is no memory.
 */
struct diagram *diagram_new(const struct run_setup *setup);

/* The run's observer (run_observe); the context is the diagram. */
void diagram_observe(void *context, const struct moment *moment);

/*
 * Writes the diagram to a file: 0, or a negative errno. -E2BIG: the run had
 * more nodes or messages than a diagram shows; nothing is written then.
 */
int diagram_write(struct diagram *d, const char *path);

/* Frees it; NULL is harmless. */
void diagram_free(struct diagram *d);

#endif
