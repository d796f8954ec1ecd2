/* SPDX-License-Identifier: ISC */
/* The order of ranks. */
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/rank.h"

#define RANK(eligible, contender, some_priority, some_id)                      \
	{                                                                      \
		.is_eligible = (eligible), .is_contender = (contender),        \
		.priority = (some_priority), .id = (some_id)                   \
	}

/* The first of each pair is the better, whichever ids are preferred. */
static const struct rank pairs[][2] = {
	/* An eligible one before any other, */
	{ RANK(true, false, -9, 5), RANK(false, true, 9, 9) },
	{ RANK(true, false, -9, 5), RANK(false, true, 9, 1) },
	/* a contender before any priority, */
	{ RANK(true, true, 0, 5), RANK(true, false, INT32_MAX, 9) },
	{ RANK(true, true, 0, 5), RANK(true, false, INT32_MAX, 1) },
	/* and a larger priority before any id. */
	{ RANK(true, false, 1, 5), RANK(true, false, INT32_MIN, 9) },
	{ RANK(true, false, 1, 5), RANK(true, false, INT32_MIN, 1) },
};

TEST(eligible_then_contender_then_priority_decides)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (enum prefer by = PREFER_HIGHEST; by <= PREFER_LOWEST;
		     by++) {
			const struct rank *a = &pairs[i][0], *b = &pairs[i][1];

			assert_true(rank_better(a, b, by));
			assert_false(rank_better(b, a, by));
		}
}

/* The id also decides between ranks that are not eligible, whatever else they
 * say. */
TEST(id_decides_last_as_preferred)
{
	static const struct rank same[][2] = {
		{ { .is_eligible = true, .id = 2 },
		    { .is_eligible = true, .id = 1 } },
		{ { .id = 2 },
		    { .is_contender = true, .priority = 7, .id = 1 } },
	};

	for (size_t i = 0; i < 2; i++) {
		const struct rank *a = &same[i][0], *b = &same[i][1];

		assert_true(rank_better(a, b, PREFER_HIGHEST));
		assert_false(rank_better(a, b, PREFER_LOWEST));
		assert_true(rank_better(b, a, PREFER_LOWEST));
		assert_false(rank_better(b, a, PREFER_HIGHEST));
	}
}

/* Makes every combination of parts, each with an id of its own. */
static size_t
all_ranks(struct rank *ranks)
{
	static const int32_t priorities[] = { INT32_MIN, -1, 0, 1, INT32_MAX };
	size_t n = 0;

	for (unsigned bits = 0; bits < 4; bits++)
		for (size_t p = 0; p < 5; p++)
			for (node_id i = 0; i < 2; i++, n++)
				ranks[n] = (struct rank){
					.is_eligible = bits & 1,
					.is_contender = bits & 2,
					.priority = priorities[p],
					.id = (node_id)(1 + (n * 7) % 40),
				};
	return n;
}

TEST(ranks_are_in_one_total_order)
{
	struct rank ranks[64];
	size_t n = all_ranks(ranks);

	assert_int_equal(n, 40);
	for (enum prefer by = PREFER_HIGHEST; by <= PREFER_LOWEST; by++)
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < n; b++) {
				bool ab = rank_better(&ranks[a], &ranks[b], by);
				bool ba = rank_better(&ranks[b], &ranks[a], by);

				assert_int_equal(ab + ba, a != b);
				for (size_t c = 0; ab && c < n; c++)
					if (rank_better(
						&ranks[b], &ranks[c], by))
						assert_true(rank_better(
						    &ranks[a], &ranks[c], by));
			}
}

TEST(ranks_are_equal_in_every_part_or_not)
{
	const struct rank r = { .is_eligible = true, .priority = 3, .id = 4 };
	struct rank s = r, t = r, u = r, v = r, w = r;

	t.is_eligible = false;
	u.is_contender = true;
	v.priority = 4;
	w.id = 5;
	assert_true(rank_equal(&r, &s));
	assert_false(rank_equal(&r, &t));
	assert_false(rank_equal(&r, &u));
	assert_false(rank_equal(&r, &v));
	assert_false(rank_equal(&r, &w));
}
