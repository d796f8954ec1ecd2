/* SPDX-License-Identifier: ISC */
#include "tests/lib/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int held = -1; /* the real stderr, while ours is a memory file */
static int held_stdout = -1;
static char text[1 << 16];

void
capture(void)
{
	int file = memfd_create("log", MFD_CLOEXEC);

	assert_true(file >= 0);
	held = dup(STDERR_FILENO);
	assert_true(held >= 0);
	assert_true(dup2(file, STDERR_FILENO) >= 0);
	close(file);
}

void
capture_stdout(void)
{
	fflush(stdout);
	capture();
	held_stdout = dup(STDOUT_FILENO);
	assert_true(held_stdout >= 0);
	assert_true(dup2(STDERR_FILENO, STDOUT_FILENO) >= 0);
}

/* systemd sets JOURNAL_STREAM to the device and inode of stderr. */
void
capture_as_journal(void)
{
	char stream[64];
	struct stat st;

	capture();
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	snprintf(stream, sizeof(stream), "%lu:%lu", (unsigned long)st.st_dev,
	    (unsigned long)st.st_ino);
	assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
}

const char *
captured(void)
{
	ssize_t size;

	fflush(stdout);
	size = pread(STDERR_FILENO, text, sizeof(text) - 1, 0);
	if (held_stdout >= 0) {
		dup2(held_stdout, STDOUT_FILENO);
		close(held_stdout);
		held_stdout = -1;
	}
	dup2(held, STDERR_FILENO);
	close(held);
	held = -1;
	assert_true(size >= 0);
	text[size] = '\0';
	return text;
}
