/* SPDX-License-Identifier: ISC */
/* Notices as lines of the log and as systemd's status text. */
#ifndef ELECTD_DAEMON_REPORT_H
#define ELECTD_DAEMON_REPORT_H

#include "common/node.h"
#include "daemon/settings.h"
#include "daemon/store.h"

/* Logs which node this is, of what. */
void report_start(const struct settings *settings);

/* Logs a notice, if it is one that an operator can act on or asked for. */
void report_notice(const struct settings *settings, const struct notice *n);

/* May it have changed what systemd is told, if there is one to be told? */
bool report_wants_status(const struct notice *n);

/* Tells systemd who leads, after a notice that may have changed it. */
void report_status(
    const struct settings *settings, const struct node_status *status);

/* A leader is to end; a deadline that was handed out is `ahead`, or 0. */
void report_handing_over(nsec_t ahead);

/*
 * The state could not be written: a negative errno. Unborn: the incarnation of
 * this process was not durable yet, so that it has to end.
 */
void report_disk(const struct settings *settings, const struct store *store,
    int error, bool is_unborn);

#endif
