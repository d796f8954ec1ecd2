/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/run/scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "tests/model/sim/arguments.h"

/* The exact diameter takes a few seconds here; larger graphs get a bound. */
#define DIAMETER_LINKS UINT64_C(100000000)

/* The options that only some algorithms have. */
static const struct {
	enum choice choice;
	const char *option;
} choice_options[] = {
	{ CHOICE_VARIANT, "--variant" },
	{ CHOICE_JOIN, "--join" },
	{ CHOICE_WAKEUP, "--wakeup" },
	{ CHOICE_ANNOUNCE, "--announce" },
	{ CHOICE_DIAMETER, "--diameter" },
};

static bool
choices_are_had(const struct algorithm *algorithm, unsigned given)
{
	const char *option = NULL;
	unsigned choice = 0;

	for (size_t i = 0; i < sizeof(choice_options) / sizeof(*choice_options);
	     i++) {
		if (!(given & ~algorithm->choices & choice_options[i].choice))
			continue;
		option = choice_options[i].option;
		choice = choice_options[i].choice;
	}
	if (option == NULL)
		return true;
	argument_complain("%s has no %s", algorithm->name, option);
	fprintf(stderr, "These have:");
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		if (algorithms[i]->choices & choice)
			fprintf(stderr, " %s", algorithms[i]->name);
	}
	fputc('\n', stderr);
	return false;
}

static bool
variant_find(
    const struct algorithm *algorithm, const char *name, uint8_t *found)
{
	unsigned i;

	if (argument_word(name, algorithm->variants, &i)) {
		*found = (uint8_t)i;
		return true;
	}
	argument_complain("%s has no variant \"%s\"", algorithm->name, name);
	fprintf(stderr, "Its variants are:");
	for (i = 0; algorithm->variants[i] != NULL; i++)
		fprintf(stderr, " %s", algorithm->variants[i]);
	fputc('\n', stderr);
	return false;
}

static bool
scenario_choose(struct scenario *s, const struct scenario_options *options)
{
	const struct algorithm *algorithm =
	    argument_algorithm(options->algorithm);

	if (algorithm == NULL ||
	    !choices_are_had(algorithm, options->choices_given))
		return false;
	s->setup = (struct run_setup){
		.algorithm = algorithm,
		.graph = &s->graph,
		.prefer = options->prefer,
		.choices = options->choices,
		.schedule = options->schedule,
	};
	return options->variant == NULL ||
	       variant_find(
		   algorithm, options->variant, &s->setup.choices.variant);
}

/* Complains if the algorithm needs another graph, and lists those that need
 * none. */
static bool
graph_is_suitable(const struct scenario *s)
{
	static const char *const needs[] = {
		[TOPOLOGY_FULL] = "a complete graph: --topology full",
		[TOPOLOGY_RING] = "a ring: --topology ring",
		[TOPOLOGY_TREE] = "a tree: --topology tree, path or star",
		[TOPOLOGY_GRAPH] = "a connected graph",
	};
	const struct algorithm *algorithm = s->setup.algorithm;

	if (graph_suits(&s->graph, algorithm->topology))
		return true;
	argument_complain(
	    "%s needs %s", algorithm->name, needs[algorithm->topology]);
	fprintf(stderr, "This graph suits:");
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		if (graph_suits(&s->graph, algorithms[i]->topology))
			fprintf(stderr, " %s", algorithms[i]->name);
	}
	fputc('\n', stderr);
	return false;
}

/* Reads a list of ids, and makes positions of them. Free the list also if it
 * fails. */
static bool
positions_read(const struct scenario *s, const char *text, uint32_t **list,
    uint64_t *count)
{
	uint32_t nodes = s->graph.nodes;

	if (!argument_list(text, 1, NODE_ID_MAX, nodes, list, count))
		return false;
	for (uint64_t i = 0; i < *count; i++) {
		if (!scenario_find(s, nodes, (*list)[i], &(*list)[i]))
			return false;
	}
	return true;
}

/* Sets the priority of each node, and which nodes abstain. */
static bool
scenario_make_ranks(struct scenario *s, const struct scenario_options *options)
{
	uint32_t nodes = s->graph.nodes;
	uint32_t *list = NULL;
	uint64_t count = 0;

	for (uint32_t i = 0; i < nodes; i++)
		s->ranks[i].is_eligible = true;
	if (options->priorities != NULL &&
	    (!argument_list(
		 options->priorities, 0, INT32_MAX, nodes, &list, &count) ||
		count != nodes)) {
		free(list);
		argument_complain("--priorities are %" PRIu32
				  " numbers, not \"%s\"",
		    nodes, options->priorities);
		return false;
	}
	for (uint64_t i = 0; i < count; i++)
		s->ranks[i].priority = (int32_t)list[i];
	free(list);
	list = NULL;
	if (options->abstain == NULL)
		return true;
	if (!positions_read(s, options->abstain, &list, &count)) {
		free(list);
		argument_complain(
		    "--abstain are ids of nodes, not \"%s\"", options->abstain);
		return false;
	}
	for (uint64_t i = 0; i < count; i++)
		s->ranks[list[i]].is_eligible = false;
	free(list);
	return true;
}

/* Takes the starters: all, those of the list, or the leaves where nobody wakes
 * the others. */
static bool
scenario_make_starters(struct scenario *s, const char *text)
{
	const struct graph *g = &s->graph;
	uint32_t *list = NULL;
	uint64_t count = 0;
	bool all = text != NULL && strcmp(text, "all") == 0;

	s->starters_count = g->nodes;
	if (all || (text == NULL && !s->setup.choices.no_wakeup))
		return true;
	if (text != NULL && !positions_read(s, text, &list, &count)) {
		free(list);
		argument_complain(
		    "--starters is all or ids of nodes, not \"%s\"", text);
		return false;
	}
	s->starters = calloc(g->nodes, sizeof(*s->starters));
	for (uint64_t i = 0; s->starters != NULL && i < count; i++)
		s->starters[list[i]] = true;
	free(list);
	s->starters_count = 0;
	for (uint32_t i = 0; s->starters != NULL && i < g->nodes; i++) {
		if (text == NULL && g->first[i + 1] - g->first[i] <= 1)
			s->starters[i] = true;
		s->starters_count += s->starters[i];
	}
	if (s->starters == NULL)
		argument_complain("no memory");
	return s->starters != NULL;
}

int
scenario_make(struct scenario *s, const struct scenario_options *options)
{
	struct random random;
	int code;

	*s = (struct scenario){ 0 };
	random_init(&random, options->seed);
	if (!scenario_choose(s, options))
		return COMMAND_USAGE;
	code = scenario_make_graph(s, options, &random);
	if (code != COMMAND_YES)
		return code;
	if (!graph_is_suitable(s))
		return COMMAND_USAGE;
	if (s->ranks == NULL)
		code =
		    scenario_make_ids(s, s->graph.nodes, options->ids, &random);
	if (code != COMMAND_YES)
		return code;
	if (!scenario_make_ranks(s, options) ||
	    !scenario_make_starters(s, options->starters))
		return COMMAND_USAGE;
	s->is_diameter_exact =
	    graph_diameter_within(&s->graph, DIAMETER_LINKS, &s->diameter);
	if (s->setup.choices.diameter == 0)
		s->setup.choices.diameter = s->diameter;
	s->setup.ranks = s->ranks;
	s->setup.starters = s->starters;
	s->setup.seed = random_next(&random);
	return COMMAND_YES;
}

void
scenario_free(struct scenario *s)
{
	graph_free(&s->graph);
	free(s->ranks);
	free(s->starters);
	*s = (struct scenario){ 0 };
}
