/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_nearest.h"

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

/* Optimal string alignment: three rows of the usual table. */
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

const struct option *
option_find(const struct option *options, const char *name)
{
	for (const struct option *o = options; o->name != NULL; o++) {
		if (strcmp(o->name, name) == 0)
			return o;
	}
	return NULL;
}

/* What was most likely meant. */
struct guess {
	const char *name;           /* NULL: nothing is near */
	const struct option *owner; /* the group it is in; NULL: the root */
	unsigned distance;
};

/* Takes up a known name if it is nearer than the guess so far. */
static void
guess_try(struct guess *guess, const struct option *owner, const char *known,
    const char *name)
{
	unsigned distance = word_distance(known, name);
	size_t size = strlen(known);

	if (distance < guess->distance && distance <= size / 3 + 1 &&
	    distance < size)
		*guess = (struct guess){ known, owner, distance };
}

/* Takes up what is nearer in `owner` than the guess so far. */
static void
guess_among(struct guess *guess, const struct option *owner, const char *name)
{
	const struct option *o = settings_options;

	if (owner != NULL)
		o = owner->options;
	for (; o->name != NULL; o++)
		guess_try(guess, owner, o->name, name);
}

/*
 * The nearest of all; of those equally near one of `here`. In the root there
 * are also the algorithms' own groups.
 */
static struct guess
guess_make(const struct option *here, const char *name)
{
	struct guess guess = { .distance = UINT_MAX };

	guess_among(&guess, here, name);
	guess_among(&guess, NULL, name);
	for (const struct option *o = settings_options; o->name != NULL; o++) {
		if (o->options != NULL)
			guess_among(&guess, o, name);
	}
	for (size_t i = 0; here == NULL && algorithms[i] != NULL; i++)
		guess_try(&guess, NULL, algorithms[i]->name, name);
	return guess;
}

static void
known_list(const struct option *options, char room[SUGGESTION_MAX])
{
	size_t used = (size_t)snprintf(room, SUGGESTION_MAX, "known here:");

	for (const struct option *o = options; o->name != NULL; o++) {
		if (used < SUGGESTION_MAX)
			used +=
			    (size_t)snprintf(room + used, SUGGESTION_MAX - used,
				"%s %s", o == options ? "" : ",", o->name);
	}
}

const char *
option_suggest(
    const struct option *here, const char *name, char room[SUGGESTION_MAX])
{
	struct guess guess = guess_make(here, name);

	if (guess.name == NULL)
		known_list(
		    here == NULL ? settings_options : here->options, room);
	else if (guess.owner == here)
		snprintf(
		    room, SUGGESTION_MAX, "did you mean \"%s\"?", guess.name);
	else if (guess.owner == NULL)
		snprintf(room, SUGGESTION_MAX,
		    "did you mean \"%s\" outside of any group?", guess.name);
	else
		snprintf(room, SUGGESTION_MAX,
		    "did you mean \"%s\" inside of \"%s\"?", guess.name,
		    guess.owner->name);
	return room;
}
