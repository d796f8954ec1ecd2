/* SPDX-License-Identifier: ISC */
/*
 * What one `electsim run` is to run: its options, and the graph, ranks and
 * starters that they describe.
 */
#ifndef ELECTD_TESTS_SIM_SCENARIO_H
#define ELECTD_TESTS_SIM_SCENARIO_H

#include "tests/sim/command.h"
#include "tests/sim/run.h"

#define SCENARIO_NODES 8 /* where nothing says how many */

/* As given; strings are those of the command line, NULL where not given. */
struct scenario_options {
	const char *algorithm;
	const char *topology;
	const char *ids;
	const char *links;
	const char *starters;
	const char *priorities;
	const char *abstain;
	const char *variant;
	const char *svg;
	uint32_t nodes;         /* 0: not given */
	unsigned choices_given; /* enum choice */
	struct choices choices; /* but for the variant */
	enum prefer prefer;
	enum schedule schedule;
	uint64_t seed;
	bool is_json;
	bool wants_trace;
	bool is_forced;
	bool wants_help;
};

/* Reads the options; false, with a complaint, if they are wrong. */
bool scenario_parse(struct scenario_options *options, int argc, char **argv);

/* Everything a run_setup points to. */
struct scenario {
	struct run_setup setup; /* without observer and progress */
	struct graph graph;
	struct rank *ranks;      /* allocated */
	bool *starters;          /* allocated; NULL: all */
	uint32_t starters_count; /* also where they are all */
	uint32_t diameter;       /* of the graph, or more */
	bool is_diameter_exact;
	bool is_random; /* the graph was drawn */
};

/*
 * Makes what the options describe; COMMAND_YES, or what to exit with, after a
 * complaint. Free it in any case.
 */
int scenario_make(struct scenario *s, const struct scenario_options *options);
void scenario_free(struct scenario *s);

/* Makes the scenario's graph, for scenario_make(). */
int scenario_make_graph(struct scenario *s,
    const struct scenario_options *options, struct random *random);

/*
 * How many messages its run takes at the most, where a formula that the
 * algorithm promises says it; else 0.
 */
uint64_t scenario_messages_max(const struct scenario *s);

#endif
