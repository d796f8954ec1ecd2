/* SPDX-License-Identifier: ISC */
/* Whose the state directory is, and who else gets at it. */
#ifndef ELECTD_DAEMON_STATE_STATE_DIR_H
#define ELECTD_DAEMON_STATE_STATE_DIR_H

#include <sys/types.h>

#include "daemon/config/settings.h"

#define PLACE_TEXT_MAX 2560 /* a path of 1023 bytes twice, and the words */

/* What state_dir_take() did and knew while it was still root. */
struct store_place {
	bool is_made; /* the directory, by root */
	bool has_key_owner;
	uid_t key_uid; /* owner of a key that only the owner may read ... */
	gid_t key_gid; /* ... so that electd must run as that one, if not 0 */
};

/*
 * What root makes, electd must be able to open: root goes on as the owner of
 * the state directory, for good. A missing one is left to the owner of the
 * directory above it; if that is root, it is made for the owner of the key
 * file, whom electd must run as; if that is root, for root. Root makes none
 * where others may write. Anybody else goes on as they are, and nothing is
 * made. 0, or a negative errno.
 */
int state_dir_take(const struct settings *settings, struct store_place *place);

/*
 * Whether electd may be unable to open what there is, or was made just now, and
 * what to do. False: nothing tells.
 */
bool state_dir_is_strange(const struct settings *settings,
    const struct store_place *place, char text[PLACE_TEXT_MAX]);

/* Whether others than its owner may write to it, and what to do. */
bool state_dir_is_loose(const char *directory, char text[PLACE_TEXT_MAX]);

/* Why the state in that directory cannot be opened, and what to do. */
const char *state_dir_error(
    const char *directory, int error, char text[PLACE_TEXT_MAX]);

#endif
