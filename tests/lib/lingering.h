/* SPDX-License-Identifier: ISC */
/* A file that takes long to close, and how to pass it to another process. */
#ifndef ELECTD_TESTS_LIB_LINGERING_H
#define ELECTD_TESTS_LIB_LINGERING_H

#include <stdbool.h>

/*
 * Makes a TCP connection over loopback whose other end reads nothing. Whoever
 * closes the near end last lingers for `seconds`, or until the far end is
 * closed.
 */
bool lingering_make(int *near, int *far, int seconds);

/* Sends this text, with the file if it is not negative, and with these flags of
 * send(2). */
bool pass_file(int fd, const char *text, int file, int flags);

#endif
