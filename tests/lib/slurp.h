/* SPDX-License-Identifier: ISC */
/* Reads and writes a whole file as a text, for tests. */
#ifndef ELECTD_TESTS_LIB_SLURP_H
#define ELECTD_TESTS_LIB_SLURP_H

/* Gives the content of a file of at most 1 MiB, allocated; fails the test if it
 * cannot. */
char *slurp(const char *path);

/* Writes a file that its owner alone may read, as a key has to be. */
void write_private(const char *path, const char *text);

#endif
