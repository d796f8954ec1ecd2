/* SPDX-License-Identifier: ISC */
/* Users and groups of this host by their names. */
#ifndef ELECTD_DAEMON_SYSTEM_RIGHTS_USER_H
#define ELECTD_DAEMON_SYSTEM_RIGHTS_USER_H

#include <stdbool.h>
#include <sys/types.h>

#define USER_TEXT_MAX 64 /* a longer name is shown as a number */

/* Writes the user's name, or the number if there is no name. Returns `text`. */
const char *user_text(uid_t uid, char text[USER_TEXT_MAX]);

/* The same for a group. */
const char *group_text(gid_t gid, char text[USER_TEXT_MAX]);

/* Writes the user's name as chown(1) takes it for a user with that user's
 * group; a number has no group. Returns `text`. */
const char *user_as_owner(uid_t uid, char text[USER_TEXT_MAX]);

/* Gives the number of the user or group of this name; false: there is none. */
bool user_named(const char *name, uid_t *user);
bool group_named(const char *name, gid_t *group);

/* True if this process may give its files to the group. */
bool user_may_give(gid_t group);

#endif
