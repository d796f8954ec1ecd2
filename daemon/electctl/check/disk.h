/* SPDX-License-Identifier: ISC */
/* The check `disk`: the disk takes a write, and says that it has it. */
#ifndef ELECTD_DAEMON_ELECTCTL_CHECK_DISK_H
#define ELECTD_DAEMON_ELECTCTL_CHECK_DISK_H

/*
 * Writes a block to a new file in the directory, and syncs it. The file has no
 * name, or for a moment one where the file system wants that, and is gone
 * afterwards. Prints a line before each step that may hang, and after an error.
 * Gives the exit status, 0: the disk has taken all. It may never return, and no
 * signal may end it: so call it in a process for which nobody waits.
 */
int disk_check(const char *directory);

#endif
