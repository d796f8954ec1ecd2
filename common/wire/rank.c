/* SPDX-License-Identifier: ISC */
#include "common/wire/rank.h"

bool
rank_better(const struct rank *a, const struct rank *b, enum prefer prefer)
{
	if (a->is_eligible != b->is_eligible)
		return a->is_eligible;
	/* Who does not stand ranks among its like by id alone. */
	if (a->is_eligible && a->is_contender != b->is_contender)
		return a->is_contender;
	if (a->is_eligible && a->priority != b->priority)
		return a->priority > b->priority;
	return prefer == PREFER_HIGHEST ? a->id > b->id : a->id < b->id;
}

void
rank_copy(struct rank *to, const struct rank *from)
{
	to->is_eligible = from->is_eligible;
	to->is_contender = from->is_contender;
	to->priority = from->priority;
	to->id = from->id;
}

bool
rank_equal(const struct rank *a, const struct rank *b)
{
	return a->is_eligible == b->is_eligible &&
	       a->is_contender == b->is_contender &&
	       a->priority == b->priority && a->id == b->id;
}
