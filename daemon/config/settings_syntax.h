/* SPDX-License-Identifier: ISC */
/*
 * Syntax errors told well: libconfig gives a line and no more. Looks for the
 * usual reasons in a text that settings_text_scan() let pass. Private to
 * settings*.c.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_SYNTAX_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_SYNTAX_H

#include "daemon/config/settings_errors.h"

/*
 * Adds the error for a `text` that cannot be parsed on in `line`: quotes the
 * line where it went wrong, with a hint if there is one.
 */
void settings_syntax_tell(
    const char *text, int line, struct settings_errors *errors);

/* The same where a setting in `line` has the name of an earlier one. */
void settings_syntax_tell_duplicate(
    const char *text, int line, struct settings_errors *errors);

#endif
