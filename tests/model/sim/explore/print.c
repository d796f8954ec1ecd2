/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/explore/print.h"

#include <stdlib.h>
#include <string.h>

#include "tests/model/sim/run/trace.h"

#define WORLD_TEXT_MAX 256 /* a complete graph of EXPLORE_NODES_MAX nodes */
#define NAME_WIDTH     21  /* of the names at the left */

/* Lists the choices that are not defaults, each with a blank before it. */
static const char *
choices_text(const struct explore_setup *setup, char *text, size_t size)
{
	const struct choices *c = &setup->choices;
	const char *variant = setup->algorithm->variants[c->variant];
	bool has_variant = c->variant > 0 && variant != NULL;

	snprintf(text, size, "%s%s%s%s%s", has_variant ? " " : "",
	    has_variant ? variant : "", c->starters_only ? " join=no" : "",
	    c->no_wakeup ? " wakeup=no" : "",
	    c->any_leader ? " announce=any" : "");
	return text;
}

const char *
explore_name(const struct explore_setup *setup, char *name)
{
	char choices[EXPLORE_NAME_MAX / 2];

	snprintf(name, EXPLORE_NAME_MAX, "%s%s", setup->algorithm->name,
	    choices_text(setup, choices, sizeof(choices)));
	return name;
}

const char *
explore_count(uint64_t count, char *text)
{
	char digits[EXPLORE_COUNT_MAX];
	int length = snprintf(digits, sizeof(digits), "%ju", (uintmax_t)count);
	char *end = text;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*end++ = ' ';
		*end++ = digits[i];
	}
	*end = '\0';
	return text;
}

/* Prints the run that refutes it, a line for each step. False: no memory. */
static bool
print_run(FILE *file, const struct explore_setup *setup,
    const struct explore_result *result)
{
	struct run_setup run = { .algorithm = setup->algorithm,
		.ranks = result->world.ranks };
	struct trace trace;
	bool is_told;

	trace_init(&trace, &run, file);
	is_told = explore_replay(setup, result, trace_observe, &trace);
	trace_end(&trace);
	return is_told;
}

/* Adds each line of a text as a string, without the blanks before it. */
static void
print_strings(FILE *file, char *text)
{
	const char *comma = "";
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		fprintf(file, "%s\"%s\"", comma, line + strspn(line, " "));
		comma = ",";
	}
}

static void
print_run_json(FILE *file, const struct explore_setup *setup,
    const struct explore_result *result)
{
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	fprintf(file, ",\"run\":[");
	if (lines != NULL) {
		print_run(lines, setup, result);
		fclose(lines);
		print_strings(file, text);
		free(text);
	}
	fprintf(file, "]");
}

static const char *
verdict_name(enum explore_verdict verdict)
{
	static const char *const names[] = {
		[EXPLORE_PROVED] = "proved",
		[EXPLORE_REFUTED] = "refuted",
		[EXPLORE_GAVE_UP] = "given up",
	};

	return names[verdict];
}

void
explore_print(FILE *file, const struct explore_setup *setup,
    const struct explore_result *result, double seconds)
{
	char text[WORLD_TEXT_MAX], name[EXPLORE_NAME_MAX];
	char states[EXPLORE_COUNT_MAX], steps[EXPLORE_COUNT_MAX];

	fprintf(file,
	    "%-*s %4ju graphs, %11s states, %13s transitions, %7.2f s: %s\n",
	    NAME_WIDTH, explore_name(setup, name), (uintmax_t)result->graphs,
	    explore_count(result->states, states),
	    explore_count(result->transitions, steps), seconds,
	    verdict_name(result->verdict));
	if (result->verdict == EXPLORE_PROVED)
		return;
	fprintf(file, "  %s\n  %s\n",
	    explore_world_text(&result->world, text, sizeof(text)),
	    result->why);
	if (result->verdict == EXPLORE_REFUTED &&
	    !print_run(file, setup, result))
		fprintf(file, "  no memory to print the run\n");
}

void
explore_print_json(FILE *file, const struct explore_setup *setup,
    const struct explore_result *result, double seconds)
{
	char text[WORLD_TEXT_MAX], choices[EXPLORE_NAME_MAX];

	choices_text(setup, choices, sizeof(choices));
	fprintf(file,
	    "{\"algorithm\":\"%s\",\"choices\":\"%s\",\"nodes\":%u,\"graphs\":%ju,"
	    "\"states\":%ju,\"transitions\":%ju,\"ends\":%ju,"
	    "\"seconds\":%.3f,\"verdict\":\"%s\"",
	    setup->algorithm->name, choices + strspn(choices, " "),
	    setup->nodes_max, (uintmax_t)result->graphs,
	    (uintmax_t)result->states, (uintmax_t)result->transitions,
	    (uintmax_t)result->ends, seconds, verdict_name(result->verdict));
	if (result->verdict == EXPLORE_PROVED) {
		fprintf(file, ",\"why\":null,\"graph\":null,\"run\":null}\n");
		return;
	}
	fprintf(file, ",\"why\":\"%s\",\"graph\":\"%s\"", result->why,
	    explore_world_text(&result->world, text, sizeof(text)));
	print_run_json(file, setup, result);
	fprintf(file, "}\n");
}
