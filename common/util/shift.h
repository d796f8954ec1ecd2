/* SPDX-License-Identifier: ISC */
/* Memory that was copied from another place: what pointed into it there is to
 * point into it here. */
#ifndef ELECTD_COMMON_UTIL_SHIFT_H
#define ELECTD_COMMON_UTIL_SHIFT_H

#include "common/util/types.h"

struct shift {
	uint64_t from; /* where the memory was */
	uint8_t *to;   /* where it is */
	size_t size;
	bool has_failed; /* a pointer did not point into it */
};

/* The pointer to the same place of the copy, where `count` pieces of `size`
 * bytes are; NULL for NULL, and if the memory does not hold them. */
static inline void *
shift_pointer(struct shift *s, const void *was, size_t count, size_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)was - s->from;

	if (was == NULL)
		return NULL;
	if (at > s->size || (size > 0 && count > (s->size - at) / size)) {
		s->has_failed = true;
		return NULL;
	}
	return s->to + at;
}

#endif
