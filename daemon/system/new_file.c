/* SPDX-License-Identifier: ISC */
#include "daemon/system/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int
new_file_begin(const char *path, char temporary[NEW_FILE_PATH_MAX])
{
	int size = snprintf(
	    temporary, NEW_FILE_PATH_MAX, "%s.new-%d", path, (int)getpid());
	struct stat there;
	int fd;

	if (size < 0 || size >= NEW_FILE_PATH_MAX)
		return -ENAMETOOLONG;
	if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
		return -EEXIST;
	fd = open(temporary,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

int
new_file_end(const char *path, const char *temporary, int error)
{
	if (error == 0 && rename(temporary, path) != 0)
		error = -errno;
	if (error != 0)
		(void)unlink(temporary);
	return error;
}
