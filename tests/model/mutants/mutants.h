/* SPDX-License-Identifier: ISC */
/* The mutants of the algorithms, in a list that rules.mk makes of them. */
#ifndef ELECTD_TESTS_MODEL_MUTANTS_MUTANTS_H
#define ELECTD_TESTS_MODEL_MUTANTS_MUTANTS_H

#include "common/election/algorithm.h"

struct mutant {
	const char *name; /* "bully.no_wakeup": the algorithm and the bug */
	const struct algorithm *algorithm;
};

/* The last has no name. */
extern const struct mutant mutants[];

#endif
