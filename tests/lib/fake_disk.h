/* SPDX-License-Identifier: ISC */
/*
 * Takes the place of the C library's pwrite() and fdatasync() in a program
 * that refers to `fake_disk`: a disk that fails, or waits, when it is told to.
 */
#ifndef ELECTD_TESTS_LIB_FAKE_DISK_H
#define ELECTD_TESTS_LIB_FAKE_DISK_H

#include <sys/types.h>

struct fake_disk {
	unsigned syncs;   /* so far */
	unsigned fail_at; /* the number of the sync that fails, or 0 */
	int gate;         /* a pipe with one byte for each sync, or -1 */
	off_t wrote_at;   /* the last write, or -1 */
};

extern struct fake_disk fake_disk;

#endif
