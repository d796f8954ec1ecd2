/* SPDX-License-Identifier: ISC */
/* A line made from pieces, and broken if it is too long. */
#include "daemon/electctl/electctl.h"

#include <stdarg.h>

#define WIDTH  80 /* columns of a terminal */
#define INDENT 9  /* of a further line: the width of a label */

void
line_add(struct line *line, const char *format, ...)
{
	size_t space = sizeof(line->text) - line->size;
	va_list args;
	int added;

	va_start(args, format);
	added = vsnprintf(line->text + line->size, space, format, args);
	va_end(args);
	if (added > 0)
		line->size += (size_t)added < space ? (size_t)added : space - 1;
}

/*
 * The size of the first piece of `text`. A piece ends at the space after a
 * comma, a semicolon or a colon, or at a gap of two spaces, but not within
 * parentheses.
 */
static size_t
piece_size(const char *text)
{
	int depth = 0;
	size_t i;

	for (i = 0; text[i] != '\0'; i++) {
		depth += text[i] == '(';
		depth -= text[i] == ')' && depth > 0;
		if (i > 0 && text[i] == ' ' && depth == 0 &&
		    (strchr(",;:", text[i - 1]) != NULL || text[i + 1] == ' '))
			break;
	}
	return i;
}

/* The columns of these bytes: one for each character. */
static size_t
columns(const char *text, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void
line_print(const struct line *line)
{
	const char *at = line->text;
	size_t column = 0;

	while (*at != '\0') {
		size_t gap = strspn(at, " ");
		size_t size = piece_size(at + gap);
		size_t width = columns(at + gap, size);

		if (column > INDENT && column + gap + width > WIDTH) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		} else {
			printf("%*s", (int)gap, "");
			column += gap;
		}
		printf("%.*s", (int)size, at + gap);
		column += width;
		at += gap + size;
	}
	putchar('\n');
}
