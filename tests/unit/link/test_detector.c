/* SPDX-License-Identifier: ISC */
/* The failure detector: deadlines, margin, pings. */

#include "tests/unit/group.h"

#include "common/link/detector.h"

#define BEAT   (100 * MSEC)
#define MISSES 3
#define BEGIN  (1000 * SEC)

/* A session that has just begun. */
static struct detector
opened(void)
{
	struct detector d = { .heard = 0 };

	detector_open(&d, BEGIN, BEAT);
	return d;
}

/* A datagram that took no time, by clocks that agree. */
static void
hear(struct detector *d, nsec_t now)
{
	detector_heard(d, now, (uint32_t)(now / USEC), BEAT);
	detector_check(d);
}

/* The word came before the pause of this node, which takes it afterwards. */
TEST(word_from_before_a_pause_takes_no_excuse_back)
{
	struct detector d = opened();
	nsec_t deadline;

	hear(&d, BEGIN + BEAT);
	detector_excuse(&d, 2 * BEAT);
	deadline = detector_deadline(&d, MISSES, 0);
	hear(&d, BEGIN + 2 * BEAT);
	assert_true(detector_deadline(&d, MISSES, 0) >= deadline);
	hear(&d, BEGIN + 3 * BEAT + 1);
	assert_true(d.heard == BEGIN + 3 * BEAT + 1);
}

TEST(first_datagram_is_enough_to_be_heard)
{
	struct detector d = opened();

	detector_check(&d);
	assert_false(d.is_heard);
	hear(&d, BEGIN + MSEC);
	assert_true(d.is_heard);
	assert_true(d.heard == BEGIN + MSEC);
}

/* protocol: misses * interval + margin, and the margin is at least a tenth. */
TEST(silence_is_proof_after_the_misses_and_the_margin)
{
	struct detector d = opened();

	assert_int_equal(detector_deadline(&d, MISSES, 0), BEGIN + 310 * MSEC);
	hear(&d, BEGIN + 50 * MSEC);
	assert_int_equal(detector_deadline(&d, MISSES, 0), BEGIN + 360 * MSEC);
	assert_int_equal(detector_deadline(&d, 5, 0), BEGIN + 560 * MSEC);
}

TEST(node_that_doubts_itself_waits_longer)
{
	struct detector d = opened();

	for (unsigned health = 0; health <= HEALTH_MAX; health++)
		assert_int_equal(detector_deadline(&d, MISSES, health),
		    BEGIN + (1 + health) * 310 * MSEC);
}

TEST(interval_is_what_the_peer_says)
{
	struct detector d = opened();

	detector_heard(&d, BEGIN + MSEC, 1, 20 * MSEC);
	assert_int_equal(
	    detector_deadline(&d, MISSES, 0), BEGIN + MSEC + 62 * MSEC);
}

TEST(three_pings_go_out_before_the_last_miss)
{
	struct detector d = opened();

	assert_true(detector_ping_at(&d, MISSES, 0) == NSEC_NEVER);
	hear(&d, BEGIN);
	for (unsigned i = 0; i < DETECTOR_PINGS; i++) {
		assert_int_equal(detector_ping_at(&d, MISSES, 0),
		    BEGIN + (210 + 10 * i) * MSEC);
		detector_pinged(&d);
		detector_check(&d);
	}
	assert_true(detector_ping_at(&d, MISSES, 0) == NSEC_NEVER);
	hear(&d, BEGIN + 250 * MSEC);
	assert_int_equal(detector_ping_at(&d, MISSES, 0), BEGIN + 460 * MSEC);
}

/*
 * Each answer counts as heard, so the first ping does not go out at once. Where
 * only one miss is allowed, three pings find time before it all the same.
 */
TEST(pings_are_neither_endless_nor_too_late)
{
	for (unsigned misses = 1; misses <= MISSES; misses++) {
		struct detector d = opened();

		hear(&d, BEGIN);
		assert_true(
		    detector_ping_at(&d, misses, 0) >= BEGIN + BEAT * 3 / 4);
		for (unsigned i = 1; i < DETECTOR_PINGS; i++)
			detector_pinged(&d);
		assert_true(detector_ping_at(&d, misses, 0) + BEAT / 10 <
			    detector_deadline(&d, misses, 0));
	}
}

/* Transit times that vary by 40 ms widen the margin; steady ones do not. */
TEST(margin_follows_the_jitter)
{
	struct detector steady = opened(), shaky = opened();
	nsec_t now = BEGIN;

	for (unsigned i = 0; i < 200; i++) {
		now += BEAT;
		hear(&steady, now);
		detector_heard(&shaky, now + (i % 2) * 40 * MSEC,
		    (uint32_t)(now / USEC), BEAT);
		detector_check(&shaky);
	}
	assert_int_equal(detector_margin(&steady), 10 * MSEC);
	assert_in_range(detector_margin(&shaky), 120 * MSEC, 160 * MSEC);
}

/* The time at which a peer sends is no jitter: its timestamps show that. */
TEST(sending_at_odd_times_is_no_jitter)
{
	struct detector d = opened();
	nsec_t now = BEGIN;

	for (unsigned i = 0; i < 200; i++) {
		now += BEAT / 2 + (i * 37 % 100) * MSEC;
		hear(&d, now);
	}
	assert_int_equal(d.jitter, 0);
}

TEST(margin_is_bounded_whatever_the_timestamps_say)
{
	struct detector d = opened();
	nsec_t now = BEGIN;

	for (unsigned i = 0; i < 200; i++) {
		now += 90 * SEC;
		detector_heard(&d, now, i * 1000, BEAT);
		detector_check(&d);
		assert_true(detector_margin(&d) <= 250 * MSEC);
	}
	assert_int_equal(detector_margin(&d), 250 * MSEC);
}

/* The pause counts for one interval: a sixteenth of it is a quarter in all. */
TEST(one_long_pause_of_the_peer_widens_the_margin_little)
{
	struct detector d = opened();

	hear(&d, BEGIN);
	detector_heard(
	    &d, BEGIN + 10 * SEC, (uint32_t)((BEGIN + BEAT) / USEC), BEAT);
	assert_in_range(detector_margin(&d), 20 * MSEC, 25 * MSEC);
}

/* A later datagram overtook one with an older timestamp, which says nothing. */
TEST(overtaken_datagram_is_not_measured)
{
	struct detector d = opened();

	detector_heard(&d, BEGIN, 500000, BEAT);
	detector_heard(&d, BEGIN + MSEC, 400000, BEAT);
	assert_int_equal(d.jitter, 0);
	assert_int_equal(d.heard, BEGIN + MSEC);
}

TEST(timestamps_may_wrap_round)
{
	struct detector d = opened();

	detector_heard(&d, BEGIN, UINT32_MAX - 49999, BEAT);
	detector_heard(&d, BEGIN + BEAT, 50000, BEAT);
	assert_int_equal(d.jitter, 0);
	detector_heard(&d, BEGIN + 2 * BEAT, 100000, BEAT);
	assert_true(d.jitter > 0);
}

TEST(our_own_pause_is_not_the_peers_silence)
{
	struct detector d = opened();

	detector_excuse(&d, 40 * MSEC);
	assert_int_equal(detector_deadline(&d, MISSES, 0), BEGIN + 350 * MSEC);
	hear(&d, BEGIN + 100 * MSEC);
	detector_excuse(&d, 40 * MSEC);
	assert_int_equal(detector_deadline(&d, MISSES, 0), BEGIN + 450 * MSEC);
}

/* 3 * 100 ms and a margin of 10 ms; half an interval is 50 ms. */
TEST(one_more_witness_is_enough_half_an_interval_before)
{
	struct detector d = opened();

	hear(&d, BEGIN);
	assert_false(detector_doubts(&d, BEGIN, MISSES, 0));
	assert_false(detector_doubts(&d, BEGIN + 260 * MSEC - 1, MISSES, 0));
	assert_true(detector_doubts(&d, BEGIN + 260 * MSEC, MISSES, 0));
	assert_true(detector_doubts(&d, BEGIN + 10 * SEC, MISSES, 0));
	/* A node that doubts itself believes a witness later. */
	assert_false(detector_doubts(&d, BEGIN + 570 * MSEC - 1, MISSES, 1));
	assert_true(detector_doubts(&d, BEGIN + 570 * MSEC, MISSES, 1));
	hear(&d, BEGIN + 250 * MSEC);
	assert_false(detector_doubts(&d, BEGIN + 260 * MSEC, MISSES, 0));
}

/* The peer was not to send anything, so there was no silence. */
TEST(silence_counts_from_when_a_peer_is_watched)
{
	struct detector d = opened();
	nsec_t now = BEGIN + 3600 * SEC;

	hear(&d, BEGIN);
	assert_true(detector_is_current(&d));
	detector_watch(&d, now);
	detector_check(&d);
	assert_false(detector_is_current(&d));
	assert_int_equal(detector_deadline(&d, MISSES, 0), now + 310 * MSEC);
	assert_int_equal(detector_ping_at(&d, MISSES, 0), now + 210 * MSEC);
	detector_excuse(&d, 40 * MSEC);
	assert_int_equal(detector_deadline(&d, MISSES, 0), now + 350 * MSEC);
	hear(&d, now + 50 * MSEC);
	assert_true(detector_is_current(&d));
	assert_true(detector_deadline(&d, MISSES, 0) >= now + 360 * MSEC);
}

/* Earlier questions to it are over. */
TEST(peer_that_is_watched_again_is_pinged_again)
{
	struct detector d = opened();

	assert_false(detector_is_current(&d));
	detector_watch(&d, BEGIN);
	assert_false(detector_is_current(&d));
	hear(&d, BEGIN);
	assert_true(detector_is_current(&d));
	for (unsigned i = 0; i < DETECTOR_PINGS; i++)
		detector_pinged(&d);
	assert_true(detector_ping_at(&d, MISSES, 0) == NSEC_NEVER);
	detector_watch(&d, BEGIN + SEC);
	assert_int_equal(
	    detector_ping_at(&d, MISSES, 0), BEGIN + SEC + 210 * MSEC);
}
