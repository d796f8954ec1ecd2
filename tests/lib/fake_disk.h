/* SPDX-License-Identifier: ISC */
/*
 * A disk that fails or waits when a test wants it to. It takes the place of the
 * C library's pwrite(), fdatasync() and fsync() in a program that refers to `fake_disk`.
 */
#ifndef ELECTD_TESTS_LIB_FAKE_DISK_H
#define ELECTD_TESTS_LIB_FAKE_DISK_H

#include <sys/types.h>

struct fake_disk {
	unsigned syncs;   /* so far */
	unsigned fail_at; /* the number of the sync that fails, or 0 */
	int gate;         /* a pipe: each sync awaits a byte; -1: none */
	off_t wrote_at;   /* offset of the last write, or -1 */

	unsigned fsyncs;      /* so far */
	unsigned fsync_fails; /* the number of that which fails, or 0 */
	const char *names;    /* NULL, or a file */
	unsigned named;       /* the first at which that was there, or 0 */
};

extern struct fake_disk fake_disk;

#endif
