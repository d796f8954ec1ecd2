/* SPDX-License-Identifier: ISC */
/* What the log writes to stderr: each line whole, on its own, with its rank. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/clock.h"
#include "daemon/log.h"

static int held = -1; /* the real stderr, while ours is a memory file */
static char text[4096];

static void
capture(void)
{
	int file = memfd_create("log", MFD_CLOEXEC);

	assert_true(file >= 0);
	held = dup(STDERR_FILENO);
	assert_true(held >= 0);
	assert_true(dup2(file, STDERR_FILENO) >= 0);
	close(file);
}

/* All that was written since capture(). */
static const char *
captured(void)
{
	ssize_t size = pread(STDERR_FILENO, text, sizeof(text) - 1, 0);

	dup2(held, STDERR_FILENO);
	close(held);
	held = -1;
	assert_true(size >= 0);
	text[size] = '\0';
	return text;
}

/* As systemd does it: the variable names the device and inode of stderr. */
static void
pretend_journal(void)
{
	char stream[64];
	struct stat st;

	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	snprintf(stream, sizeof(stream), "%lu:%lu", (unsigned long)st.st_dev,
	    (unsigned long)st.st_ino);
	assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
}

static int
plain(void **state)
{
	(void)state;
	unsetenv("JOURNAL_STREAM");
	log_set_level(LOG_LEVEL_INFO);
	return 0;
}

static void
line_bears_time_and_rank(void **state)
{
	(void)state;
	capture();
	log_warnx("peer %d suspected", 5);
	captured();
	assert_int_equal(strlen(text),
	    strlen("2026-11-20T12:03:07.431Z warning: peer 5 suspected\n"));
	assert_int_equal(text[4], '-');
	assert_int_equal(text[10], 'T');
	assert_int_equal(text[23], 'Z');
	assert_string_equal(text + 24, " warning: peer 5 suspected\n");
}

static void
only_the_plain_forms_tell_errno_and_none_touches_it(void **state)
{
	(void)state;
	capture();
	errno = ENOSPC;
	log_warn("one");
	log_warnx("two");
	log_error("three");
	log_errorx("four");
	assert_int_equal(errno, ENOSPC);
	captured();
	assert_non_null(
	    strstr(text, " warning: one: No space left on device\n"));
	assert_non_null(strstr(text, " warning: two\n"));
	assert_non_null(
	    strstr(text, " error: three: No space left on device\n"));
	assert_non_null(strstr(text, " error: four\n"));
}

static void
level_decides_what_is_told(void **state)
{
	(void)state;
	capture();
	log_debug("hidden");
	log_set_level(LOG_LEVEL_ERROR);
	log_info("hidden");
	log_warnx("hidden");
	log_set_level(LOG_LEVEL_TRACE);
	log_debug("shown");
	log_trace("shown too");
	captured();
	assert_int_equal(log_level(), LOG_LEVEL_TRACE);
	assert_null(strstr(text, "hidden"));
	assert_non_null(strstr(text, " debug: shown\n"));
	assert_non_null(strstr(text, " trace: shown too\n"));
}

static void
journal_gets_priorities_and_no_time(void **state)
{
	(void)state;
	capture();
	pretend_journal();
	log_set_level(LOG_LEVEL_TRACE);
	log_errorx("a");
	log_warnx("b");
	log_info("c");
	log_debug("d");
	log_trace("e");
	assert_string_equal(captured(), "<3>a\n<4>b\n<6>c\n<7>d\n<7>e\n");
}

static void
inherited_variable_of_another_stream_does_not_count(void **state)
{
	(void)state;
	capture();
	setenv("JOURNAL_STREAM", "1:1", 1);
	log_info("here");
	captured();
	assert_int_equal(text[0], '2');
}

static void
text_from_outside_cannot_begin_a_line(void **state)
{
	(void)state;
	capture();
	pretend_journal();
	log_info("node %s", "x\n<0>forged\r\t\x1b[2J\x7f");
	assert_string_equal(captured(), "<6>node x?<0>forged???[2J?\n");
}

static void
long_line_is_cut_and_still_ends(void **state)
{
	char name[3000];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	capture();
	log_info("%s", name);
	log_info("next");
	captured();
	assert_in_range(strchr(text, '\n') - text, 1000, 1023);
	assert_non_null(strstr(text, "x\n2"));
	assert_non_null(strstr(text, "info: next\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(line_bears_time_and_rank, plain),
		cmocka_unit_test_setup(
		    only_the_plain_forms_tell_errno_and_none_touches_it, plain),
		cmocka_unit_test_setup(level_decides_what_is_told, plain),
		cmocka_unit_test_setup(
		    journal_gets_priorities_and_no_time, plain),
		cmocka_unit_test_setup(
		    inherited_variable_of_another_stream_does_not_count, plain),
		cmocka_unit_test_setup(
		    text_from_outside_cannot_begin_a_line, plain),
		cmocka_unit_test_setup(long_line_is_cut_and_still_ends, plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
