/* SPDX-License-Identifier: ISC */
/*
 * What a host keeps in the state directory besides the state file, each as
 * CLUSTER-ID.KIND: a small file that is replaced as a whole, so that a crash
 * leaves the one before or the new one.
 */
#ifndef ELECTD_DAEMON_STATE_KEPT_FILE_H
#define ELECTD_DAEMON_STATE_KEPT_FILE_H

#include "daemon/config/settings.h"

#define KEPT_KIND_MAX 8 /* characters of a kind: "settings" */

/* Copies to *place, which is zeroed, what these functions read of the settings:
 * for another thread. */
void kept_file_place(struct settings *place, const struct settings *settings);

/* Keeps `size` bytes in place of any before. Waits for the disk. Returns 0, or
 * a negative errno: then the one before is kept. */
int kept_file_write(const struct settings *settings, const char *kind,
    const void *bytes, size_t size);

/* Reads the file, at most `max` bytes. Returns 0 and *size, or a negative
 * errno: -ENOENT if there is none, -EFBIG if it is larger. */
int kept_file_read(const struct settings *settings, const char *kind,
    void *bytes, size_t max, size_t *size);

/* Removes the file, if there is one, and waits for the disk. Returns 0 or a
 * negative errno. */
int kept_file_remove(const struct settings *settings, const char *kind);

#endif
