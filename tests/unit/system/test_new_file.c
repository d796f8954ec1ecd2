/* SPDX-License-Identifier: ISC */
/* Files that a user names for output. */
#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/system/new_file.h"
#include "tests/lib/slurp.h"

static char place[] = "/tmp/electd-new-XXXXXX";

static int
enter(void **state)
{
	(void)state;
	strcpy(place + strlen(place) - 6, "XXXXXX");
	return mkdtemp(place) == NULL || chdir(place) != 0 ? -1 : 0;
}

static int
leave(void **state)
{
	(void)state;
	(void)unlink("file");
	(void)unlink("victim");
	return chdir("/") != 0 || rmdir(place) != 0 ? -1 : 0;
}

static void
put(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(chmod(path, mode), 0);
}

static void
assert_text(const char *path, const char *wanted)
{
	char *text = slurp(path);

	assert_string_equal(text, wanted);
	free(text);
}

/* Gives what new_file_end() gives, or what new_file_begin() refuses with. */
static int
write_new(const char *text, int error)
{
	char temporary[NEW_FILE_PATH_MAX];
	int fd = new_file_begin("file", temporary);

	if (fd < 0)
		return fd;
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return new_file_end("file", temporary, error);
}

#define CASE(name) TEST(name, enter, leave)

CASE(new_file_is_its_owners_alone)
{
	struct stat file;

	put("file", "before", 0644);
	assert_int_equal(write_new("after", 0), 0);
	assert_text("file", "after");
	assert_int_equal(stat("file", &file), 0);
	assert_int_equal(file.st_mode & 0777, 0600);
}

CASE(link_is_not_followed)
{
	put("victim", "safe", 0600);
	assert_int_equal(symlink("victim", "file"), 0);
	assert_int_equal(write_new("after", 0), -EEXIST);
	assert_text("victim", "safe");
}

CASE(pipe_is_refused)
{
	assert_int_equal(mkfifo("file", 0600), 0);
	assert_int_equal(write_new("after", 0), -EEXIST);
}

CASE(file_that_could_not_be_written_leaves_the_one_before)
{
	put("file", "before", 0600);
	assert_int_equal(write_new("aft", -ENOSPC), -ENOSPC);
	assert_text("file", "before");
}
