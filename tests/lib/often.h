/* SPDX-License-Identifier: ISC */
/*
 * How often a case does again what it has done: `make test-long` has time for
 * all of it.
 */
#ifndef ELECTD_TESTS_LIB_OFTEN_H
#define ELECTD_TESTS_LIB_OFTEN_H

/* All of these times where the environment has LONG, else a quarter of them,
 * rounded up. */
unsigned often(unsigned times);

#endif
