/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/arguments.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"

void
argument_complain(const char *format, ...)
{
	va_list list;

	fputs("electsim: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
}

/* Reads a number at the beginning of *text, which then points behind it. */
static bool
take_number(const char **text, uint64_t low, uint64_t high, uint64_t *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0 && *number >= low && *number <= high;
}

bool
argument_number(const char *text, uint64_t low, uint64_t high, uint64_t *number)
{
	return take_number(&text, low, high, number) && *text == '\0';
}

bool
argument_word(const char *text, const char *const *words, unsigned *index)
{
	for (unsigned i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], text) == 0) {
			*index = i;
			return true;
		}
	}
	return false;
}

bool
argument_yes(const char *text, bool *yes)
{
	static const char *const words[] = { "no", "yes", NULL };
	unsigned i;

	if (!argument_word(text, words, &i))
		return false;
	*yes = i == 1;
	return true;
}

bool
argument_output(const char *text, bool *is_json)
{
	static const char *const words[] = { "text", "json", NULL };
	unsigned i;

	if (!argument_word(text, words, &i))
		return false;
	*is_json = i == 1;
	return true;
}

bool
argument_list(const char *text, uint64_t low, uint64_t high, uint64_t most,
    uint32_t **list, uint64_t *count)
{
	uint64_t commas = 0, number;

	assert(high <= UINT32_MAX);
	for (const char *c = text; *c != '\0'; c++)
		commas += *c == ',';
	*list = commas < most ? malloc((commas + 1) * sizeof(**list)) : NULL;
	for (*count = 0; *list != NULL; text++) {
		if (!take_number(&text, low, high, &number))
			break;
		(*list)[(*count)++] = (uint32_t)number;
		if (*text == '\0')
			return true;
		if (*text != ',')
			break;
	}
	free(*list);
	*list = NULL;
	return false;
}

const char *
argument_choice(enum choice which, const char *text, struct choices *choices)
{
	static const char *const announces[] = { "best", "any", NULL };
	unsigned i = 0;
	bool yes = true;

	if (which == CHOICE_ANNOUNCE) {
		if (!argument_word(text, announces, &i))
			return "--announce is best or any";
		choices->any_leader = i == 1;
		return NULL;
	}
	if (!argument_yes(text, &yes))
		return which == CHOICE_JOIN ? "--join is yes or no"
					    : "--wakeup is yes or no";
	if (which == CHOICE_JOIN)
		choices->starters_only = !yes;
	else
		choices->no_wakeup = !yes;
	return NULL;
}

const struct algorithm *
argument_algorithm(const char *name)
{
	const struct algorithm *found = NULL;

	if (name != NULL)
		found = algorithm_find(name);
	if (found != NULL)
		return found;
	if (name == NULL)
		argument_complain("--algorithm is needed");
	else
		argument_complain("--algorithm: there is no \"%s\"", name);
	fputs("It is one of:", stderr);
	for (size_t i = 0; algorithms[i] != NULL; i++)
		fprintf(stderr, " %s", algorithms[i]->name);
	fputc('\n', stderr);
	return NULL;
}
