/* SPDX-License-Identifier: ISC */
/*
 * The commands that steer a LAN while it runs, carried out by the process
 * that keeps it. `command_usage` lists them.
 */
#ifndef ELECTD_TESTS_LAN_COMMAND_H
#define ELECTD_TESTS_LAN_COMMAND_H

#include <stdio.h>

#include "tests/lan/control.h"
#include "tests/lan/lan.h"

#define REPLY_OK    '+' /* first of a reply: what follows is the output, */
#define REPLY_ERROR '-' /* or a message */

/*
 * Carries out a request, which is taken apart. The reply is a string of at
 * most CONTROL_REPLY_MAX; `fds` are those to send with it, and stay the LAN's.
 */
void command_run(struct lan *lan, char *request, char reply[CONTROL_REPLY_MAX],
    struct control_fds *fds);

void command_usage(FILE *out);

#endif
