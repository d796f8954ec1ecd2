/* SPDX-License-Identifier: ISC */
#include "tests/lib/slurp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#define SLURP_MAX ((size_t)1 << 20) /* bytes */

char *
slurp(const char *path)
{
	FILE *from = fopen(path, "r");
	char *text = calloc(1, SLURP_MAX + 1);

	if (from == NULL || text == NULL)
		fail_msg("%s: cannot be read", path);
	assert_true(fread(text, 1, SLURP_MAX, from) > 0 || feof(from));
	fclose(from);
	return text;
}

void
write_private(const char *path, const char *text)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(chmod(path, 0600), 0);
}
