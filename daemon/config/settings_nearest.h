/* SPDX-License-Identifier: ISC */
/* "Did you mean": which known setting an unknown one is nearest to. Private. */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_NEAREST_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_NEAREST_H

#include "daemon/config/settings_schema.h"

#define SUGGESTION_MAX 320 /* the root's names all together, and then some */

/* The option of this very name; NULL if there is none. */
const struct option *option_find(
    const struct option *options, const char *name);

/*
 * Writes what may have been meant by `name`, which is unknown in the group
 * `here` (NULL: the root): the setting nearest to it anywhere, else all that
 * are known here. Gives `room`.
 */
const char *option_suggest(
    const struct option *here, const char *name, char room[SUGGESTION_MAX]);

/*
 * How many letters must be added, dropped, changed or swapped with their
 * neighbour to make `a` of `b`. Letter case does not count. A word longer
 * than 32 bytes is far from everything.
 */
unsigned word_distance(const char *a, const char *b);

#endif
