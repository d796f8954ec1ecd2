/* SPDX-License-Identifier: ISC */
/* Names of users in messages. */
#ifndef ELECTD_DAEMON_SYSTEM_USER_H
#define ELECTD_DAEMON_SYSTEM_USER_H

#include <sys/types.h>

#define USER_TEXT_MAX 64 /* a longer name is shown as a number */

/* Writes the user's name, or the number if there is no name. Returns `text`. */
const char *user_text(uid_t uid, char text[USER_TEXT_MAX]);

#endif
