/* SPDX-License-Identifier: ISC */
/* Reads the file of a configuration, within bounds. */
#include "daemon/config/settings_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns what kind of file it is, or NULL if it is a regular one. */
static const char *
file_kind(mode_t mode)
{
	if (S_ISREG(mode))
		return NULL;
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return "a device";
}

/* Opens `path` if it is a regular file. Returns -1 after adding an error. */
static int
file_open(const char *path, struct settings_errors *errors)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	const char *kind;

	if (fd < 0 || fstat(fd, &status) < 0) {
		settings_errors_add(
		    errors, 0, NULL, "cannot be opened: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	kind = file_kind(status.st_mode);
	if (kind != NULL) {
		settings_errors_add(errors, 0, NULL,
		    "is %s; a configuration must be a regular file", kind);
		close(fd);
		return -1;
	}
	return fd;
}

/* Reads until the end or `capacity`. Returns the size, or -1 and sets errno. */
static ssize_t
read_all(int fd, char *to, size_t capacity)
{
	size_t size = 0;

	while (size < capacity) {
		ssize_t got = read(fd, to + size, capacity - size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		size += (size_t)got;
	}
	return (ssize_t)size;
}

static int
line_of(const char *text, const char *at)
{
	int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* Checks `size` bytes of text and terminates them by a newline and NUL. */
static bool
text_check(char *text, ssize_t size, struct settings_errors *errors)
{
	const char *nul;

	if (size < 0) {
		settings_errors_add(
		    errors, 0, NULL, "cannot be read: %s", strerror(errno));
		return false;
	}
	if ((size_t)size > SETTINGS_FILE_MAX) {
		settings_errors_add(errors, 0, NULL,
		    "is larger than %zu bytes; no configuration needs that",
		    SETTINGS_FILE_MAX);
		return false;
	}
	nul = memchr(text, '\0', (size_t)size);
	if (nul != NULL) {
		settings_errors_add(errors, line_of(text, nul), NULL,
		    "there is a NUL byte; a configuration must be text");
		return false;
	}
	if (size == 0 || text[size - 1] != '\n')
		text[size++] = '\n';
	text[size] = '\0';
	return true;
}

char *
settings_file_read(const char *path, struct settings_errors *errors)
{
	int fd = file_open(path, errors);
	char *text;

	if (fd < 0)
		return NULL;
	text = malloc(SETTINGS_FILE_MAX + sizeof("\n"));
	if (text == NULL)
		errors->out_of_memory = true;
	else if (!text_check(
		     text, read_all(fd, text, SETTINGS_FILE_MAX + 1), errors)) {
		free(text);
		text = NULL;
	}
	close(fd);
	return text;
}
