/* SPDX-License-Identifier: ISC */
/*
 * Keeps in memory what a failover needs. A daemon that is idle for days is the
 * first to be paged out; it would then read its code back from disk when a
 * leader dies, at a millisecond or more a page.
 */
#ifndef ELECTD_DAEMON_SYSTEM_RIGHTS_MEMORY_LOCK_H
#define ELECTD_DAEMON_SYSTEM_RIGHTS_MEMORY_LOCK_H

/*
 * Reads and locks (mlock(2)) the whole program. Of libraries and all else that
 * is mapped by now, locks each page that is or will be used; this needs
 * CAP_IPC_LOCK, or an RLIMIT_MEMLOCK above all that is mapped, some 11 MB plus
 * the nodes. Locks what it may and reports no error.
 */
void memory_lock_begin(void);

#endif
