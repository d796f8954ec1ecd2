/* SPDX-License-Identifier: ISC */
/* Users as messages name them. */
#ifndef ELECTD_DAEMON_SYSTEM_USER_H
#define ELECTD_DAEMON_SYSTEM_USER_H

#include <sys/types.h>

#define USER_TEXT_MAX 64 /* a longer name is told as a number */

/* A user's name, or its number if it has none, in `text`; gives `text`. */
const char *user_text(uid_t uid, char text[USER_TEXT_MAX]);

#endif
