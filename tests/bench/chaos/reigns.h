/* SPDX-License-Identifier: ISC */
/* The parts of a verdict that judge nothing; see verdict.h. */
#ifndef ELECTD_TESTS_BENCH_CHAOS_REIGNS_H
#define ELECTD_TESTS_BENCH_CHAOS_REIGNS_H

#include "tests/bench/chaos/verdict.h"

/* Fills in the leaderships, the gaps between them, and the elections. */
void reigns_init(struct verdict *v);

#endif
