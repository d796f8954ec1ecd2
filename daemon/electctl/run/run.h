/* SPDX-License-Identifier: ISC */
/* Verbs that run commands. */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_RUN_H
#define ELECTD_DAEMON_ELECTCTL_RUN_RUN_H

#include "daemon/electctl/ask/ask.h"

/* run.c: `run`. */
enum control_code run_command(
    const struct command *command, const struct options *options);

/* follow.c: `follow`. */
enum control_code run_follow(
    const struct command *command, const struct options *options);

#endif
