/* SPDX-License-Identifier: ISC */
/* Each member of a struct of settings has a row. */
#ifndef ELECTD_TESTS_LIB_ROWS_H
#define ELECTD_TESTS_LIB_ROWS_H

#include <stddef.h>

struct rows_of {
	const char *header;
	const char *name;          /* of the struct */
	const char *prefix;        /* of its members in rows: "timing." */
	const char *const *others; /* members that are no settings; NULL ends */
};

/* Fails unless the file `path` has a row for each member. Returns how many
 * members have one. */
size_t assert_rows(const char *path, const struct rows_of *of);

#endif
