/* SPDX-License-Identifier: ISC */
/* The order of ranks. */
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/rank.h"

/* True if `a` is better than `b`, and `b` not, whichever ids are preferred. */
static bool
is_better_either_way(struct rank a, struct rank b)
{
	return rank_better(&a, &b, PREFER_HIGHEST) &&
	       rank_better(&a, &b, PREFER_LOWEST) &&
	       !rank_better(&b, &a, PREFER_HIGHEST) &&
	       !rank_better(&b, &a, PREFER_LOWEST);
}

TEST(eligible_rank_is_better_than_any_other)
{
	struct rank stands = { .is_eligible = true, .priority = -9, .id = 5 };
	struct rank idle = { .is_contender = true, .priority = 9, .id = 9 };

	assert_true(is_better_either_way(stands, idle));
	idle.id = 1;
	assert_true(is_better_either_way(stands, idle));
}

TEST(contender_is_better_than_any_priority)
{
	struct rank sits = {
		.is_eligible = true, .is_contender = true, .id = 5
	};
	struct rank next = {
		.is_eligible = true, .priority = INT32_MAX, .id = 9
	};

	assert_true(is_better_either_way(sits, next));
}

TEST(larger_priority_is_better_than_any_id)
{
	struct rank high = { .is_eligible = true, .priority = 1, .id = 5 };
	struct rank low = {
		.is_eligible = true, .priority = INT32_MIN, .id = 9
	};

	assert_true(is_better_either_way(high, low));
	low.id = 1;
	assert_true(is_better_either_way(high, low));
}

TEST(id_decides_last_as_preferred)
{
	struct rank a = { .is_eligible = true, .id = 2 };
	struct rank b = { .is_eligible = true, .id = 1 };

	assert_true(rank_better(&a, &b, PREFER_HIGHEST));
	assert_false(rank_better(&a, &b, PREFER_LOWEST));
	assert_true(rank_better(&b, &a, PREFER_LOWEST));
	assert_false(rank_better(&b, &a, PREFER_HIGHEST));
}

TEST(ranks_that_are_not_eligible_compare_by_id_alone)
{
	struct rank a = { .id = 2 };
	struct rank b = { .is_contender = true, .priority = 7, .id = 1 };

	assert_true(rank_better(&a, &b, PREFER_HIGHEST));
	assert_true(rank_better(&b, &a, PREFER_LOWEST));
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
	const struct rank r = { true, false, 3, 4 };
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

/* The bytes between the fields stay as they were. */
TEST(copy_of_a_rank_is_equal_and_copies_no_more)
{
	const struct rank from = { true, false, -7, 42 };
	uint8_t bytes[sizeof(struct rank)];
	struct rank to;

	assert_true(offsetof(struct rank, priority) == 4); /* a gap at 2, 3 */
	memset(&to, 0xaa, sizeof(to));
	rank_copy(&to, &from);
	assert_true(rank_equal(&to, &from));
	memcpy(bytes, &to, sizeof(bytes));
	assert_int_equal(bytes[2], 0xaa);
	assert_int_equal(bytes[3], 0xaa);
}
