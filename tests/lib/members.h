/* SPDX-License-Identifier: ISC */
/* What members a struct has: so that a test sees one that is added. */
#ifndef ELECTD_TESTS_LIB_MEMBERS_H
#define ELECTD_TESTS_LIB_MEMBERS_H

/* Finds the members of struct `name` in a header, and calls look() for each. */
void members_of(
    const char *path, const char *name, void (*look)(const char *member));

#endif
