/* SPDX-License-Identifier: ISC */
/*
 * The groups of test cases. The files of tests/unit/FOLDER make one program,
 * build/tests/unit/FOLDER/test. Each file ends with GROUP(tests): its cases are
 * a group with the name of the file.
 */
#ifndef ELECTD_TESTS_UNIT_GROUP_H
#define ELECTD_TESTS_UNIT_GROUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Ends the case; the test run says that it was skipped, and why. */
#undef skip
#define skip(why)                                                              \
	do {                                                                   \
		print_message("because: %s\n", why);                           \
		_skip(__FILE__, __LINE__);                                     \
	} while (0)

struct test_group {
	const char *file;
	const struct CMUnitTest *tests;
	size_t count;
	struct test_group *next;
};

/* Adds a group to the program. It must stay where it is. */
void group_add(struct test_group *group);

#define GROUP(tests)                                                           \
	static struct test_group group_of_file = { __FILE__, tests,            \
		sizeof(tests) / sizeof((tests)[0]), NULL };                    \
	__attribute__((constructor)) static void group_add_file(void)          \
	{                                                                      \
		group_add(&group_of_file);                                     \
	}                                                                      \
	_Static_assert(sizeof(tests) > 0, "a group has cases")

#endif
