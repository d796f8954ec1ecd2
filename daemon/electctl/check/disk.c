/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/check/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 4096 /* of a page: less is written as much */

/* Of a file system that has no files without names. Whoever may write to the
 * directory can make this name; a check then fails, and follows no link. */
#define NAME ".electctl-checks"

/* Says what comes next, for the case that it hangs. */
static void
begin(const char *step, const char *directory)
{
	dprintf(STDOUT_FILENO, "%s %s\n", step, directory);
}

static int
fail(const char *step)
{
	dprintf(STDOUT_FILENO, "%s: %s\n", step, strerror(errno));
	return EXIT_FAILURE;
}

/* One that was killed has left the name, so it is removed first, too. */
static int
open_named(int directory)
{
	int file;

	(void)unlinkat(directory, NAME, 0);
	file = openat(directory, NAME,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    S_IRUSR | S_IWUSR);
	if (file >= 0)
		(void)unlinkat(directory, NAME, 0);
	return file;
}

/* Gives a new file, or -1 with errno. */
static int
open_file(const char *path)
{
	int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), file;

	if (directory < 0)
		return -1;
	file = openat(directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC,
	    S_IRUSR | S_IWUSR);
	/* EISDIR: a kernel module that has never heard of O_TMPFILE. */
	if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		file = open_named(directory);
	return file;
}

int
disk_check(const char *directory)
{
	char block[BLOCK_BYTES];
	int file;

	memset(block, 'e', sizeof(block));
	begin("opening a file in", directory);
	file = open_file(directory);
	if (file < 0)
		return fail("open");
	begin("writing to", directory);
	if (write(file, block, sizeof(block)) != sizeof(block))
		return fail("write");
	begin("syncing", directory);
	if (fdatasync(file) != 0)
		return fail("sync");
	/* btrfs does not wait for the block if its file has no name. */
	(void)sync_file_range(file, 0, 0,
	    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
		SYNC_FILE_RANGE_WAIT_AFTER);
	return EXIT_SUCCESS;
}
