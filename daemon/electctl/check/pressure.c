/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/check/pressure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 256 /* bytes of a file and its end: two lines of 60 */

static const char *
kind_of(const char *resource)
{
	return strcmp(resource, "cpu") == 0 ? "some" : "full";
}

bool
pressure_find(const char *text, const char *resource, unsigned *avg10)
{
	char begin[16];
	const char *line;
	unsigned whole, part;

	snprintf(begin, sizeof(begin), "%s avg10=", kind_of(resource));
	line = strstr(text, begin);
	if (line == NULL ||
	    sscanf(line + strlen(begin), "%3u.%2u", &whole, &part) != 2)
		return false;
	*avg10 = whole * 100 + part;
	return *avg10 <= 10000;
}

/* Puts the text into the buffer. False with errno if there is none. */
static bool
read_text(const char *path, char text[TEXT_MAX])
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = file < 0 ? -1 : read(file, text, TEXT_MAX - 1);

	if (size >= 0)
		text[size] = '\0';
	return size >= 0;
}

int
pressure_check(const char *resource, unsigned limit)
{
	char path[32], text[TEXT_MAX];
	unsigned avg10;

	snprintf(path, sizeof(path), "/proc/pressure/%s", resource);
	if (!read_text(path, text)) {
		dprintf(STDOUT_FILENO, "%s: %s\n", path, strerror(errno));
		return EXIT_FAILURE;
	}
	if (!pressure_find(text, resource, &avg10)) {
		dprintf(STDOUT_FILENO, "%s makes no sense\n", path);
		return EXIT_FAILURE;
	}
	dprintf(STDOUT_FILENO, "%s avg10=%u.%02u, limit %u\n",
	    kind_of(resource), avg10 / 100, avg10 % 100, limit);
	return avg10 > limit * 100 ? EXIT_FAILURE : EXIT_SUCCESS;
}
