/* SPDX-License-Identifier: ISC */
#include "daemon/electctl.h"

#include <stdarg.h>

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
	va_list args;

	fflush(stdout);
	if (word != NULL)
		fprintf(to, "%s  ", word);
	else
		fputs("electctl: ", to);
	va_start(args, format);
	vfprintf(to, format, args);
	va_end(args);
	fputc('\n', to);
}
