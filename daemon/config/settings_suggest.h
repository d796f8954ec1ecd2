/* SPDX-License-Identifier: ISC */
/* What an unknown word was meant to be. */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_SUGGEST_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_SUGGEST_H

#include "daemon/config/settings_rows.h"

/*
 * How many letters must be added, dropped, changed or swapped with their
 * neighbour to make `a` of `b` (optimal string alignment). Case does not count.
 * UINT_MAX if a word is longer than 32 bytes.
 */
unsigned word_distance(const char *a, const char *b);

#define SUGGESTION_MAX 320 /* fits the names of all settings of the root */

/*
 * Suggests what `name` was meant to be, which is unknown in the section `here`:
 * the nearest setting of any section, or all settings of this one. Returns
 * `buffer`.
 */
const char *section_suggest(
    const struct section *here, const char *name, char buffer[SUGGESTION_MAX]);

#endif
