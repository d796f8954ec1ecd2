/* SPDX-License-Identifier: ISC */
/* A whole file as a text, for tests. */
#ifndef ELECTD_TESTS_LIB_SLURP_H
#define ELECTD_TESTS_LIB_SLURP_H

/* The content of a file of at most 1 MiB, allocated; else the test fails. */
char *slurp(const char *path);

#endif
