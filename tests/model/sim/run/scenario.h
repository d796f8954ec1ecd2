/* SPDX-License-Identifier: ISC */
/*
 * The scenario of one `electsim run`: its options, and the graph, ranks and
 * starters that they describe.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_RUN_SCENARIO_H
#define ELECTD_TESTS_MODEL_SIM_RUN_SCENARIO_H

#include "tests/model/sim/command.h"
#include "tests/model/sim/run/run.h"

#define SCENARIO_NODES 8 /* where no option says how many */

/* The options. Strings are those of the command line; NULL: not given. */
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
	const char *history;
	uint32_t nodes;         /* 0: not given */
	unsigned choices_given; /* enum choice */
	struct choices choices; /* without the variant */
	enum prefer prefer;
	enum schedule schedule;
	uint64_t seed;
	bool is_json;
	bool wants_trace;
	bool is_forced;
	bool wants_help;
};

/* Reads the options; false, after a complaint, if they are wrong. */
bool scenario_parse(struct scenario_options *options, int argc, char **argv);

/* All that a run_setup points to. */
struct scenario {
	struct run_setup setup; /* without observer and progress */
	struct graph graph;
	struct rank *ranks;      /* allocated */
	bool *starters;          /* allocated; NULL: all */
	uint32_t starters_count; /* also if all start */
	uint32_t diameter;       /* of the graph, or an upper bound */
	bool is_diameter_exact;
	bool is_random; /* the graph was drawn */
};

/*
 * Makes what the options describe. Gives COMMAND_YES or, after a complaint, the
 * exit code. scenario_free() is needed in any case.
 */
int scenario_make(struct scenario *s, const struct scenario_options *options);
void scenario_free(struct scenario *s);

/* Make the scenario's graph, and its ids, for scenario_make(). Links name
 * ids, so the graph makes these first. */
int scenario_make_graph(struct scenario *s,
    const struct scenario_options *options, struct random *random);
int scenario_make_ids(struct scenario *s, uint32_t nodes, const char *text,
    struct random *random);

/* Gives the position of an id; false if no node has it. */
bool scenario_find(
    const struct scenario *s, uint32_t nodes, node_id id, uint32_t *position);

/*
 * Gives the most messages that its run takes, where a formula of the algorithm
 * says it; else 0.
 */
uint64_t scenario_messages_max(const struct scenario *s);

#endif
