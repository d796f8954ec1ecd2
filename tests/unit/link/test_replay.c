/* SPDX-License-Identifier: ISC */
/* The replay window, against a plain list of the accepted numbers. */

#include "tests/unit/group.h"

#include "common/link/replay.h"
#include "common/util/random.h"

TEST(a_zeroed_window_accepts_number_zero_once)
{
	struct replay r = { .next = 0 };

	assert_true(replay_fresh(&r, 0));
	replay_accept(&r, 0);
	assert_false(replay_fresh(&r, 0));
	assert_true(replay_fresh(&r, 1));
}

TEST(latest_number_is_the_highest)
{
	struct replay r = { .next = 0 };

	replay_accept(&r, 0);
	assert_true(replay_is_latest(&r, 0));
	replay_accept(&r, 3000);
	replay_accept(&r, 2999);
	assert_true(replay_is_latest(&r, 3000));
	assert_false(replay_is_latest(&r, 2999));
	assert_false(replay_is_latest(&r, 0));
}

TEST(asking_for_a_number_changes_no_window)
{
	struct replay r = { .next = 0 };

	assert_true(replay_fresh(&r, 5000));
	assert_true(replay_fresh(&r, 5000));
	assert_true(replay_fresh(&r, 0));
}

TEST(numbers_behind_the_window_are_too_old)
{
	struct replay r = { .next = 0 };

	replay_accept(&r, REPLAY_WINDOW);
	assert_false(replay_fresh(&r, 0));
	assert_true(replay_fresh(&r, 1));
	replay_accept(&r, 1);
	assert_false(replay_fresh(&r, 1));
	replay_accept(&r, REPLAY_WINDOW + 1);
	assert_false(replay_fresh(&r, 1));
	assert_true(replay_fresh(&r, 2));
}

/* The bits of numbers that share a place must not be confused. */
TEST(jumps_of_every_size_leave_the_gap_fresh)
{
	for (uint64_t jump = 1; jump <= 3 * REPLAY_WINDOW; jump++) {
		struct replay r = { .next = 0 };

		for (uint64_t n = 0; n < REPLAY_WINDOW; n++)
			replay_accept(&r, n);
		replay_accept(&r, REPLAY_WINDOW - 1 + jump);
		for (uint64_t n = 0; n < REPLAY_WINDOW + jump; n++) {
			bool in_gap = n >= REPLAY_WINDOW &&
				      n < REPLAY_WINDOW - 1 + jump && n >= jump;

			assert_int_equal(replay_fresh(&r, n), in_gap);
		}
	}
}

TEST(the_last_number_of_all_is_never_fresh)
{
	struct replay r = { .next = 0 };

	assert_false(replay_fresh(&r, UINT64_MAX));
	replay_accept(&r, UINT64_MAX - 1);
	assert_false(replay_fresh(&r, UINT64_MAX));
	assert_false(replay_fresh(&r, UINT64_MAX - 1));
	assert_false(replay_fresh(&r, 0));
	assert_true(replay_fresh(&r, UINT64_MAX - REPLAY_WINDOW));
	assert_false(replay_fresh(&r, UINT64_MAX - REPLAY_WINDOW - 1));
}

#define MODEL_NUMBERS 20000

/* Draws numbers near the top, accepts fresh ones, and each only once. */
TEST(random_numbers_are_judged_as_a_list_would)
{
	static bool was_accepted[MODEL_NUMBERS + 1];
	struct replay r = { .next = 0 };
	struct random random;
	uint64_t top = 0;

	random_init(&random, 1);
	while (top < MODEL_NUMBERS - 2 * REPLAY_WINDOW) {
		uint64_t low = top > 1200 ? top - 1200 : 0;
		uint64_t ahead = random_below(&random, 500) == 0 ? 1500 : 3;
		uint64_t n = random_between(&random, low, top + ahead);
		bool is_fresh = !was_accepted[n] && n + REPLAY_WINDOW >= top;

		assert_int_equal(replay_fresh(&r, n), is_fresh);
		if (!is_fresh)
			continue;
		replay_accept(&r, n);
		was_accepted[n] = true;
		top = n >= top ? n + 1 : top;
	}
}
