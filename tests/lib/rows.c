/* SPDX-License-Identifier: ISC */
#include "tests/lib/rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/slurp.h"
#include "tests/unit/group.h"

/* Fails unless the text of the rows names the member; gives whether it must. */
static bool
assert_row(const char *rows, const struct rows_of *of, const char *member)
{
	char row[96], list[96];

	for (size_t i = 0; of->others[i] != NULL; i++) {
		if (strcmp(of->others[i], member) == 0)
			return false;
	}
	snprintf(row, sizeof(row), "(%s%s)", of->prefix, member);
	snprintf(list, sizeof(list), "LIST(%s%s,", of->prefix, member);
	if (strstr(rows, row) == NULL && strstr(rows, list) == NULL)
		fail_msg("%s%s has no row", of->prefix, member);
	return true;
}

/* The text between the braces of the struct, with blanks for comments.
 * Allocated, at *text. */
static char *
body_of(const struct rows_of *of, char **text)
{
	char begin[64], *at, *end;

	*text = slurp(of->header);
	snprintf(begin, sizeof(begin), "struct %s {\n", of->name);
	at = strstr(*text, begin);
	assert_non_null(at);
	at += strlen(begin);
	end = strstr(at, "\n};");
	assert_non_null(end);
	*end = '\0';
	for (char *c = strstr(at, "/*"); c != NULL; c = strstr(c, "/*"))
		while (strncmp(c, "*/", 2) != 0)
			*c++ = ' ';
	return at;
}

size_t
assert_rows(const char *path, const struct rows_of *of)
{
	char *header, *rows = slurp(path);
	char *at = body_of(of, &header);
	size_t count = 0;

	while ((at = strchr(at, ';')) != NULL) {
		char *stop = at++, *start;
		char member[64];

		while (stop[-1] == ']')
			while (*--stop != '[')
				;
		start = stop;
		while (
		    start[-1] == '_' || (start[-1] >= 'a' && start[-1] <= 'z'))
			start--;
		if (start == stop || strchr(" *", start[-1]) == NULL)
			continue;
		snprintf(
		    member, sizeof(member), "%.*s", (int)(stop - start), start);
		count += assert_row(rows, of, member);
	}
	free(header);
	free(rows);
	return count;
}
