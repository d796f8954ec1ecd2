/* SPDX-License-Identifier: ISC */
/* Messages on stderr; a wait holds its complaint back until it gives up. */
#include "daemon/client/client.h"

#include <stdarg.h>

#define COMPLAINT_MAX 1024 /* bytes: a path, names, and an error */

/* The state of this process, as stderr is: a message may come from any file. */
static const char *program = "electctl";
static bool is_holding;
static char held[COMPLAINT_MAX];

void
complain_as(const char *name)
{
	program = name;
}

void
complain_hold(void)
{
	is_holding = true;
}

const char *
complain_held(void)
{
	is_holding = false;
	return held[0] == '\0' ? NULL : held;
}

void
complain(const char *format, ...)
{
	char text[COMPLAINT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	make_plain(text);
	if (is_holding) {
		memcpy(held, text, sizeof(held));
		return;
	}
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", program, text);
}
