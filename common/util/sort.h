/* SPDX-License-Identifier: ISC */
/* Sorting in place, without memory of its own: qsort() may allocate. */
#ifndef ELECTD_COMMON_UTIL_SORT_H
#define ELECTD_COMMON_UTIL_SORT_H

#include <stddef.h>

#define SORT_BYTES_MAX 512 /* of an element */

/* Sorts `count` elements of `size` bytes, as qsort() does (heapsort: Williams,
 * "Algorithm 232", CACM 1964). It does not keep the order of equal ones. */
void sort(void *base, size_t count, size_t size,
    int (*compare)(const void *a, const void *b));

#endif
