/* SPDX-License-Identifier: ISC */
/* What became of an exploration, for people and for programs. */
#ifndef ELECTD_TESTS_SIM_EXPLORE_PRINT_H
#define ELECTD_TESTS_SIM_EXPLORE_PRINT_H

#include <stdio.h>

#include "tests/sim/explore.h"

/* "chang-roberts replace join=no": the algorithm, and what is not default. */
#define EXPLORE_NAME_MAX 96
const char *explore_name(const struct explore_setup *setup, char *name);

/* 1203344 as "1 203 344", into `text`, which has EXPLORE_COUNT_MAX bytes. */
#define EXPLORE_COUNT_MAX 32
const char *explore_count(uint64_t count, char *text);

/* A line, or, of what is refuted, also the run that shows it. */
void explore_print(FILE *file, const struct explore_setup *setup,
    const struct explore_result *result, double seconds);

/* A line that is one JSON object. */
void explore_print_json(FILE *file, const struct explore_setup *setup,
    const struct explore_result *result, double seconds);

#endif
