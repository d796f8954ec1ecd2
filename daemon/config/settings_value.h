/* SPDX-License-Identifier: ISC */
/*
 * Values of a host's own settings as text, beside those of
 * common/config/config_value.h. Pure.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_VALUE_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_VALUE_H

#include "common/config/config_value.h"

#define PATH_MAX_BYTES 1024 /* any path in the file, and its end */

/* The words of choices that only files have; NULL ends them. */
extern const char *const side_words[];
extern const char *const announce_words[];

/* The index of `text` in `words`, or -1. */
int word_find(const char *const *words, const char *text);

/*
 * How many letters must be added, dropped, changed or swapped with their
 * neighbour to make `a` of `b` (optimal string alignment). Case does not count.
 * UINT_MAX if a word is longer than 32 bytes.
 */
unsigned word_distance(const char *a, const char *b);

/* Says what is wrong with a path and what would be right, or returns NULL if
 * the text is valid. */
const char *path_fault(const char *text);

#endif
