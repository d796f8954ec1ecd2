/* SPDX-License-Identifier: ISC */
/*
 * A disk that fails or waits when a test wants it to. It takes the place of the
 * C library's pwrite() and fdatasync() in a program that refers to `fake_disk`.
 */
#ifndef ELECTD_TESTS_LIB_FAKE_DISK_H
#define ELECTD_TESTS_LIB_FAKE_DISK_H

#include <sys/types.h>

struct fake_disk {
	unsigned syncs;   /* so far */
	unsigned fail_at; /* the number of the sync that fails, or 0 */
	int gate;         /* a pipe: each sync awaits a byte; -1: none */
	off_t wrote_at;   /* offset of the last write, or -1 */
};

extern struct fake_disk fake_disk;

#endif
