/* SPDX-License-Identifier: ISC */
/*
 * kill9 PID: kills a process with SIGKILL and prints when, in nanoseconds of
 * CLOCK_MONOTONIC, the clock of electctl's mono_ns. Without a PID it only
 * prints the time. A shell could do neither as exactly.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

int
main(int argc, char **argv)
{
	struct timespec now;
	pid_t pid = argc > 1 ? (pid_t)atoi(argv[1]) : 0;

	if (argc > 1 && pid <= 1) {
		fputs("usage: kill9 [PID]\n", stderr);
		return 2;
	}
	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 1;
	if (pid != 0 && kill(pid, SIGKILL) != 0) {
		perror("kill9");
		return 1;
	}
	printf("%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
	return 0;
}
