/* SPDX-License-Identifier: ISC */
/* Cutting one piece of memory, handed in at init, into several. */
#ifndef ELECTD_COMMON_UTIL_ARENA_H
#define ELECTD_COMMON_UTIL_ARENA_H

#include <stdalign.h>

#include "common/util/types.h"

/* A size rounded up so that what follows may be of any type. */
static inline size_t
arena_aligned(size_t size)
{
	size_t unit = alignof(max_align_t);

	return (size + unit - 1) / unit * unit;
}

/* Cuts the next piece off: moves *memory beyond it, gives where it begins. */
static inline void *
arena_carve(uint8_t **memory, size_t size)
{
	uint8_t *piece = *memory;

	*memory += arena_aligned(size);
	return piece;
}

#endif
