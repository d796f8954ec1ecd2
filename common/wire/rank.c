/* SPDX-License-Identifier: ISC */
#include "common/wire/rank.h"

bool
rank_better(const struct rank *a, const struct rank *b, enum prefer prefer)
{
	if (a->stands != b->stands)
		return a->stands;
	/* Who does not stand ranks among its like by id alone. */
	if (a->stands && a->sits != b->sits)
		return a->sits;
	if (a->stands && a->priority != b->priority)
		return a->priority > b->priority;
	return prefer == PREFER_HIGHEST ? a->id > b->id : a->id < b->id;
}

void
rank_copy(struct rank *to, const struct rank *from)
{
	to->stands = from->stands;
	to->sits = from->sits;
	to->priority = from->priority;
	to->id = from->id;
}

bool
rank_equal(const struct rank *a, const struct rank *b)
{
	return a->stands == b->stands && a->sits == b->sits &&
	       a->priority == b->priority && a->id == b->id;
}
