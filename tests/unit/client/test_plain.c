/* SPDX-License-Identifier: ISC */
/* electctl prints nothing for people or shells that could command a terminal.
 */

#include "tests/unit/group.h"

#include "daemon/electctl/print/print.h"
#include "tests/lib/capture.h"

static void
assert_plain(const char *from, const char *wanted)
{
	char text[64];

	strcpy(text, from);
	make_plain(text);
	assert_string_equal(text, wanted);
}

TEST(text_of_any_script_stays)
{
	static const char *const good[] = { "", "web-1", "N\xc3\xbcrnberg",
		"\xce\xa9\xc2\xa0", "\xe6\x9d\xb1\xe4\xba\xac",
		"\xf0\x9f\x98\x80", "\xef\xbf\xbd" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_plain(good[i], good[i]);
}

TEST(control_characters_become_question_marks)
{
	assert_plain("\x1b[2Ja\tb\nc\x7f", "?[2Ja?b?c?");
	assert_plain("a\xc2\x80"
		     "b\xc2\x9b"
		     "31m\xc2\x9f",
	    "a?b?31m?");
}

TEST(controls_of_direction_become_question_marks)
{
	assert_plain("\xe2\x80\xaa\xe2\x80\xae"
		     "a\xe2\x80\xaf",
	    "??a\xe2\x80\xaf");
	assert_plain("\xe2\x81\xa6"
		     "a\xe2\x81\xa9\xe2\x81\xaa",
	    "?a?\xe2\x81\xaa");
	assert_plain("\xe2\x80\x8e"
		     "a\xe2\x80\x8f\xd8\x9c",
	    "?a??");
	assert_plain("\xe2\x80\xa8\xe2\x80\xa9", "??");
}

/* An eight-bit terminal takes byte 0x9b for a command. A wrong byte does not
 * swallow those after it. */
TEST(bytes_that_are_no_utf_8_become_question_marks)
{
	assert_plain("\x9b"
		     "31m",
	    "?31m");
	assert_plain("\xff\xfe", "??");
	assert_plain("a\xc2", "a?");
	assert_plain("\xe2\x80", "??");
	assert_plain("\xc3"
		     "abc",
	    "?abc");
	assert_plain("\xe6\x9d\x1b[m", "???[m");
	assert_plain("\xc0\x9b", "??");
	assert_plain("\xe0\x82\x9b", "???");
	assert_plain("\xf0\x80\x82\x9b", "????");
	assert_plain("\xed\xa0\x80", "???");
	assert_plain("\xf4\x90\x80\x80", "????");
}

/* A string that is cut within a character ends before that character. */
TEST(a_long_string_is_cut_and_plain)
{
	char from[2 * PLAIN_TEXT_MAX] = "", text[PLAIN_TEXT_MAX];
	json_t *value;

	for (size_t i = 0; i + 2 < sizeof(from); i += 2)
		memcpy(from + i, "\xc3\xbc", 2);
	value = json_string(from);
	plain_text(value, text);
	json_decref(value);
	assert_int_equal(strlen(text), PLAIN_TEXT_MAX - 1);
	assert_int_equal(text[PLAIN_TEXT_MAX - 2], '?');
	assert_memory_equal(text, from, PLAIN_TEXT_MAX - 2);
}

TEST(complaints_have_no_control_characters)
{
	capture();
	complain("/run/\x1b]0;gone\x07%s: no socket", "\xc2\x9b"
						      "2J");
	assert_string_equal(
	    captured(), "electctl: /run/?]0;gone??2J: no socket\n");
}

TEST(pairs_have_no_control_characters)
{
	json_t *value = json_pack("{s:s,s:s,s:s}", "name", "web\x1b[2J",
	    "a\x1b", "it's\nso", "kind",
	    "\xe2\x80\xae"
	    "x");

	capture_stdout();
	print_kv(value, "\n");
	assert_string_equal(
	    captured(), "name='web?[2J'\na_='it'\\''s?so'\nkind='?x'\n");
	json_decref(value);
}
