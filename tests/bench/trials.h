/* SPDX-License-Identifier: ISC */
/* The trials of a bench, from its CSV file, grouped by kind. */
#ifndef ELECTD_TESTS_BENCH_TRIALS_H
#define ELECTD_TESTS_BENCH_TRIALS_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/bench/chaos/sample.h"

#define TRIALS_NAME_BYTES 48

/* The trials of one system under one fault. */
struct group {
	char system[TRIALS_NAME_BYTES], fault[TRIALS_NAME_BYTES];
	struct sample start;      /* until one of the survivors elected */
	struct sample first, all; /* until they had the next leader */
	struct sample gap;        /* without a leader, where that is known */
	unsigned late;            /* trials without a next leader in time */
	unsigned overlaps;        /* trials in which two nodes led at once */
	nsec_t overlap;           /* the longest */
};

struct trials {
	struct group *groups; /* in the order of the file */
	size_t count;
};

/*
 * Lines "system,fault,trial,leader,next,start_ns,first_ns,all_ns,gap_ns" below
 * a title; any but the first two is empty where there was none.
 * False says why on standard error.
 */
bool trials_read(struct trials *t, FILE *file);
void trials_done(struct trials *t);

#endif
