/* SPDX-License-Identifier: ISC */
/*
 * Values of settings as the text of a file, by their rows. Pure, and
 * independent of libconfig.
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

/* Says what is wrong with a word of a command, of which the first is the
 * program, and what would be right; NULL: nothing. */
const char *command_word_fault(const char *word, bool is_program);

#endif
