/* SPDX-License-Identifier: ISC */
/*
 * nosocket COMMAND [ARGUMENT...]: runs the command so that its first attempt to
 * open a socket of any kind ends it with SIGSYS. If it ends otherwise, it has
 * opened none.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXIT_UNABLE 77 /* this system has no seccomp, so nothing is known */

/* Compares the number alone: a test of friends needs no check of the
 * architecture. */
static struct sock_filter program[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

int
main(int argc, char **argv)
{
	struct sock_fprog filter = {
		.len = sizeof(program) / sizeof(program[0]),
		.filter = program,
	};

	if (argc < 2) {
		fputs("usage: nosocket COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
		fprintf(stderr, "nosocket: no seccomp: %s\n", strerror(errno));
		return EXIT_UNABLE;
	}
	execvp(argv[1], argv + 1);
	fprintf(stderr, "nosocket: %s: %s\n", argv[1], strerror(errno));
	return 127;
}
