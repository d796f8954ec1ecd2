/* SPDX-License-Identifier: ISC */
/*
 * passer SOCKET: connects to SOCKET twice, asks for the leader, and passes with
 * one of the questions, and with a byte that nobody need read, a file that takes
 * an hour to close. It keeps no other reference to that file. It prints "passed",
 * and then the answer to the first connection; or, from Linux 6.16 on, that the
 * kernel refuses files. It ends with its input.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/lingering.h"

static int
connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return -1;
	return fd;
}

/* Passes a file that lingers, and keeps nothing of it but its far end. */
static bool
pass(int fd, const char *text)
{
	int near, far;

	if (fd < 0 || !lingering_make(&near, &far, 3600) ||
	    !pass_file(fd, text, near, 0))
		return false;
	close(near);
	return true;
}

int
main(int argc, char **argv)
{
	char answer[4096];
	int asks, leaves;
	ssize_t size;

	if (argc != 2) {
		fputs("usage: passer SOCKET\n", stderr);
		return 2;
	}
	asks = connect_to(argv[1]);
	leaves = connect_to(argv[1]);
	if (!pass(asks, "{\"verb\":\"leader\"}\n") || !pass(leaves, "?")) {
		if (errno != EPERM) {
			perror("passer");
			return 1;
		}
		puts("the kernel refuses files");
		return 0;
	}
	close(leaves);
	puts("passed");
	fflush(stdout);
	size = read(asks, answer, sizeof(answer));
	if (size > 0)
		fwrite(answer, 1, (size_t)size, stdout);
	fflush(stdout);
	while (read(STDIN_FILENO, answer, sizeof(answer)) > 0)
		continue;
	return 0;
}
