/* SPDX-License-Identifier: ISC */
/*
 * From text to draft: libconfig parses, and every setting is looked up in
 * the schema. The only file that knows libconfig. Private to settings*.c.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_WALK_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_WALK_H

#include "daemon/config/settings_schema.h"

/*
 * Parses `text`, which settings_text_scan() has let pass, into a zeroed draft.
 * False, with an error, if it does not parse.
 */
bool draft_read(
    struct draft *draft, const char *text, struct settings_errors *errors);

/* Frees what the draft holds, and the texts with it. */
void draft_done(struct draft *draft);

#endif
