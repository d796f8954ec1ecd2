/* SPDX-License-Identifier: ISC */
#include "daemon/system/log.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/system/clock.h"

#define LINE_MAX_BYTES 1024 /* a longer line is cut */

/* The log goes to stderr, which is the process's. */
static enum log_level level_max = LOG_LEVEL_INFO;
static unsigned lost; /* lines, since the last that was written */

static const struct {
	int priority; /* the syslog(3) priority, which the journal reads */
	const char *name;
} levels[] = {
	[LOG_LEVEL_ERROR] = { 3, "error" },
	[LOG_LEVEL_WARN] = { 4, "warning" },
	[LOG_LEVEL_NOTICE] = { 5, "notice" },
	[LOG_LEVEL_INFO] = { 6, "info" },
	[LOG_LEVEL_DEBUG] = { 7, "debug" },
	[LOG_LEVEL_TRACE] = { 7, "trace" },
};

struct line {
	char text[LINE_MAX_BYTES];
	size_t size;
};

void
log_set_level(enum log_level level)
{
	level_max = level;
}

enum log_level
log_level(void)
{
	return level_max;
}

/* JOURNAL_STREAM may be inherited from a parent whose stderr was the journal,
 * so it counts only if it names our own stderr. */
static bool
stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char here[64];
	struct stat st;

	if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
		return false;
	snprintf(here, sizeof(here), "%ju:%ju", (uintmax_t)st.st_dev,
	    (uintmax_t)st.st_ino);
	return strcmp(stream, here) == 0;
}

/* Appends to the line, and leaves space for the newline. */
__attribute__((format(printf, 2, 0))) static void
line_vadd(struct line *line, const char *format, va_list args)
{
	size_t space = sizeof(line->text) - 1 - line->size;
	int size = vsnprintf(line->text + line->size, space, format, args);

	if (size > 0)
		line->size += (size_t)size < space ? (size_t)size : space - 1;
}

__attribute__((format(printf, 2, 3))) static void
line_add(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line_vadd(line, format, args);
	va_end(args);
}

/* Replaces control characters: names come from peers and files, and must not
 * begin a line of their own. */
static void
line_finish(struct line *line)
{
	for (size_t i = 0; i < line->size; i++)
		if ((unsigned char)line->text[i] < ' ' || line->text[i] == 127)
			line->text[i] = '?';
	line->text[line->size++] = '\n';
}

/*
 * Writes the line in one write(2), so that lines of several processes stay
 * whole. If the reader of the log does not keep up, drops the line instead of
 * waiting, because a daemon that waits sends no heartbeats. The next line that
 * is written is preceded by the number of lines lost.
 */
static void
line_write(const struct line *line)
{
	struct pollfd reader = { .fd = STDERR_FILENO, .events = POLLOUT };
	struct line gap = { .size = 0 };

	if (poll(&reader, 1, 0) <= 0) {
		lost++;
		return;
	}
	if (lost > 0) {
		line_add(&gap, "(%u lines lost: the log's reader was too slow)",
		    lost);
		line_finish(&gap);
		lost = 0;
		(void)!write(STDERR_FILENO, gap.text, gap.size);
	}
	/* If this fails, there is nowhere left to log it. */
	(void)!write(STDERR_FILENO, line->text, line->size);
}

__attribute__((format(printf, 3, 0))) static void
log_line(enum log_level level, int error, const char *format, va_list args)
{
	struct line line = { .size = 0 };
	char time[CLOCK_TEXT_MAX];
	int saved = errno;

	if (level > level_max)
		return;
	if (stderr_is_journal())
		line_add(&line, "<%d>", levels[level].priority);
	else
		line_add(&line, "%s %s: ", clock_utc(clock_now(), time),
		    levels[level].name);
	line_vadd(&line, format, args);
	if (error != 0)
		line_add(&line, ": %s", strerror(error));
	line_finish(&line);
	line_write(&line);
	errno = saved;
}

#define LOG_BODY(level, error)                                                 \
	do {                                                                   \
		va_list args;                                                  \
		va_start(args, format);                                        \
		log_line((level), (error), format, args);                      \
		va_end(args);                                                  \
	} while (0)

void
log_error(const char *format, ...)
{
	LOG_BODY(LOG_LEVEL_ERROR, errno);
}

void
log_errorx(const char *format, ...)
{
	LOG_BODY(LOG_LEVEL_ERROR, 0);
}

void
log_warn(const char *format, ...)
{
	LOG_BODY(LOG_LEVEL_WARN, errno);
}

void
log_warnx(const char *format, ...)
{
	LOG_BODY(LOG_LEVEL_WARN, 0);
}

void
log_notice(const char *format, ...)
{
	LOG_BODY(LOG_LEVEL_NOTICE, 0);
}

void
log_info(const char *format, ...)
{
	LOG_BODY(LOG_LEVEL_INFO, 0);
}

void
log_debug(const char *format, ...)
{
	LOG_BODY(LOG_LEVEL_DEBUG, 0);
}

void
log_trace(const char *format, ...)
{
	LOG_BODY(LOG_LEVEL_TRACE, 0);
}
