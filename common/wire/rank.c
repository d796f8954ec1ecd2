/* SPDX-License-Identifier: ISC */
#include "common/wire/rank.h"

enum rank_bits {
	RANK_ELIGIBLE = 1 << 0,
	RANK_CONTENDER = 1 << 1,
};

bool
rank_better(const struct rank *a, const struct rank *b, enum prefer prefer)
{
	assert(prefer == PREFER_HIGHEST || prefer == PREFER_LOWEST);
	if (a->is_eligible != b->is_eligible)
		return a->is_eligible;
	/* Nodes that are not eligible compare by id alone. */
	if (a->is_eligible && a->is_contender != b->is_contender)
		return a->is_contender;
	if (a->is_eligible && a->priority != b->priority)
		return a->priority > b->priority;
	return prefer == PREFER_HIGHEST ? a->id > b->id : a->id < b->id;
}

bool
rank_equal(const struct rank *a, const struct rank *b)
{
	return a->is_eligible == b->is_eligible &&
	       a->is_contender == b->is_contender &&
	       a->priority == b->priority && a->id == b->id;
}

void
rank_encode(struct writer *w, const struct rank *rank)
{
	size_t before = w->size;

	unsigned bits = (rank->is_eligible ? RANK_ELIGIBLE : 0) |
			(rank->is_contender ? RANK_CONTENDER : 0);

	write_u8(w, (uint8_t)bits);
	write_u32(w, (uint32_t)rank->priority);
	write_u32(w, rank->id);
	assert(w->failed || w->size - before == RANK_BYTES);
}

bool
rank_decode(struct reader *r, struct rank *rank)
{
	uint8_t bits = read_u8(r);

	*rank = (struct rank){
		.is_eligible = bits & RANK_ELIGIBLE,
		.is_contender = bits & RANK_CONTENDER,
	};
	rank->priority = (int32_t)read_u32(r);
	rank->id = read_u32(r);
	return !r->failed && bits <= (RANK_ELIGIBLE | RANK_CONTENDER) &&
	       rank->id <= NODE_ID_MAX;
}
