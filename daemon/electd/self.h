/* SPDX-License-Identifier: ISC */
/* Which of the configured nodes this host is, where nobody says. */
#ifndef ELECTD_DAEMON_ELECTD_SELF_H
#define ELECTD_DAEMON_ELECTD_SELF_H

#include "daemon/config/settings.h"

#define SELF_TEXT_MAX 1024

/*
 * If settings->id is left out, sets it to the node whose address is ours, and
 * what depends on it. Gives EXIT_SUCCESS, or the status to exit with, and then
 * what is wrong in `text`.
 */
int self_look(struct settings *settings, char text[SELF_TEXT_MAX]);

/* The same; what is wrong has been logged. */
int self_find(struct settings *settings);

#endif
