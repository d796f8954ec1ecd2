/* SPDX-License-Identifier: ISC */
/*
 * File systems that have no files without names, to be loaded before the C
 * library (LD_PRELOAD): openat() knows no O_TMPFILE.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int
openat(int directory, const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	if ((flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	va_start(arguments, flags);
	mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
	va_end(arguments);
	return (int)syscall(SYS_openat, directory, path, flags, mode);
}
