/* SPDX-License-Identifier: ISC */
/* The seeded generator, against published values, and its ranges. */

#include "tests/unit/group.h"

#include "common/util/random.h"

/* Values of splitmix64 that other implementations give for this seed. */
TEST(seeding_is_splitmix64)
{
	static const uint64_t known[] = {
		UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431),
	};
	struct random r;

	random_init(&r, 1234567);
	for (size_t i = 0; i < 4; i++)
		assert_true(r.state[i] == known[i]);
}

/* The reference implementation's first values from the state 1, 2, 3, 4. */
TEST(values_are_those_of_xoshiro256_starstar)
{
	static const uint64_t known[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	struct random r = { { 1, 2, 3, 4 } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_true(random_next(&r) == known[i]);
}

TEST(same_seed_gives_the_same_and_another_does_not)
{
	struct random a, b, c;
	unsigned same = 0;

	random_init(&a, 7);
	random_init(&b, 7);
	random_init(&c, 8);
	for (int i = 0; i < 1000; i++) {
		uint64_t x = random_next(&a);

		assert_true(x == random_next(&b));
		same += x == random_next(&c);
	}
	assert_int_equal(same, 0);
}

/* Chi-squared of ten cells, 100 000 draws: over 33.7 once in 10 000 seeds. */
TEST(draws_below_a_bound_are_even)
{
	enum {
		CELLS = 10,
		DRAWS = 100000
	};
	unsigned count[CELLS] = { 0 };
	double sum = 0;
	struct random r;

	random_init(&r, 3);
	for (int i = 0; i < DRAWS; i++)
		count[random_below(&r, CELLS)]++;
	for (int i = 0; i < CELLS; i++) {
		double off = (double)count[i] - (double)DRAWS / CELLS;

		sum += off * off / ((double)DRAWS / CELLS);
	}
	assert_true(sum < 33.7);
}

/* With a bound just over half the range nearly half of the draws are refused:
 * without that, the lower half would come up twice as often. */
TEST(draws_below_a_huge_bound_are_even)
{
	const uint64_t bound = UINT64_MAX / 2 + 2;
	unsigned low = 0;
	struct random r;

	random_init(&r, 4);
	for (int i = 0; i < 10000; i++) {
		uint64_t x = random_below(&r, bound);

		assert_true(x < bound);
		low += x < bound / 2;
	}
	assert_in_range(low, 4800, 5200);
}

TEST(below_one_there_is_only_zero)
{
	struct random r;

	random_init(&r, 5);
	for (int i = 0; i < 100; i++)
		assert_true(random_below(&r, 1) == 0);
}

TEST(both_ends_of_a_range_are_drawn)
{
	unsigned seen[4] = { 0 };
	struct random r;

	random_init(&r, 6);
	for (int i = 0; i < 1000; i++) {
		uint64_t x = random_between(&r, 10, 13);

		assert_in_range(x, 10, 13);
		seen[x - 10]++;
	}
	for (int i = 0; i < 4; i++)
		assert_true(seen[i] > 0);
	assert_true(random_between(&r, 9, 9) == 9);
}

TEST(whole_range_and_its_upper_end_are_allowed)
{
	struct random r, same;
	uint64_t x;

	random_init(&r, 8);
	same = r;
	x = random_between(&r, 0, UINT64_MAX);
	assert_true(x == random_next(&same));
	for (int i = 0; i < 100; i++)
		assert_true(random_between(&r, UINT64_MAX - 1, UINT64_MAX) >=
			    UINT64_MAX - 1);
	for (int i = 0; i < 100; i++)
		assert_true(random_between(&r, 0, UINT64_MAX - 1) < UINT64_MAX);
}
