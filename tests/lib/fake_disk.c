/* SPDX-License-Identifier: ISC */
/* A disk that fails or waits when a test wants it to. */
#include "tests/lib/fake_disk.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fake_disk fake_disk = { .gate = -1, .wrote_at = -1 };

int
fdatasync(int file)
{
	char byte;

	if (fake_disk.gate >= 0 && read(fake_disk.gate, &byte, 1) != 1)
		return -1;
	if (++fake_disk.syncs == fake_disk.fail_at) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, file);
}

int
fsync(int file)
{
	fake_disk.fsyncs++;
	if (fake_disk.named == 0 && fake_disk.names != NULL &&
	    access(fake_disk.names, F_OK) == 0)
		fake_disk.named = fake_disk.fsyncs;
	if (fake_disk.fsyncs == fake_disk.fsync_fails) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fsync, file);
}

ssize_t
pwrite(int file, const void *bytes, size_t size, off_t at)
{
	fake_disk.wrote_at = at;
	return syscall(SYS_pwrite64, file, bytes, size, at);
}
