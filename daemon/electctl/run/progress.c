/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/progress.h"

#include <stdio.h>
#include <string.h>

void
progress_init(struct progress *p, nsec_t limit)
{
	*p = (struct progress){ .limit = limit, .late_at = NSEC_NEVER };
}

/* How long the command has from now. */
static nsec_t
patience(const struct progress *p)
{
	return p->is_ready || p->limit > PROGRESS_START ? p->limit
							: PROGRESS_START;
}

void
progress_begin(struct progress *p, nsec_t now)
{
	progress_init(p, p->limit);
	if (p->limit != 0)
		p->late_at = nsec_after(now, patience(p));
}

void
progress_end(struct progress *p)
{
	p->late_at = NSEC_NEVER;
}

/* True if a line of the message is this. */
static bool
has_line(const char *message, size_t size, const char *line)
{
	size_t wanted = strlen(line);
	const char *end = message + size;

	while (message < end) {
		const char *next =
		    memchr(message, '\n', (size_t)(end - message));
		size_t found = (size_t)((next != NULL ? next : end) - message);

		if (found == wanted && memcmp(message, line, wanted) == 0)
			return true;
		message += found + 1;
	}
	return false;
}

void
progress_take(struct progress *p, nsec_t now, const char *message, size_t size)
{
	if (p->late_at == NSEC_NEVER || p->has_failed)
		return;
	if (has_line(message, size, "WATCHDOG=trigger")) {
		p->has_failed = true;
		p->late_at = now;
	} else if (has_line(message, size, "WATCHDOG=1") ||
		   has_line(message, size, "READY=1")) {
		p->is_ready = true;
		p->late_at = nsec_after(now, p->limit);
	}
}

nsec_t
progress_due_at(const struct progress *p)
{
	return p->late_at;
}

bool
progress_fault(const struct progress *p, nsec_t now, const char *name,
    char *text, size_t size)
{
	double seconds = (double)patience(p) / (double)SEC;

	if (now < p->late_at)
		return false;
	if (p->has_failed)
		snprintf(text, size, "%s says that it hangs", name);
	else if (p->is_ready)
		snprintf(
		    text, size, "%s made no progress for %g s", name, seconds);
	else
		snprintf(
		    text, size, "%s was not ready after %g s", name, seconds);
	return true;
}
