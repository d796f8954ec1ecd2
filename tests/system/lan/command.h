/* SPDX-License-Identifier: ISC */
/*
 * The commands that steer a LAN while it runs. The process that keeps the LAN
 * carries them out. `command_usage` lists them.
 */
#ifndef ELECTD_TESTS_SYSTEM_LAN_COMMAND_H
#define ELECTD_TESTS_SYSTEM_LAN_COMMAND_H

#include <stdio.h>

#include "tests/system/lan/control.h"
#include "tests/system/lan/lan.h"

#define REPLY_OK    '+' /* first byte of a reply: the output follows, */
#define REPLY_ERROR '-' /* or a message does */

/*
 * Carries out a request, and cuts up its text. The reply is a string of at most
 * CONTROL_REPLY_MAX; `fds` are descriptors to send with it, which stay the
 * LAN's.
 */
void command_run(struct lan *lan, char *request, char reply[CONTROL_REPLY_MAX],
    struct control_fds *fds);

void command_usage(FILE *out);

#endif
