/* SPDX-License-Identifier: ISC */
/*
 * The text of a configuration: read with bounds, and looked through for what
 * libconfig 1.5 would do without a word (cut integers, follow includes, take
 * an unended comment for the end). Private to settings*.c.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_TEXT_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_TEXT_H

#include "daemon/config/settings_errors.h"

/*
 * The content of the regular file `path`, ending in a newline, allocated;
 * NULL with one error if it cannot be had. Never blocks on a FIFO or device.
 */
char *settings_text_read(const char *path, struct settings_errors *errors);

/*
 * Looks through `text`. False: it must not be parsed. Else integers out of
 * range are errors already, and stand in the text as ".000", which is no
 * integer and keeps every line where it was.
 */
bool settings_text_scan(char *text, struct settings_errors *errors);

#endif
