/* SPDX-License-Identifier: ISC */
/*
 * sick FILE: a check that fails while FILE is there. It adds a line with the time
 * to FILE when it does so, in ns of CLOCK_MONOTONIC, and does nothing after that.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_APPEND) : -1;
	struct timespec t;
	char text[24];
	int size;

	if (fd < 0)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &t);
	size = snprintf(text, sizeof(text), "%" PRIu64 "\n",
	    (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
	_exit(write(fd, text, (size_t)size) == size ? 7 : 8);
}
