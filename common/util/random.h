/* SPDX-License-Identifier: ISC */
/*
 * The only randomness of the core: a seeded generator, xoshiro256** (Blackman
 * and Vigna 2018), seeded by splitmix64. It is not for keys: seal.h makes
 * those.
 */
#ifndef ELECTD_COMMON_UTIL_RANDOM_H
#define ELECTD_COMMON_UTIL_RANDOM_H

#include "common/util/types.h"

struct random {
	uint64_t state[4]; /* never all zero */
};

/* Any seed will do; the same seed leads to the same numbers. */
void random_init(struct random *r, uint64_t seed);

/* The next number, uniform over all values. */
uint64_t random_next(struct random *r);

/* Uniform in [0, bound); bound > 0. */
uint64_t random_below(struct random *r, uint64_t bound);

/* Uniform in [low, high]; low <= high. */
uint64_t random_between(struct random *r, uint64_t low, uint64_t high);

#endif
