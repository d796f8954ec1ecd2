/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/config/settings.h"

#define DEPTH_MAX   32    /* of brackets: the parser's stack is bounded too */
#define ASSIGNS_MAX 20000 /* NODES_MAX nodes in full are a third of it */

#define DIGITS  "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

struct scan {
	char *at;
	int line;
	char brackets[DEPTH_MAX]; /* those open, innermost last */
	unsigned depth;
	char before; /* the first byte of the token before this one */
	unsigned assigns;
	const char *name; /* the last one seen; NULL: none yet */
	int name_size;
	struct settings_errors *errors;
	bool refused;
};

static void
scan_refuse(struct scan *s, int line, const char *what)
{
	settings_errors_add(s->errors, line, NULL, "%s", what);
	s->refused = true;
}

static void
scan_skip(struct scan *s, size_t size)
{
	for (; size > 0; size--) {
		if (*s->at == '\n')
			s->line++;
		s->at++;
	}
}

static void
scan_comment(struct scan *s)
{
	int begun = s->line;
	const char *end;

	if (s->at[0] == '#' || s->at[1] == '/') {
		scan_skip(s, strcspn(s->at, "\n"));
		return;
	}
	end = strstr(s->at + 2, "*/");
	if (end == NULL) {
		scan_refuse(s, begun,
		    "syntax error: the comment begun here does not end; "
		    "\"*/\" is missing");
		return;
	}
	scan_skip(s, (size_t)(end - s->at) + 2);
}

/* May a value be here? Only where it may, the parser frees a string. */
static bool
scan_at_value(const struct scan *s)
{
	if (s->before == ',')
		return s->depth > 0 && s->brackets[s->depth - 1] != '{';
	return strchr("=:([\"", s->before) != NULL;
}

/* No setting has a newline in it: one inside of a string is a lost quote. */
static void
scan_string(struct scan *s)
{
	if (!scan_at_value(s)) {
		scan_refuse(s, s->line,
		    "syntax error: a string where a name, \";\" or \",\" is "
		    "wanted");
		return;
	}
	s->at++;
	while (strchr("\"\n", *s->at) == NULL) {
		bool pair =
		    s->at[0] == '\\' && (s->at[1] == '"' || s->at[1] == '\\');

		s->at += pair ? 2 : 1;
	}
	if (*s->at == '"')
		s->at++;
	else
		scan_refuse(s, s->line,
		    "syntax error: a string begun here does not end; "
		    "a quote is missing");
}

static void
scan_name(struct scan *s)
{
	size_t size = strspn(s->at, LETTERS DIGITS "*-_");

	s->name = s->at;
	s->name_size = size < 40 ? (int)size : 40;
	s->at += size;
}

/* Blots out the integer from `start` to here, which is out of range. */
static void
scan_refuse_integer(struct scan *s, char *start)
{
	size_t size = (size_t)(s->at - start);

	settings_errors_add(s->errors, s->line, NULL,
	    "%.*s%s%.*s%s is out of range; an integer is %d to %d",
	    s->name_size, s->name == NULL ? "" : s->name,
	    s->name == NULL ? "" : ": ", size < 40 ? (int)size : 40, start,
	    size < 40 ? "" : "...", INT32_MIN, INT32_MAX);
	memset(start, '0', size);
	start[0] = '.';
}

static void
scan_number(struct scan *s)
{
	char *start = s->at;
	unsigned long long most = INT32_MAX;
	unsigned long long value;

	if (*s->at == '-')
		most++;
	s->at += strspn(s->at, "+-");
	if (strchr(DIGITS ".", *s->at) == NULL)
		return;
	errno = 0;
	if (s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X')) {
		value = strtoull(s->at, NULL, 16);
		s->at += 2 + strspn(s->at + 2, DIGITS "ABCDEFabcdef");
	} else {
		value = strtoull(s->at, NULL, 10);
		s->at += strspn(s->at, DIGITS);
	}
	s->at += strspn(s->at, "L");
	if (*s->at == '.')
		s->at += 1 + strspn(s->at + 1, DIGITS);
	else if (value > most || errno == ERANGE)
		scan_refuse_integer(s, start);
}

static void
scan_bracket(struct scan *s)
{
	if (strchr("})]", *s->at) != NULL) {
		s->depth -= s->depth > 0;
	} else if (s->depth == DEPTH_MAX) {
		scan_refuse(s, s->line,
		    "syntax error: brackets are nested too deep; "
		    "no setting needs more than 3");
		return;
	} else {
		s->brackets[s->depth++] = *s->at;
	}
	s->at++;
}

static void
scan_assign(struct scan *s)
{
	s->assigns++;
	if (s->assigns > ASSIGNS_MAX)
		scan_refuse(s, s->line,
		    "there are more than 20000 settings; "
		    "the largest cluster needs a third of them");
	s->at++;
}

static void
scan_directive(struct scan *s)
{
	const char word[] = "@include";

	if (strncmp(s->at, word, sizeof(word) - 1) == 0)
		scan_refuse(s, s->line,
		    "@include: is not supported; "
		    "write the whole configuration into one file");
	s->at++;
}

/* Steps over blanks and comments; false if there was none. */
static bool
scan_blank(struct scan *s)
{
	if (strchr(" \t\r\f\n", *s->at) != NULL)
		scan_skip(s, 1);
	else if (*s->at == '#' || strncmp(s->at, "//", 2) == 0 ||
		 strncmp(s->at, "/*", 2) == 0)
		scan_comment(s);
	else
		return false;
	return true;
}

static void
scan_token(struct scan *s)
{
	char first = *s->at;

	if (strchr(LETTERS "*", first) != NULL)
		scan_name(s);
	else if (strchr(DIGITS "+-.", first) != NULL)
		scan_number(s);
	else if (strchr("{}()[]", first) != NULL)
		scan_bracket(s);
	else if (first == '=' || first == ':')
		scan_assign(s);
	else if (first == '"')
		scan_string(s);
	else if (first == '@')
		scan_directive(s);
	else
		s->at++;
	s->before = first;
}

bool
settings_text_scan(char *text, struct settings_errors *errors)
{
	struct scan s = {
		.at = text,
		.line = 1,
		.before = ';',
		.errors = errors,
	};

	while (*s.at != '\0' && !s.refused) {
		if (!scan_blank(&s))
			scan_token(&s);
	}
	return !s.refused;
}

/* NULL: a regular file. */
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

/* Opens `path` for reading if it is a regular file; else -1 and an error. */
static int
text_open(const char *path, struct settings_errors *errors)
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
		    "is %s; a configuration is a regular file", kind);
		close(fd);
		return -1;
	}
	return fd;
}

/* Reads up to `capacity` bytes, fewer only at the end; -1 and errno. */
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

/* Checks `size` bytes of text and ends them as the parser wants it. */
static bool
text_finish(char *text, ssize_t size, struct settings_errors *errors)
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
		    "there is a NUL byte; a configuration is text");
		return false;
	}
	if (size == 0 || text[size - 1] != '\n')
		text[size++] = '\n';
	text[size] = '\0';
	return true;
}

char *
settings_text_read(const char *path, struct settings_errors *errors)
{
	int fd = text_open(path, errors);
	char *text;

	if (fd < 0)
		return NULL;
	text = malloc(SETTINGS_FILE_MAX + sizeof("\n"));
	if (text == NULL)
		errors->out_of_memory = true;
	else if (!text_finish(
		     text, read_all(fd, text, SETTINGS_FILE_MAX + 1), errors)) {
		free(text);
		text = NULL;
	}
	close(fd);
	return text;
}
