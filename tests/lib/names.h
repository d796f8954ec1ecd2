/* SPDX-License-Identifier: ISC */
/*
 * A name service that a test plays: this getaddrinfo(3) takes libc's place. It
 * knows all numbers.
 */
#ifndef ELECTD_TESTS_LIB_NAMES_H
#define ELECTD_TESTS_LIB_NAMES_H

#include <stdbool.h>

/* From now on `name` is these IPv4 addresses, in words; none: it is unknown.
 * One name at a time, any other is unknown. */
void names_set(const char *name, const char *first, const char *second);

/* From now on nobody gets an answer, or again everybody. */
void names_hold(bool is_held);

/* How often anybody has asked for a name. */
unsigned names_asked(void);

#endif
