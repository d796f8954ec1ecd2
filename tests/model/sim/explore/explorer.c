/* SPDX-License-Identifier: ISC */
/* How a walk ends early, and the numbers of states and messages. */
#include <stdarg.h>
#include <stdio.h>

#include "tests/model/sim/explore/private.h"

bool
explorer_fail(
    struct explorer *x, enum explore_verdict verdict, const char *format, ...)
{
	va_list arguments;

	x->result->verdict = verdict;
	va_start(arguments, format);
	vsnprintf(x->result->why, sizeof(x->result->why), format, arguments);
	va_end(arguments);
	return false;
}

uint16_t
explorer_number(struct explorer *x, struct table *t, const void *record)
{
	uint32_t number = table_add(t, record);

	if (number == TABLE_FULL)
		explorer_fail(x, EXPLORE_GAVE_UP, "the memory is full");
	else if (number >= NOTHING)
		explorer_fail(x, EXPLORE_GAVE_UP, "too many states of a node");
	else
		return (uint16_t)number;
	return NOTHING;
}
