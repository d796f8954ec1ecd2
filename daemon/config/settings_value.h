/* SPDX-License-Identifier: ISC */
/*
 * Values of settings as the text of a file, by their rows; and what is wrong
 * with a text. Pure, and independent of libconfig.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_VALUE_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_VALUE_H

#include "common/config/config_rows.h"
#include "common/config/config_value.h"

#define QUOTED_MAX 72 /* bytes of a value in a message; longer ones are cut */

/* Writes `text` in quotes, printable and cut to fit. Returns `buffer`. */
const char *quoted(const char *text, char buffer[QUOTED_MAX]);

#define VALUE_FAULT_MAX 640 /* fits the names of all algorithms */

/*
 * Sets the value of a row that is no list in its struct `of`: from its text, or
 * from a number or a truth, if it is of such. Returns NULL; or what is wrong
 * and what would be right, in `buffer`, and leaves the value as it is.
 */
const char *value_take(const struct config_row *row, void *of, const char *text,
    int64_t number, char buffer[VALUE_FAULT_MAX]);

/* Sets the default of a row that has one. */
void value_take_default(const struct config_row *row, void *of);

#define VALUE_MAX_BYTES 2100 /* any path with each byte escaped, in quotes */

/* Writes a value that is no list as a file has it. Returns `buffer`. */
const char *value_text(
    const struct config_row *row, const void *of, char buffer[VALUE_MAX_BYTES]);

/* Writes a text in quotes, as libconfig reads it. Returns `buffer`. */
const char *string_text(const char *text, char buffer[VALUE_MAX_BYTES]);

/*
 * How many letters must be added, dropped, changed or swapped with their
 * neighbour to make `a` of `b` (optimal string alignment). Case does not count.
 * UINT_MAX if a word is longer than 32 bytes.
 */
unsigned word_distance(const char *a, const char *b);

/* Each says what is wrong with a text and what would be right; NULL: nothing.
 * A text without fault fits its row. */
const char *path_fault(const char *text);
const char *check_name_fault(const char *text);
const char *command_word_fault(const char *word, bool is_program);
const char *unit_fault(const char *name);      /* of systemd */
const char *multicast_fault(const char *text); /* of a group with a port */
const char *interface_fault(const char *name);

#endif
