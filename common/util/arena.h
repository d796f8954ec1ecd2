/* SPDX-License-Identifier: ISC */
/* Cuts one piece of memory, which the caller handed in, into several. */
#ifndef ELECTD_COMMON_UTIL_ARENA_H
#define ELECTD_COMMON_UTIL_ARENA_H

#include <stdalign.h>

#include "common/util/types.h"

/* Rounds a size up, so that the next piece may be of any type. */
static inline size_t
arena_aligned(size_t size)
{
	size_t unit = alignof(max_align_t);

	assert(size <= SIZE_MAX - unit);
	return (size + unit - 1) / unit * unit;
}

/*
 * Cuts off the next piece, of `size` bytes: moves *memory beyond it and returns
 * its begin. *memory is aligned for any type, and is so again afterwards.
 */
static inline void *
arena_carve(uint8_t **memory, size_t size)
{
	uint8_t *piece = *memory;

	assert(piece != NULL);
	assert((uintptr_t)piece % alignof(max_align_t) == 0);
	*memory += arena_aligned(size);
	return piece;
}

#endif
