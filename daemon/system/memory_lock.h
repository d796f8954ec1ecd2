/* SPDX-License-Identifier: ISC */
/*
 * What is needed in a hurry stays in memory. A daemon that has next to nothing
 * to do for days is the first to be paged out, and would read its own code from
 * a disk when a leader dies: a millisecond and more for each page.
 */
#ifndef ELECTD_DAEMON_SYSTEM_MEMORY_LOCK_H
#define ELECTD_DAEMON_SYSTEM_MEMORY_LOCK_H

/*
 * Reads all of the program itself, and locks it (mlock(2)); and of the
 * libraries and all else that is mapped by now, what was used, or will be. As
 * far as it may: the second wants CAP_IPC_LOCK, or an RLIMIT_MEMLOCK above all
 * that is mapped, some 11 MB and the nodes.
 */
void memory_lock_begin(void);

#endif
