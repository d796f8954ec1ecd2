/* SPDX-License-Identifier: ISC */
/*
 * stamp DIRECTORY [deaf] [fork] [beats]: a command for `electctl run`. It writes to a
 * file in the directory when it began, and again and again that it still runs,
 * in ns of CLOCK_MONOTONIC, which all hosts on one kernel share. So the file
 * shows when it ended, even if it was killed. The file is named by ELECTD_NODE,
 * ELECTD_TERM and its process. deaf: SIGTERM does not end it. fork: a process in
 * a session of its own does the same, and is not waited for. beats: it says so
 * often that it makes progress as its environment says.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "daemon/system/sockets/notify.h"

#define DIGITS     20
#define FILE_BYTES (2 * (DIGITS + 1)) /* "BEGAN LAST\n" */
#define GAP_NS     200000             /* from one stamp to the next */

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
put(char *at, char end)
{
	char text[DIGITS + 1];

	snprintf(text, sizeof(text), "%0*" PRIu64, DIGITS, now());
	memcpy(at, text, DIGITS);
	at[DIGITS] = end;
}

/* The file, in memory, under a name that nobody reads yet; NULL: there is none.
 */
static char *
file_open(const char *path)
{
	void *bytes;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, FILE_BYTES) != 0)
		return NULL;
	bytes =
	    mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return bytes == MAP_FAILED ? NULL : bytes;
}

int
main(int argc, char **argv)
{
	static const struct timespec gap = { .tv_nsec = GAP_NS };
	const char *node = getenv("ELECTD_NODE"), *term = getenv("ELECTD_TERM");
	char hidden[4096], path[4096], *file;
	nsec_t beat_at = NSEC_NEVER;
	int pid;

	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "deaf") == 0)
			signal(SIGTERM, SIG_IGN);
		else if (strcmp(argv[i], "fork") == 0 && fork() == 0)
			setsid();
		else if (strcmp(argv[i], "beats") == 0)
			beat_at = 0;
	}
	if (argc < 2 || node == NULL || term == NULL)
		return 2;
	pid = (int)getpid();
	snprintf(hidden, sizeof(hidden), "%s/.%d", argv[1], pid);
	snprintf(path, sizeof(path), "%s/%s.%s.%d", argv[1], node, term, pid);
	file = file_open(hidden);
	if (file == NULL) {
		fputs("stamp: no file\n", stderr);
		return 1;
	}
	put(file, ' ');
	put(file + DIGITS + 1, '\n');
	notify_open();
	if (beat_at == 0)
		notify_ready();
	rename(hidden, path);
	for (;;) {
		put(file + DIGITS + 1, '\n');
		if (now() >= beat_at) {
			notify_watchdog();
			beat_at = now() + notify_watchdog_interval();
		}
		nanosleep(&gap, NULL);
	}
}
