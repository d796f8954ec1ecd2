/* SPDX-License-Identifier: ISC */
#include "tests/bench/chaos/sample.h"

#include <stdlib.h>

static int
compare_nsec(const void *a, const void *b)
{
	nsec_t x = *(const nsec_t *)a, y = *(const nsec_t *)b;

	return x < y ? -1 : x > y;
}

void
sample_add(struct sample *s, nsec_t value)
{
	s->values[s->count++] = value;
}

void
sample_sort(struct sample *s)
{
	if (s->count > 0)
		qsort(s->values, s->count, sizeof(*s->values), compare_nsec);
}

nsec_t
sample_percentile(const struct sample *s, unsigned percent)
{
	size_t rank = (s->count * percent + 99) / 100;

	return s->count == 0 ? 0 : s->values[rank == 0 ? 0 : rank - 1];
}
