/* SPDX-License-Identifier: ISC */
#include "daemon/electctl.h"

#include <stdarg.h>

#define COMPLAINT_MAX 1024 /* bytes: a path, names, and what is wrong */

static const char *word; /* stdout, not stderr, gets the complaints */

void
complain_as(const char *wanted)
{
	word = wanted;
}

void
complain(const char *format, ...)
{
	FILE *to = word != NULL ? stdout : stderr;
	char text[COMPLAINT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	make_plain(text);
	fflush(stdout);
	if (word != NULL)
		fprintf(to, "%s  %s\n", word, text);
	else
		fprintf(to, "electctl: %s\n", text);
}
