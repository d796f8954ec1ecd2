/* SPDX-License-Identifier: ISC */
#include "common/util/random.h"

/* Rotates left by 1 to 63 bits. */
static uint64_t
rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

void
random_init(struct random *r, uint64_t seed)
{
	for (size_t i = 0; i < 4; i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		r->state[i] = z ^ z >> 31;
	}
}

uint64_t
random_next(struct random *r)
{
	uint64_t *s = r->state;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	/* Zeros would stay zeros: it was not seeded. */
	assert((s[0] | s[1] | s[2] | s[3]) != 0);

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t
random_below(struct random *r, uint64_t bound)
{
	uint64_t limit, x;

	assert(bound > 0);
	limit = UINT64_MAX - UINT64_MAX % bound;
	do
		x = random_next(r);
	while (x >= limit);
	assert(limit % bound == 0);
	return x % bound;
}

uint64_t
random_between(struct random *r, uint64_t low, uint64_t high)
{
	assert(low <= high);
	if (low == 0 && high == UINT64_MAX)
		return random_next(r);
	return low + random_below(r, high - low + 1);
}
