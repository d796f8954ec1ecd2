/* SPDX-License-Identifier: ISC */
/*
 * A space-time diagram of histories, as SVG: a vertical line for each node,
 * time downwards, and an arrow for each message, from its sending to its
 * taking; and a cut through it. Runs of electsim have a clock; what real nodes
 * did is drawn by cause and effect, as their clocks may differ.
 */
#ifndef ELECTD_DAEMON_HISTORY_DIAGRAM_H
#define ELECTD_DAEMON_HISTORY_DIAGRAM_H

#include <stdio.h>

#include "daemon/history/cut.h"

/* A larger picture cannot be read. */
#define DIAGRAM_NODES_MAX    64
#define DIAGRAM_MESSAGES_MAX 2000
#define DIAGRAM_ROWS_MAX     20000 /* two a message, and more */

/*
 * Writes the diagram; `cut` may be NULL. Gives 0 or a negative errno; -E2BIG,
 * without writing, for more nodes, messages or rows than a diagram shows;
 * -ENODATA for no event.
 */
int diagram_write(FILE *out, const struct causes *c, const struct cut *cut);

/* The same, to a file. */
int diagram_write_file(
    const char *path, const struct causes *c, const struct cut *cut);

#endif
