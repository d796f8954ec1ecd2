/* SPDX-License-Identifier: ISC */
/* Durations, and what lies below which share of them. */
#ifndef ELECTD_TESTS_CHAOS_SAMPLE_H
#define ELECTD_TESTS_CHAOS_SAMPLE_H

#include <stddef.h>

#include "common/util/types.h"

struct sample {
	nsec_t *values; /* with room for all that will be added */
	size_t count;
};

void sample_add(struct sample *s, nsec_t value);

/* To be called before what follows. */
void sample_sort(struct sample *s);

/* The value below which lie so many percent; 0 of none. */
nsec_t sample_percentile(const struct sample *s, unsigned percent);

#endif
