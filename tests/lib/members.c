/* SPDX-License-Identifier: ISC */
#include "tests/lib/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/slurp.h"
#include "tests/unit/group.h"

void
members_of(const char *path, const char *name, void (*look)(const char *member))
{
	char *header = slurp(path);
	char begin[64], *at, *end;

	snprintf(begin, sizeof(begin), "struct %s {\n", name);
	at = strstr(header, begin);
	assert_non_null(at);
	at += strlen(begin);
	end = strstr(at, "\n};");
	assert_non_null(end);
	*end = '\0';
	for (char *c = strstr(at, "/*"); c != NULL; c = strstr(c, "/*"))
		while (strncmp(c, "*/", 2) != 0)
			*c++ = ' ';
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
		look(member);
	}
	free(header);
}
