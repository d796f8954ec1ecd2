/* SPDX-License-Identifier: ISC */
#include "common/util/sort.h"

#include <string.h>

#include "common/util/types.h"

struct heap {
	uint8_t *base;
	size_t size; /* bytes of an element */
	int (*compare)(const void *a, const void *b);
};

static uint8_t *
element(const struct heap *h, size_t i)
{
	return h->base + i * h->size;
}

static void
swap(const struct heap *h, size_t i, size_t j)
{
	uint8_t held[SORT_BYTES_MAX];

	memcpy(held, element(h, i), h->size);
	memcpy(element(h, i), element(h, j), h->size);
	memcpy(element(h, j), held, h->size);
}

/* Lets element `i` sink among the first `count` until none below is greater. */
static void
sink(const struct heap *h, size_t i, size_t count)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= count)
			return;
		if (child + 1 < count &&
		    h->compare(element(h, child), element(h, child + 1)) < 0)
			child++;
		if (h->compare(element(h, i), element(h, child)) >= 0)
			return;
		swap(h, i, child);
		i = child;
	}
}

void
sort(void *base, size_t count, size_t size,
    int (*compare)(const void *a, const void *b))
{
	const struct heap h = { base, size, compare };

	assert(size <= SORT_BYTES_MAX);
	for (size_t i = count / 2; i-- > 0;)
		sink(&h, i, count);
	for (size_t i = count; i-- > 1;) {
		swap(&h, 0, i);
		sink(&h, 0, i);
	}
}

size_t
sort_find(const void *base, size_t count, size_t size, const void *key,
    int (*compare)(const void *a, const void *b))
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare((const uint8_t *)base + middle * size, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
