/* SPDX-License-Identifier: ISC */
/*
 * A name service that a test plays. This getaddrinfo(3) takes the place of
 * libc's. It resolves all numeric addresses.
 */
#ifndef ELECTD_TESTS_LIB_NAMES_H
#define ELECTD_TESTS_LIB_NAMES_H

#include <stdbool.h>

/* Gives `name` these IPv4 addresses, separated by blanks; none: the name is
 * unknown. There is one name at a time, any other is unknown. */
void names_set(const char *name, const char *first, const char *second);

/* Lets all look-ups go without an answer, or answers them again. */
void names_hold(bool is_held);

/* Counts the look-ups so far. */
unsigned names_asked(void);

#endif
