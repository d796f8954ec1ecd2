/* SPDX-License-Identifier: ISC */
/* The round trip estimator, against figures worked out from RFC 6298. */

#include "tests/unit/group.h"

#include "common/link/rtt.h"

TEST(without_a_sample_the_timeout_is_the_least)
{
	struct rtt rtt = { .smoothed = 0 };

	assert_int_equal(rtt_timeout(&rtt, 0), RTT_TIMEOUT_MIN);
	assert_int_equal(rtt_patience(&rtt), RTT_TIMEOUT_MIN);
}

TEST(samples_are_smoothed_as_the_rfc_says)
{
	struct rtt rtt = { .smoothed = 0 };

	rtt_sample(&rtt, 32 * MSEC);
	assert_int_equal(rtt.smoothed, 32 * MSEC);
	assert_int_equal(rtt.variation, 16 * MSEC);
	assert_int_equal(rtt_timeout(&rtt, 0), 96 * MSEC);
	rtt_sample(&rtt, 24 * MSEC);
	assert_int_equal(rtt.variation, 14 * MSEC);
	assert_int_equal(rtt.smoothed, 31 * MSEC);
	assert_int_equal(rtt_patience(&rtt), 87 * MSEC);
	rtt_sample(&rtt, 39 * MSEC);
	assert_int_equal(rtt.variation, 12500 * USEC);
	assert_int_equal(rtt.smoothed, 32 * MSEC);
}

TEST(the_timeout_keeps_its_bounds)
{
	struct rtt near = { .smoothed = 0 }, far = { .smoothed = 0 };

	for (int i = 0; i < 100; i++) {
		rtt_sample(&near, 200 * USEC);
		rtt_sample(&far, 170 * MSEC);
	}
	assert_int_equal(rtt_patience(&near), near.smoothed + MSEC);
	assert_int_equal(rtt_timeout(&near, 0), RTT_TIMEOUT_MIN);
	assert_int_equal(rtt_timeout(&far, 0), RTT_TIMEOUT_MAX);
}

TEST(the_timeout_doubles_with_each_retry_up_to_the_most)
{
	struct rtt rtt = { .smoothed = 0 };

	rtt_sample(&rtt, 100 * USEC);
	assert_int_equal(rtt_timeout(&rtt, 1), 40 * MSEC);
	assert_int_equal(rtt_timeout(&rtt, 2), 80 * MSEC);
	assert_int_equal(rtt_timeout(&rtt, 3), 160 * MSEC);
	assert_int_equal(rtt_timeout(&rtt, 4), 160 * MSEC);
	assert_int_equal(rtt_timeout(&rtt, 255), 160 * MSEC);
}

TEST(impossible_samples_are_bounded)
{
	struct rtt rtt = { .smoothed = 0 };

	rtt_sample(&rtt, 0);
	assert_true(rtt.smoothed > 0);
	rtt_sample(&rtt, 0);
	rtt_sample(&rtt, 0);
	assert_true(rtt.smoothed > 0);
	rtt_sample(&rtt, NSEC_NEVER);
	assert_true(rtt.smoothed <= RTT_SAMPLE_MAX);
	assert_int_equal(rtt_timeout(&rtt, 0), RTT_TIMEOUT_MAX);
}
