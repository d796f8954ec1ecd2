/* SPDX-License-Identifier: ISC */
#include "tests/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int held = -1; /* the real stderr, while ours is a memory file */
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

/* The variable names the device and inode of stderr. */
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
	ssize_t size = pread(STDERR_FILENO, text, sizeof(text) - 1, 0);

	dup2(held, STDERR_FILENO);
	close(held);
	held = -1;
	assert_true(size >= 0);
	text[size] = '\0';
	return text;
}
