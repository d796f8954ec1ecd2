/* SPDX-License-Identifier: ISC */
/*
 * Test cases that list themselves. The files of tests/unit/FOLDER make one
 * program, build/tests/unit/FOLDER/test; the cases of a file are a group with
 * the name of the file, and run in the order of the file.
 *
 *   TEST(CASE[, SETUP[, TEARDOWN[, STATE]]]) { ... }
 *
 * SETUP and TEARDOWN return 0 if all is well, and may be NULL. The case, too,
 * has `void **state`: it points to STATE, or to what SETUP put in its place.
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

struct test {
	const char *file;
	struct CMUnitTest case_;
	struct test *next;
};

/* Adds a case to the program. It must stay where it is. */
void test_add(struct test *test);

#define TEST(...) TEST_FULL(__VA_ARGS__, NULL, NULL, NULL, NULL)
#define TEST_FULL(name, setup, teardown, state_at_start, ...)                  \
	static void name(void **state);                                        \
	static struct test test_##name = { __FILE__,                           \
		{ #name, name, setup, teardown, state_at_start }, NULL };      \
	__attribute__((constructor)) static void add_##name(void)              \
	{                                                                      \
		test_add(&test_##name);                                        \
	}                                                                      \
	static void name(__attribute__((unused)) void **state)

#endif
