/* SPDX-License-Identifier: ISC */
#include "daemon/history/phases.h"

#include <string.h>

#define WORDS_MAX 4

/* The messages whose phase has a meaning, and its name. */
static const struct naming {
	const char *algorithm;
	const char *kind;
	const char *name;
	const char *words[WORDS_MAX]; /* of phases; none: numbers */
} phases[] = {
	{ "hirschberg-sinclair", "PROBE", "phase", { NULL } },
	{ "hirschberg-sinclair", "REPLY", "phase", { NULL } },
	{ "floodmax", "MAX", "round", { NULL } },
	{ "traversal", "TOKEN", "leg", { "onward", "back", "bounced" } },
};

static const struct naming *
phase_naming(const char *algorithm, const char *kind)
{
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		if (strcmp(phases[i].algorithm, algorithm) == 0 &&
		    strcmp(phases[i].kind, kind) == 0)
			return &phases[i];
	}
	return NULL;
}

const char *
phase_name(const char *algorithm, const char *kind)
{
	const struct naming *naming = phase_naming(algorithm, kind);

	return naming != NULL ? naming->name : NULL;
}

const char *
phase_word(const char *algorithm, const char *kind, uint32_t phase)
{
	const struct naming *naming = phase_naming(algorithm, kind);

	return naming != NULL && phase < WORDS_MAX ? naming->words[phase]
						   : NULL;
}
