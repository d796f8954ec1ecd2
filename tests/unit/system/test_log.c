/* SPDX-License-Identifier: ISC */
/* The log's lines on stderr: each is whole, on its own, with its rank. */
#include "tests/unit/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/system/clock.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"

static const char *text; /* what was captured last */

static int
plain(void **state)
{
	(void)state;
	unsetenv("JOURNAL_STREAM");
	log_set_level(LOG_LEVEL_INFO);
	return 0;
}

TEST(line_bears_time_and_rank, plain)
{
	capture();
	log_warnx("peer %d suspected", 5);
	text = captured();
	assert_int_equal(strlen(text),
	    strlen("2026-11-20T12:03:07.431Z warning: peer 5 suspected\n"));
	assert_int_equal(text[4], '-');
	assert_int_equal(text[10], 'T');
	assert_int_equal(text[23], 'Z');
	assert_string_equal(text + 24, " warning: peer 5 suspected\n");
}

TEST(only_the_plain_forms_tell_errno_and_none_touches_it, plain)
{
	capture();
	errno = ENOSPC;
	log_warn("one");
	log_warnx("two");
	log_error("three");
	log_errorx("four");
	assert_int_equal(errno, ENOSPC);
	text = captured();
	assert_non_null(
	    strstr(text, " warning: one: No space left on device\n"));
	assert_non_null(strstr(text, " warning: two\n"));
	assert_non_null(
	    strstr(text, " error: three: No space left on device\n"));
	assert_non_null(strstr(text, " error: four\n"));
}

TEST(level_decides_what_is_logged, plain)
{
	capture();
	log_debug("hidden");
	log_set_level(LOG_LEVEL_ERROR);
	log_info("hidden");
	log_warnx("hidden");
	log_set_level(LOG_LEVEL_TRACE);
	log_debug("shown");
	log_trace("shown too");
	text = captured();
	assert_int_equal(log_level(), LOG_LEVEL_TRACE);
	assert_null(strstr(text, "hidden"));
	assert_non_null(strstr(text, " debug: shown\n"));
	assert_non_null(strstr(text, " trace: shown too\n"));
}

TEST(journal_gets_priorities_and_no_time, plain)
{
	capture_as_journal();
	log_set_level(LOG_LEVEL_TRACE);
	log_errorx("a");
	log_warnx("b");
	log_notice("c");
	log_info("d");
	log_debug("e");
	log_trace("f");
	assert_string_equal(captured(), "<3>a\n<4>b\n<5>c\n<6>d\n<7>e\n<7>f\n");
}

TEST(inherited_variable_of_another_stream_does_not_count, plain)
{
	capture();
	setenv("JOURNAL_STREAM", "1:1", 1);
	log_info("here");
	text = captured();
	assert_int_equal(text[0], '2');
}

TEST(text_from_outside_cannot_begin_a_line, plain)
{
	capture_as_journal();
	log_info("node %s", "x\n<0>forged\r\t\x1b[2J\x7f");
	assert_string_equal(captured(), "<6>node x?<0>forged???[2J?\n");
}

TEST(long_line_is_cut_and_still_ends, plain)
{
	char name[3000];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	capture();
	log_info("%s", name);
	log_info("next");
	text = captured();
	assert_in_range(strchr(text, '\n') - text, 1000, 1023);
	assert_non_null(strstr(text, "x\n2"));
	assert_non_null(strstr(text, "info: next\n"));
}
