/* SPDX-License-Identifier: ISC */
/*
 * A library to preload: the second fork of a process, or of its parent before
 * it, fails as on a host that has no room for one more process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

pid_t
fork(void)
{
	static unsigned forks;
	pid_t (*real)(void);

	if (++forks == 2) {
		errno = EAGAIN;
		return -1;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "fork");
	return real();
}
