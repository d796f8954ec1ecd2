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

/* The cases of a file stand together, the files in the order of their names. */
static struct test *tests;

void
test_add(struct test *test)
{
	struct test **at = &tests;

	while (*at != NULL && strcmp((*at)->file, test->file) <= 0)
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

static const struct test *
after_group(const struct test *first)
{
	const struct test *t = first;

	while (t != NULL && strcmp(t->file, first->file) == 0)
		t = t->next;
	return t;
}

static void
name_of(const struct test *first, char name[NAME_MAX_BYTES])
{
	const char *slash = strrchr(first->file, '/');

	snprintf(name, NAME_MAX_BYTES, "%s",
	    slash != NULL ? slash + 1 : first->file);
	name[strcspn(name, ".")] = '\0';
}

static int
run(const struct test *first)
{
	const struct test *end = after_group(first);
	struct CMUnitTest *cases;
	char name[NAME_MAX_BYTES];
	size_t count = 0;
	int result;

	for (const struct test *t = first; t != end; t = t->next)
		count++;
	cases = calloc(count, sizeof(*cases));
	if (cases == NULL)
		abort();
	for (size_t i = 0; i < count; i++, first = first->next) {
		name_of(first, name);
		cases[i] = first->case_;
	}
	printf("%s\n", name);
	fflush(stdout);
	result = _cmocka_run_group_tests(name, cases, count, NULL, NULL);
	free(cases);
	return result;
}

static const struct test *
find(const char *wanted)
{
	char name[NAME_MAX_BYTES];

	for (const struct test *t = tests; t != NULL; t = after_group(t)) {
		name_of(t, name);
		if (strcmp(name, wanted) == 0)
			return t;
	}
	return NULL;
}

static bool
has(const struct test *first, const char *wanted)
{
	for (const struct test *t = first; t != after_group(first);
	     t = t->next) {
		if (strcmp(t->case_.name, wanted) == 0)
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
		const struct test *group;

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
	for (const struct test *t = tests; t != NULL && count < 2;
	     t = after_group(t))
		has_failed = run(t) != 0 || has_failed;
	return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
