/* SPDX-License-Identifier: ISC */
/* The state directory: its owner, and who else may write to it. */
#ifndef ELECTD_DAEMON_STATE_STATE_DIR_H
#define ELECTD_DAEMON_STATE_STATE_DIR_H

#include <sys/types.h>

#include "daemon/config/settings.h"

#define STATE_DIR_TEXT_MAX 2560 /* a path of 1023 bytes twice, and the words */

/* The findings and deeds of state_dir_prepare() as root. */
struct state_dir {
	bool is_made;       /* root made the directory */
	bool has_key_owner; /* the key belongs to a user other than root: electd
	                     * must run as that user */
	uid_t key_uid;      /* user that owns the key */
	gid_t key_gid;      /* group of that user */
};

/*
 * Prepares for creating files that electd can open later. If run as root, the
 * process continues for good as the owner of the state directory. If the
 * directory is missing, it continues as the owner of the parent; if that is
 * root, it makes the directory for the owner of the key file, or for root if
 * root owns that too. Root makes nothing where others may write. Any other user
 * continues as is, and nothing is made. Fills in *dir. Returns 0 or a negative
 * errno.
 */
int state_dir_prepare(const struct settings *settings, struct state_dir *dir);

/*
 * True if electd, run as the owner of the key, may be unable to open the
 * directory or what was just made in it. Sets `text` to what the operator has
 * to do.
 */
bool state_dir_has_other_owner(const struct settings *settings,
    const struct state_dir *dir, char text[STATE_DIR_TEXT_MAX]);

/* True if others than the owner may write to the directory. Sets `text` to what
 * the operator has to do. */
bool state_dir_is_open_to_others(
    const char *directory, char text[STATE_DIR_TEXT_MAX]);

/* Why the state in the directory cannot be opened, and what to do. `error` is a
 * negative errno. Returns `text` or a constant. */
const char *state_dir_error(
    const char *directory, int error, char text[STATE_DIR_TEXT_MAX]);

#endif
