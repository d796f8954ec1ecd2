/* SPDX-License-Identifier: ISC */
/* Sorts in place, without memory of its own, and searches: qsort() may
 * allocate. */
#ifndef ELECTD_COMMON_UTIL_SORT_H
#define ELECTD_COMMON_UTIL_SORT_H

#include <stddef.h>

#define SORT_BYTES_MAX 512 /* bytes of an element */

/* Sorts `count` elements of `size` bytes, as qsort() does (heapsort: Williams,
 * "Algorithm 232", CACM 1964). It does not keep the order of equal ones. */
void sort(void *base, size_t count, size_t size,
    int (*compare)(const void *a, const void *b));

/* The index of the first of `count` sorted elements that does not sort before
 * `key`, which is one, too; count: all do. */
size_t sort_find(const void *base, size_t count, size_t size, const void *key,
    int (*compare)(const void *a, const void *b));

#endif
