/* SPDX-License-Identifier: ISC */
/*
 * A library to preload: it makes system calls that an intruder would make, as
 * it is loaded and at each SIGUSR2, and says what becomes of them. None of them
 * changes anything: where they are not forbidden, they ask for nothing, or fail
 * by what they ask for.
 */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static void
say(const char *when, const char *call, long status)
{
	dprintf(STDERR_FILENO, "%s: %s: %s\n", when, call,
	    status >= 0 ? "done" : strerrorname_np(errno));
}

static void
make_calls(const char *when)
{
	const int all = PROT_READ | PROT_WRITE | PROT_EXEC;

	say(when, "unshare", syscall(SYS_unshare, 0));
	say(when, "clone", syscall(SYS_clone, CLONE_NEWUSER | CLONE_FS, 0));
	say(when, "ptrace", syscall(SYS_ptrace, PTRACE_CONT, 0, 0, 0));
	say(when, "socket", syscall(SYS_socket, AF_PACKET, -1, 0));
	say(when, "ioctl", syscall(SYS_ioctl, -1, TIOCSTI, ""));
	say(when, "mmap", syscall(SYS_mmap, 0, 0, all, 0, -1, 0));
	say(when, "mprotect", syscall(SYS_mprotect, 1, PAGE, PROT_EXEC));
	say(when, "setuid", syscall(SYS_setresuid, -1, -1, -1));
}

static void
on_signal(int signal)
{
	int error = errno;

	(void)signal;
	make_calls("later");
	errno = error;
}

static void __attribute__((constructor)) begin(void)
{
	struct sigaction action = { .sa_handler = on_signal,
		.sa_flags = SA_RESTART };

	sigfillset(&action.sa_mask);
	sigaction(SIGUSR2, &action, NULL);
	make_calls("first");
}
