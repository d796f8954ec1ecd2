/* SPDX-License-Identifier: ISC */
/* A trial's election: making it, running it, and reading its figures. */
#ifndef ELECTD_TESTS_MODEL_SIM_TABLE_PRIVATE_H
#define ELECTD_TESTS_MODEL_SIM_TABLE_PRIVATE_H

#include "tests/model/sim/table/property.h"

/* A trial made real: its graph, ranks and starters, and its results. */
struct scene {
	const struct trial *trial;
	const struct algorithm *algorithm;
	struct random random;
	struct graph graph;
	struct rank *ranks;
	bool *starters;
	struct choices choices;
	struct facts facts;
	node_id winner; /* the right one; any: NODE_NONE */
	struct run_result result;
	uint64_t won; /* when the winner learned that it won */
};

/* Makes the scene of a trial; scene_free() frees it, but only after success. */
enum trial_result scene_make(struct scene *s, const struct trial *t);
void scene_free(struct scene *s);

/* Runs it. False: there is no memory. */
bool scene_run(struct scene *s);

/* True if all agreed on the right winner. */
bool scene_elected(const struct scene *s);

/* Gives a measure by its name. False: the algorithm sends no such message. */
bool scene_measure(const struct scene *s, const char *measure, double *value);

#endif
