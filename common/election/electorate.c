/* SPDX-License-Identifier: ISC */
#include "common/election/electorate.h"

#include <string.h>

bool
electorate_admits(const struct electorate *was, const struct electorate *is)
{
	electorate_check(is);
	if (is->generation != was->generation)
		return is->generation > was->generation;
	return memcmp(is->voters, was->voters, SALT_BYTES) == 0;
}

uint64_t
generation_floor(uint32_t generation)
{
	assert(generation <= GENERATION_MAX);
	return generation * GENERATION_TERMS;
}

uint64_t
generation_ceiling(uint32_t generation)
{
	uint64_t ceiling = generation_floor(generation) + GENERATION_TERMS - 1;

	assert(ceiling <= TERM_MAX);
	return ceiling;
}

void
electorate_check(const struct electorate *electorate)
{
	assert(electorate->generation <= GENERATION_MAX);
}
