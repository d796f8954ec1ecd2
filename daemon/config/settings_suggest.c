/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_suggest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "algorithms/registry.h"

#define WORD_MAX 32 /* bytes; the longest name has 19 */

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

/* The setting that was most likely meant. */
struct guess {
	const char *name;               /* NULL: nothing is near */
	const struct config_row *owner; /* of its section */
	unsigned distance;              /* from what was written */
};

/* Takes a known name if it is nearer than the guess so far. */
static void
guess_try(struct guess *guess, const struct config_row *owner,
    const char *known, const char *name)
{
	unsigned distance = word_distance(known, name);
	size_t size = strlen(known);

	if (distance < guess->distance && distance <= size / 3 + 1 &&
	    distance < size)
		*guess = (struct guess){ known, owner, distance };
}

/* Takes the nearest setting of a section if it beats the guess so far. */
static void
guess_among(
    struct guess *guess, const struct section *section, const char *name)
{
	const struct config_row *row;

	for (size_t i = 0; (row = section_row(section, i)) != NULL; i++) {
		const char *member = section_name(section, row);

		if (member != NULL)
			guess_try(guess, section->owner, member, name);
	}
}

/*
 * Finds the nearest setting of all; of equally near ones, one of `here`. The
 * root also has the algorithms' own groups.
 */
static struct guess
guess_make(const struct section *here, const char *name)
{
	const struct section root = { 0 };
	struct guess guess = { .distance = UINT_MAX };
	const struct config_row *row;

	guess_among(&guess, here, name);
	guess_among(&guess, &root, name);
	for (size_t i = 0; (row = settings_row(i)) != NULL; i++) {
		if (row_has_sections(row) && row->name[0] != '*')
			guess_among(
			    &guess, &(struct section){ row, NULL }, name);
	}
	for (size_t i = 0; here->owner == NULL && algorithms[i] != NULL; i++)
		guess_try(&guess, NULL, algorithms[i]->name, name);
	return guess;
}

static void
known_list(const struct section *section, char buffer[SUGGESTION_MAX])
{
	size_t used = (size_t)snprintf(buffer, SUGGESTION_MAX, "known here");
	const char *between = ": ";
	const struct config_row *row;

	for (size_t i = 0; (row = section_row(section, i)) != NULL; i++) {
		const char *member = section_name(section, row);

		if (member == NULL || used >= SUGGESTION_MAX)
			continue;
		used += (size_t)snprintf(buffer + used, SUGGESTION_MAX - used,
		    "%s%s", between, member);
		between = ", ";
	}
}

const char *
section_suggest(
    const struct section *here, const char *name, char buffer[SUGGESTION_MAX])
{
	struct guess guess = guess_make(here, name);

	if (guess.name == NULL)
		known_list(here, buffer);
	else if (guess.owner == here->owner)
		snprintf(
		    buffer, SUGGESTION_MAX, "did you mean \"%s\"?", guess.name);
	else if (guess.owner == NULL)
		snprintf(buffer, SUGGESTION_MAX,
		    "did you mean \"%s\" outside of any group?", guess.name);
	else
		snprintf(buffer, SUGGESTION_MAX,
		    "did you mean \"%s\" inside of \"%s\"?", guess.name,
		    guess.owner->name);
	return buffer;
}
