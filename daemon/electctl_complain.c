/* SPDX-License-Identifier: ISC */
#include "daemon/electctl.h"

#include <stdarg.h>

void
complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("electctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
