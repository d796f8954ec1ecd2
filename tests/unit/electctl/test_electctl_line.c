/* SPDX-License-Identifier: ISC */
/* Lines of `status` fit a terminal. */

#include "tests/unit/group.h"

#include "daemon/electctl/print/line.h"
#include "tests/lib/capture.h"

static void
assert_printed(const char *text, const char *wanted)
{
	struct line line = { .size = 0 };

	line_add(&line, "%s", text);
	capture_stdout();
	line_print(&line);
	assert_string_equal(captured(), wanted);
}

#define FIFTY "fifty   3456789 123456789 123456789 123456789 1234567,"

static void
a_text_that_fits_is_one_line(void **state)
{
	(void)state;
	assert_printed("", "\n");
	assert_printed("OK  a leads; b", "OK  a leads; b\n");
	assert_printed(FIFTY " up to column 80, is 26.",
	    FIFTY " up to column 80, is 26.\n");
}

/* Each text has one column too many and breaks before its last piece. */
static void
a_text_that_does_not_fit_goes_on_in_the_next_line(void **state)
{
	(void)state;
	assert_printed(FIFTY " up to column 81, is 27 ...",
	    FIFTY " up to column 81,\n         is 27 ...\n");
	assert_printed(FIFTY " up to column 81; is 27 ...",
	    FIFTY " up to column 81;\n         is 27 ...\n");
	assert_printed(FIFTY " up to column 81: is 27 ...",
	    FIFTY " up to column 81:\n         is 27 ...\n");
	assert_printed(FIFTY " up to column 81  is 27....",
	    FIFTY " up to column 81\n         is 27....\n");
}

static void
parentheses_are_not_broken(void **state)
{
	(void)state;
	assert_printed(FIFTY " four (down for 5.0 s: died)",
	    FIFTY "\n         four (down for 5.0 s: died)\n");
}

/* A character of two bytes takes one column. */
static void
columns_are_characters(void **state)
{
	(void)state;
	assert_printed(FIFTY " up to c\xc3\xb6lumn 80, is 26.",
	    FIFTY " up to c\xc3\xb6lumn 80, is 26.\n");
}

static void
a_line_that_is_full_is_cut_off(void **state)
{
	struct line line = { .size = 0 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(line.text); i++)
		line_add(&line, "%c", 'x');
	assert_int_equal(line.size, sizeof(line.text) - 1);
	assert_int_equal(strlen(line.text), line.size);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_text_that_fits_is_one_line),
	cmocka_unit_test(a_text_that_does_not_fit_goes_on_in_the_next_line),
	cmocka_unit_test(parentheses_are_not_broken),
	cmocka_unit_test(columns_are_characters),
	cmocka_unit_test(a_line_that_is_full_is_cut_off),
};

GROUP(tests);
