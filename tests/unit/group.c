/* SPDX-License-Identifier: ISC */
/*
 * The main program of the unit tests of a folder. usage: test [GROUP[/CASE]...]
 * Runs the groups of these names, or a case of them, else all, sorted by name.
 * Fails if a case does. A crash ends the program: tests/run.sh runs each group by
 * itself.
 */
#include "tests/unit/group.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 64

static struct test_group *groups;

static void
name_of(const struct test_group *group, char name[NAME_MAX_BYTES])
{
	const char *slash = strrchr(group->file, '/');

	snprintf(name, NAME_MAX_BYTES, "%s",
	    slash != NULL ? slash + 1 : group->file);
	name[strcspn(name, ".")] = '\0';
}

void
group_add(struct test_group *group)
{
	struct test_group **at = &groups;

	while (*at != NULL && strcmp((*at)->file, group->file) < 0)
		at = &(*at)->next;
	group->next = *at;
	*at = group;
}

static int
run(const struct test_group *group)
{
	char name[NAME_MAX_BYTES];

	name_of(group, name);
	printf("%s\n", name);
	fflush(stdout);
	return _cmocka_run_group_tests(
	    name, group->tests, group->count, NULL, NULL);
}

static const struct test_group *
find(const char *wanted)
{
	char name[NAME_MAX_BYTES];

	for (const struct test_group *g = groups; g != NULL; g = g->next) {
		name_of(g, name);
		if (strcmp(name, wanted) == 0)
			return g;
	}
	return NULL;
}

static bool
has(const struct test_group *group, const char *wanted)
{
	for (size_t i = 0; i < group->count; i++) {
		if (strcmp(group->tests[i].name, wanted) == 0)
			return true;
	}
	return false;
}

int
main(int count, char *names[])
{
	bool has_failed = false;

	for (int i = 1; i < count; i++) {
		char *name = strchr(names[i], '/');
		const struct test_group *group;

		if (name != NULL)
			*name++ = '\0';
		group = find(names[i]);
		if (group == NULL || (name != NULL && !has(group, name))) {
			fprintf(stderr, "no %s %s here\n", names[i],
			    name != NULL ? name : "");
			return 2;
		}
		cmocka_set_test_filter(name);
		has_failed = run(group) != 0 || has_failed;
	}
	for (const struct test_group *g = groups; g != NULL && count < 2;
	     g = g->next)
		has_failed = run(g) != 0 || has_failed;
	return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
