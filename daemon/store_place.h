/* SPDX-License-Identifier: ISC */
/* Whose the state directory is, and who else gets at it. */
#ifndef ELECTD_DAEMON_STORE_PLACE_H
#define ELECTD_DAEMON_STORE_PLACE_H

#include "daemon/settings.h"

#define PLACE_TEXT_MAX 2560 /* a path of 1023 bytes twice, and the words */

/*
 * What root makes, electd must be able to open: root goes on as the owner of
 * the state directory, for good. A missing one is made for the owner of the
 * directory above it; if that is root, for the owner of the key file, whom
 * electd must run as; if that is root, for root. Anybody else goes on as they
 * are, and nothing is made. 0, or a negative errno.
 */
int store_place_take(const struct settings *settings, bool *is_made);

/*
 * Whether electd may be unable to open what there is, or was made just now, and
 * what to do. False: nothing tells.
 */
bool store_place_is_strange(
    const struct settings *settings, bool is_made, char text[PLACE_TEXT_MAX]);

/* Whether others than its owner may write to it, and what to do. */
bool store_place_is_loose(const char *directory, char text[PLACE_TEXT_MAX]);

/* Why the state in that directory cannot be opened, and what to do. */
const char *store_place_error(
    const char *directory, int error, char text[PLACE_TEXT_MAX]);

#endif
