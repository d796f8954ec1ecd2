/* SPDX-License-Identifier: ISC */
/*
 * `checks`: the checker, which runs the checks of electd's configuration, and
 * says on the admin socket how the services are. electd has each check, so
 * there is one configuration; a reload reaches this with the answer to the next
 * report. Everything is done in one loop that never waits: each report shows
 * electd that it turns.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_CHECK_CHECKS_H
#define ELECTD_DAEMON_ELECTCTL_CHECK_CHECKS_H

#include "daemon/electctl/ask/ask.h"

enum control_code run_checks(
    const struct command *command, const struct options *options);

#endif
