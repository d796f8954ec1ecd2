/* SPDX-License-Identifier: ISC */
/*
 * How often a case repeats what it tries: `make test-long` has time for all of
 * it.
 */
#ifndef ELECTD_TESTS_LIB_OFTEN_H
#define ELECTD_TESTS_LIB_OFTEN_H

/* Gives `times` where the environment has LONG, else a quarter of it, rounded
 * up. */
unsigned often(unsigned times);

#endif
