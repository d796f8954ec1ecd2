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

TEST(a_text_that_fits_is_one_line)
{
	assert_printed("", "\n");
	assert_printed("OK  a leads; b", "OK  a leads; b\n");
	assert_printed(FIFTY " up to column 80, is 26.",
	    FIFTY " up to column 80, is 26.\n");
}

/* Each text has one column too many and breaks before its last piece. */
TEST(a_text_that_does_not_fit_goes_on_in_the_next_line)
{
	assert_printed(FIFTY " up to column 81, is 27 ...",
	    FIFTY " up to column 81,\n         is 27 ...\n");
	assert_printed(FIFTY " up to column 81; is 27 ...",
	    FIFTY " up to column 81;\n         is 27 ...\n");
	assert_printed(FIFTY " up to column 81: is 27 ...",
	    FIFTY " up to column 81:\n         is 27 ...\n");
	assert_printed(FIFTY " up to column 81  is 27....",
	    FIFTY " up to column 81\n         is 27....\n");
}

TEST(parentheses_are_not_broken)
{
	assert_printed(FIFTY " four (down for 5.0 s: died)",
	    FIFTY "\n         four (down for 5.0 s: died)\n");
}

/* A character of two bytes takes one column. */
TEST(columns_are_characters)
{
	assert_printed(FIFTY " up to c\xc3\xb6lumn 80, is 26.",
	    FIFTY " up to c\xc3\xb6lumn 80, is 26.\n");
}

TEST(a_line_that_is_full_is_cut_off)
{
	struct line line = { .size = 0 };

	for (size_t i = 0; i < 2 * sizeof(line.text); i++)
		line_add(&line, "%c", 'x');
	assert_int_equal(line.size, sizeof(line.text) - 1);
	assert_int_equal(strlen(line.text), line.size);
}

TEST(text_is_filled_in_with_members)
{
	static const struct {
		const char *text;
		const char *filled;
	} rows[] = {
		{ "{n} of {o.name}, {a.1}", "3 of x?y, b" },
		{ "{none} {null} {o}", "- - -" },
		{ "{n node} {nine node} {null node}", "three node 9 -" },
		{ "{ms ms} {n ms} {null ms}", "1.5 s 3.0 ms -" },
		{ "{why why} node{n s} node{one s}", "died:three nodes node" },
		{ "{k kinds}; {none kinds}; {a count}", "2 OK; nothing; 2" },
		{ "{yes?on: off}{no?on: off}{none?on:}", "on off" },
		{ "[, {null}]", "" },
		{ "[{null}|{n}|{one}]", "3" },
		{ "[{null}|else]", "else" },
		{ "[{n}[ ({null})], |{one}]", "3, " },
		{ "[{n}{null}[{one}]|{one}]!", "1!" },
	};
	json_t *object = json_pack(
	    "{s:i,s:i,s:i,s:n,s:f,s:{s:s},s:[s,s],s:s,s:{s:i,s:i},s:b,s:b,s:{s:s}}",
	    "n", 3, "nine", 9, "one", 1, "null", "ms", 1500.0, "o", "name",
	    "x\033y", "a", "a", "b", "why", "died:3", "k", "ELECTION", 0, "OK",
	    2, "yes", 1, "no", 0, "names", "3", "three");

	assert_non_null(object);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct line line = { .names = field(object, "names") };

		line_fill(&line, object, rows[i].text);
		assert_string_equal(line.text, rows[i].filled);
	}
	json_decref(object);
}

static bool
is_odd(const json_t *element)
{
	return json_integer_value(element) % 2 != 0;
}

TEST(list_is_cut_off_after_its_first_elements)
{
	json_t *list = json_pack("[i,i,i,i,i]", 1, 2, 3, 5, 7);
	struct line line = { .size = 0 };

	assert_int_equal(
	    line_fill_list(&line, list, is_odd, 2, ", ", "<{}>"), 4);
	assert_string_equal(line.text, "<1>, <3> and 2 more");
	json_decref(list);
}
