/* SPDX-License-Identifier: ISC */
/* Which of the configured nodes this host is, where nobody says. */
#ifndef ELECTD_DAEMON_ELECTD_IDENTIFY_H
#define ELECTD_DAEMON_ELECTD_IDENTIFY_H

#include "daemon/config/settings.h"

#define IDENTIFY_TEXT_MAX 1024

/*
 * If settings->id is left out, sets it to the node whose address is ours, and
 * what depends on it. Gives EXIT_SUCCESS, or the status to exit with, and then
 * what is wrong in `text`.
 */
int identify_look(struct settings *settings, char text[IDENTIFY_TEXT_MAX]);

/* The same; what is wrong has been logged. */
int identify_find(struct settings *settings);

#endif
