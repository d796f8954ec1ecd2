/* SPDX-License-Identifier: ISC */
/* The result of an exploration, for people and for programs. */
#ifndef ELECTD_TESTS_MODEL_SIM_EXPLORE_PRINT_H
#define ELECTD_TESTS_MODEL_SIM_EXPLORE_PRINT_H

#include <stdio.h>

#include "tests/model/sim/explore/explore.h"

/* Writes the algorithm and its choices that are not defaults: "chang-roberts
 * replace join=no". */
#define EXPLORE_NAME_MAX 96
const char *explore_name(const struct explore_setup *setup, char *name);

/* Writes 1203344 as "1 203 344" to `text`, which has EXPLORE_COUNT_MAX bytes.
 */
#define EXPLORE_COUNT_MAX 32
const char *explore_count(uint64_t count, char *text);

/* Prints a line, and after a refutation the run that shows it. */
void explore_print(FILE *file, const struct explore_setup *setup,
    const struct explore_result *result, double seconds);

/* Prints a line that is one JSON object. */
void explore_print_json(FILE *file, const struct explore_setup *setup,
    const struct explore_result *result, double seconds);

#endif
