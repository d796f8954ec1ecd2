/* SPDX-License-Identifier: ISC */
/* Durations and their percentiles. */
#ifndef ELECTD_TESTS_BENCH_CHAOS_SAMPLE_H
#define ELECTD_TESTS_BENCH_CHAOS_SAMPLE_H

#include <stddef.h>

#include "common/util/types.h"

struct sample {
	nsec_t *values; /* with space for all that will be added */
	size_t count;
};

void sample_add(struct sample *s, nsec_t value);

/* Sorts; needed before what follows. */
void sample_sort(struct sample *s);

/* Gives the value below which `percent` of the samples lie; 0: no samples. */
nsec_t sample_percentile(const struct sample *s, unsigned percent);

#endif
