/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_value.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#define WORD_MAX 32 /* bytes; the longest name has 19 */

const char *const side_words[] = { "left", "right", NULL };
const char *const announce_words[] = { "best", "any", NULL };

int
word_find(const char *const *words, const char *text)
{
	for (int i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
	}
	return -1;
}

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool
same_letter(char a, char b)
{
	return strncasecmp(&a, &b, 1) == 0;
}

/* Keeps three rows of the usual table of edit distances. */
unsigned
word_distance(const char *a, const char *b)
{
	size_t rows = strlen(a);
	size_t columns = strlen(b);
	unsigned table[3][WORD_MAX + 1];

	if (rows > WORD_MAX || columns > WORD_MAX)
		return UINT_MAX;
	for (unsigned j = 0; j <= columns; j++)
		table[0][j] = j;
	for (unsigned i = 1; i <= rows; i++) {
		unsigned *row = table[i % 3];
		const unsigned *above = table[(i + 2) % 3];
		const unsigned *before = table[(i + 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= columns; j++) {
			bool same = same_letter(a[i - 1], b[j - 1]);

			row[j] = least(least(above[j], row[j - 1]) + 1,
			    above[j - 1] + !same);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return table[rows % 3][columns];
}

const char *
path_fault(const char *text)
{
	if (text[0] != '/' && strncmp(text, "./", 2) != 0)
		return "is not a path; begin it with \"/\", or with \"./\" for the directory that electd starts in";
	if (strlen(text) >= PATH_MAX_BYTES)
		return "is too long; a path has at most 1023 bytes";
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < ' ' || *text == '\x7f')
			return "has control characters; remove them";
	}
	return NULL;
}
