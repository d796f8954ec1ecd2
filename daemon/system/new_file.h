/* SPDX-License-Identifier: ISC */
/*
 * A file that a user names for output. It appears under its name when it is
 * whole, only its owner may read it, and nothing is written through a link or
 * into anything but a file: root may be the user, in a directory of others.
 */
#ifndef ELECTD_DAEMON_SYSTEM_NEW_FILE_H
#define ELECTD_DAEMON_SYSTEM_NEW_FILE_H

#define NEW_FILE_PATH_MAX 4096

/* Gives a descriptor, which is the caller's to close, or a negative errno:
 * -EEXIST if something else than a file has this name. Sets `temporary`. */
int new_file_begin(const char *path, char temporary[NEW_FILE_PATH_MAX]);

/* Gives the file its name, in place of one before, or removes it if `error` is
 * not 0. Gives that error, or 0 or a negative errno. */
int new_file_end(const char *path, const char *temporary, int error);

#endif
