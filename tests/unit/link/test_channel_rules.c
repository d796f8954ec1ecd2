/* SPDX-License-Identifier: ISC */
/*
 * The rules of one channel, one by one: limits, acknowledgements, timers,
 * refusals, and any input at all. test_channel.c has two of them on a bad path.
 */
#include "tests/unit/group.h"

#include <string.h>

#include "common/link/channel.h"
#include "common/util/random.h"

#define BLOCKS 4096
#define ROOM   CHANNEL_BODY_MAX

/* One channel and its pool: the state of each case. */
struct fixture {
	struct channel channel;
	struct blocks *pool;
	struct frame frame; /* the last one sent */
};

static const uint8_t body[CHANNEL_BODY_MAX];

static int
set_up(void **state)
{
	struct fixture *f = test_calloc(1, sizeof(*f));

	f->pool = blocks_init(test_malloc(blocks_size(BLOCKS)), BLOCKS);
	channel_open(&f->channel);
	*state = f;
	return 0;
}

/* A close gives back every block that a case leaves behind. */
static int
tear_down(void **state)
{
	struct fixture *f = *state;

	channel_check(&f->channel, f->pool);
	channel_close(&f->channel, f->pool);
	channel_close(&f->channel, f->pool);
	channel_check(&f->channel, f->pool);
	assert_int_equal(blocks_free_count(f->pool), BLOCKS);
	test_free(f->pool);
	test_free(f);
	return 0;
}

static bool
send(struct fixture *f, size_t size)
{
	return channel_send(&f->channel, f->pool, body, size);
}

/* Sends all that may go at `now`; counts the frames. */
static unsigned
output_all(struct fixture *f, nsec_t now)
{
	unsigned count = 0;

	while (channel_output(&f->channel, f->pool, now, ROOM, &f->frame))
		count++;
	return count;
}

static enum arrival
receive(struct fixture *f, uint32_t seq, size_t size)
{
	return channel_receive(&f->channel, f->pool, seq, body, size);
}

static size_t
deliver(struct fixture *f)
{
	uint8_t buffer[CHANNEL_BODY_MAX];

	return channel_deliver(&f->channel, f->pool, buffer);
}

static bool
ack(struct fixture *f, uint32_t number, uint32_t sack)
{
	return channel_ack(&f->channel, f->pool, number, sack);
}

#define CASE(f) TEST(f, set_up, tear_down)

CASE(channel_holds_256_frames_and_not_one_more)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < CHANNEL_HELD_MAX; i++)
		assert_true(send(f, 1));
	assert_false(send(f, 1));
	assert_int_equal(output_all(f, SEC), CHANNEL_WINDOW);
	assert_false(send(f, 1));
	assert_true(ack(f, 1, 0));
	assert_true(send(f, 1));
	assert_false(send(f, 1));
}

CASE(channel_holds_64_kib_and_not_one_byte_more)
{
	struct fixture *f = *state;
	size_t left = CHANNEL_HELD_BYTES;

	for (; left > CHANNEL_BODY_MAX; left -= CHANNEL_BODY_MAX)
		assert_true(send(f, CHANNEL_BODY_MAX));
	assert_false(channel_has_room(&f->channel, left + 1));
	assert_false(send(f, left + 1));
	assert_true(channel_has_room(&f->channel, left));
	assert_true(send(f, left));
	assert_false(send(f, 1));
}

CASE(an_exhausted_pool_fails_both_directions)
{
	struct fixture *f = *state;
	block_index rest = blocks_store(f->pool, body, 1);

	for (block_index last = rest; last != BLOCK_NONE;) {
		block_index next = blocks_store(f->pool, body, BLOCK_BYTES);

		blocks_link(f->pool, last, next);
		last = next;
	}
	assert_false(send(f, 1));
	assert_int_equal(receive(f, 1, 1), ARRIVAL_OVERFLOW);
	while (rest != BLOCK_NONE) {
		block_index next = blocks_next(f->pool, rest);

		blocks_release(f->pool, rest);
		rest = next;
	}
	assert_true(send(f, 1));
	assert_int_equal(receive(f, 1, 1), ARRIVAL_FRESH);
}

CASE(the_window_moves_only_past_the_oldest_frame)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 40; i++)
		assert_true(send(f, 1));
	assert_int_equal(output_all(f, SEC), 32);
	assert_int_equal(f->frame.seq, 32);
	assert_true(ack(f, 0, UINT32_MAX - 1));
	assert_int_equal(f->channel.held_count, 9);
	assert_int_equal(output_all(f, SEC), 0);
	assert_true(ack(f, 1, 0));
	assert_int_equal(output_all(f, SEC), 8);
	assert_int_equal(f->frame.seq, 40);
	assert_true(ack(f, 40, 0));
	assert_int_equal(channel_deadline(&f->channel), NSEC_NEVER);
}

CASE(acknowledging_what_was_never_sent_is_refused)
{
	struct fixture *f = *state;

	assert_false(ack(f, 1, 0));
	assert_false(ack(f, 0, 1));
	assert_false(ack(f, UINT32_MAX, UINT32_MAX));
	assert_true(send(f, 1));
	assert_false(ack(f, 1, 0)); /* known here, but not yet sent */
	assert_false(ack(f, 0, 1));
	assert_int_equal(output_all(f, SEC), 1);
	assert_false(ack(f, 2, 0));
	assert_false(ack(f, 0, 3)); /* nor does the true half count */
	assert_int_equal(channel_deadline(&f->channel), SEC + 20 * MSEC);
	assert_true(ack(f, 0, 1));
	assert_int_equal(channel_deadline(&f->channel), NSEC_NEVER);
	assert_true(ack(f, 0, 0)); /* an older datagram, overtaken */
}

CASE(a_frame_is_repeated_after_20_40_80_and_160_ms)
{
	static const nsec_t waits[] = { 20, 40, 80, 160, 160, 160 };
	struct fixture *f = *state;
	nsec_t now = SEC;

	assert_int_equal(channel_deadline(&f->channel), NSEC_NEVER);
	assert_true(send(f, 5));
	assert_true(channel_due(&f->channel, now));
	assert_int_equal(output_all(f, now), 1);
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		now += waits[i] * MSEC;
		assert_int_equal(channel_deadline(&f->channel), now);
		assert_false(channel_due(&f->channel, now - 1));
		assert_true(channel_due(&f->channel, now));
		assert_int_equal(output_all(f, now), 1);
		assert_int_equal(f->frame.seq, 1);
		assert_int_equal(f->frame.size, 5);
	}
	assert_int_equal(f->channel.resent, 6);
}

CASE(a_late_frame_goes_along_but_asks_for_no_datagram)
{
	struct fixture *f = *state;

	rtt_sample(&f->channel.rtt, MSEC); /* patience: 1 + 4 * 0.5 ms */
	assert_true(send(f, 1));
	assert_int_equal(output_all(f, SEC), 1);
	assert_int_equal(output_all(f, SEC + 3 * MSEC - 1), 0);
	assert_false(channel_due(&f->channel, SEC + 3 * MSEC));
	assert_int_equal(output_all(f, SEC + 3 * MSEC), 1);
	/* The late frame cost nothing: the next timeout is not doubled. */
	assert_int_equal(channel_deadline(&f->channel), SEC + 23 * MSEC);
}

/* Else a caller that sends until nothing is due would never end. */
CASE(frame_that_is_due_can_be_sent_however_far_the_peer)
{
	struct fixture *f = *state;

	rtt_sample(&f->channel.rtt, SEC);
	assert_true(send(f, 1));
	assert_int_equal(output_all(f, SEC), 1);
	assert_true(channel_due(&f->channel, SEC + RTT_TIMEOUT_MAX));
	assert_int_equal(output_all(f, SEC + RTT_TIMEOUT_MAX), 1);
	assert_false(channel_due(&f->channel, SEC + RTT_TIMEOUT_MAX));
}

CASE(a_frame_that_does_not_fit_lets_smaller_ones_pass)
{
	struct fixture *f = *state;
	struct frame *frame = &f->frame;

	assert_true(send(f, 500));
	assert_true(send(f, 100));
	assert_true(channel_output(&f->channel, f->pool, SEC, 499, frame));
	assert_int_equal(frame->seq, 2);
	assert_false(channel_output(&f->channel, f->pool, SEC, 499, frame));
	assert_true(channel_due(&f->channel, SEC));
	assert_true(channel_output(&f->channel, f->pool, SEC, 500, frame));
	assert_int_equal(frame->seq, 1);
	assert_false(channel_due(&f->channel, SEC));
}

CASE(frames_out_of_order_wait_and_are_delivered_in_order)
{
	struct fixture *f = *state;

	assert_int_equal(receive(f, 3, 30), ARRIVAL_FRESH);
	assert_int_equal(receive(f, 32, 32), ARRIVAL_FRESH);
	assert_int_equal(receive(f, 2, 20), ARRIVAL_FRESH);
	assert_int_equal(deliver(f), 0);
	assert_int_equal(channel_ack_number(&f->channel), 0);
	assert_int_equal(channel_sack_bits(&f->channel), 0x80000006);
	assert_int_equal(receive(f, 1, 10), ARRIVAL_FRESH);
	assert_int_equal(deliver(f), 10);
	assert_int_equal(deliver(f), 20);
	assert_int_equal(deliver(f), 30);
	assert_int_equal(deliver(f), 0);
	assert_int_equal(channel_ack_number(&f->channel), 3);
	assert_int_equal(channel_sack_bits(&f->channel), 0x10000000);
}

CASE(duplicates_are_known_before_and_after_delivery)
{
	struct fixture *f = *state;

	assert_int_equal(receive(f, 1, 1), ARRIVAL_FRESH);
	assert_int_equal(receive(f, 1, 1), ARRIVAL_DUPLICATE);
	assert_int_equal(deliver(f), 1);
	assert_int_equal(receive(f, 1, 1), ARRIVAL_DUPLICATE);
	assert_int_equal(deliver(f), 0);
}

CASE(frames_that_make_no_sense_are_refused)
{
	struct fixture *f = *state;

	assert_int_equal(receive(f, 0, 1), ARRIVAL_REFUSED);
	assert_int_equal(receive(f, 33, 1), ARRIVAL_REFUSED);
	assert_int_equal(receive(f, UINT32_MAX, 1), ARRIVAL_REFUSED);
	assert_int_equal(receive(f, 1, 0), ARRIVAL_REFUSED);
	assert_int_equal(receive(f, 1, CHANNEL_BODY_MAX + 1), ARRIVAL_REFUSED);
	assert_false(channel_owes_ack(&f->channel));
	assert_int_equal(receive(f, 1, CHANNEL_BODY_MAX), ARRIVAL_FRESH);
	assert_int_equal(deliver(f), CHANNEL_BODY_MAX);
	assert_int_equal(receive(f, 33, 1), ARRIVAL_FRESH);
}

CASE(only_frames_are_acknowledged_duplicates_too)
{
	struct fixture *f = *state;

	assert_true(send(f, 1));
	assert_int_equal(output_all(f, SEC), 1);
	assert_true(ack(f, 1, 0));
	assert_false(channel_owes_ack(&f->channel));
	assert_int_equal(receive(f, 1, 1), ARRIVAL_FRESH);
	assert_true(channel_owes_ack(&f->channel));
	channel_acked(&f->channel);
	assert_false(channel_owes_ack(&f->channel));
	assert_int_equal(receive(f, 1, 1), ARRIVAL_DUPLICATE);
	assert_true(channel_owes_ack(&f->channel));
}

CASE(a_new_session_knows_nothing_of_the_old)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 50; i++)
		assert_true(send(f, 100));
	assert_int_equal(output_all(f, SEC), 32);
	assert_int_equal(output_all(f, SEC + 20 * MSEC), 32);
	assert_int_equal(receive(f, 1, 1), ARRIVAL_FRESH);
	assert_int_equal(receive(f, 2, 1), ARRIVAL_FRESH);
	assert_int_equal(deliver(f), 1);
	channel_close(&f->channel, f->pool);
	assert_int_equal(blocks_free_count(f->pool), BLOCKS);
	channel_open(&f->channel);
	assert_int_equal(deliver(f), 0);
	assert_false(channel_owes_ack(&f->channel));
	assert_int_equal(channel_ack_number(&f->channel), 0);
	assert_int_equal(channel_deadline(&f->channel), NSEC_NEVER);
	assert_true(send(f, 1));
	assert_int_equal(output_all(f, SEC), 1);
	assert_int_equal(f->frame.seq, 1);
	assert_int_equal(f->channel.resent, 32);
}

/* No session gets so far; if one did, it would end, not wrap. */
CASE(sequence_numbers_do_not_wrap)
{
	struct fixture *f = *state;

	f->channel.acked = UINT32_MAX - 1;
	f->channel.admitted = UINT32_MAX - 1;
	f->channel.delivered = UINT32_MAX - 1;
	assert_true(send(f, 1));
	assert_false(send(f, 1));
	assert_int_equal(output_all(f, SEC), 1);
	assert_int_equal(f->frame.seq, UINT32_MAX);
	assert_false(ack(f, UINT32_MAX - 1, 2));
	assert_true(ack(f, UINT32_MAX, 0));
	assert_int_equal(receive(f, UINT32_MAX, 1), ARRIVAL_FRESH);
	assert_int_equal(deliver(f), 1);
	assert_int_equal(deliver(f), 0);
	assert_int_equal(receive(f, 0, 1), ARRIVAL_REFUSED);
}

#define HOSTILE_STEPS  300000
#define HOSTILE_BLOCKS 300 /* few: the pool is exhausted now and then */

/* Draws a number near those that matter, or any. */
static uint32_t
near(struct random *r, uint32_t number)
{
	if (random_below(r, 50) == 0)
		return (uint32_t)random_next(r);
	return number + (uint32_t)random_below(r, 80) - 40;
}

/* Makes a frame with its own number, to check its delivery. */
static void
throw_frame(struct channel *ch, struct blocks *pool, struct random *r)
{
	uint8_t bytes[CHANNEL_BODY_MAX + 1] = { 0 };
	uint32_t seq = near(r, ch->delivered), number;
	size_t size = random_below(r, 100) == 0
			  ? random_below(r, sizeof(bytes) + 1)
			  : random_between(r, sizeof(seq), 60);

	memcpy(bytes, &seq, sizeof(seq));
	if (size < sizeof(seq))
		size = 0;
	if (channel_receive(ch, pool, seq, bytes, size) == ARRIVAL_OVERFLOW)
		channel_close(ch, pool);
	for (uint32_t next = ch->delivered + 1;
	     random_below(r, 8) > 0 && channel_deliver(ch, pool, bytes) > 0;
	     next++) {
		memcpy(&number, bytes, sizeof(number));
		assert_int_equal(number, next);
	}
}

/* Does one thing that can happen to a channel; a failure ends its session. */
static void
hostile_step(
    struct channel *ch, struct blocks *pool, struct random *r, nsec_t now)
{
	static const uint8_t bytes[CHANNEL_BODY_MAX] = { 0 };
	uint32_t bits = (uint32_t)(random_next(r) & random_next(r));
	struct frame frame;

	switch (random_below(r, 4)) {
	case 0:
		if (!channel_send(ch, pool, bytes, random_between(r, 1, 90)))
			channel_close(ch, pool);
		break;
	case 1:
		channel_output(ch, pool, now, random_below(r, 100), &frame);
		break;
	case 2:
		channel_ack(ch, pool, near(r, ch->acked),
		    random_below(r, 2) == 0 ? bits : bits & 15);
		break;
	default:
		throw_frame(ch, pool, r);
	}
}

TEST(no_input_breaks_an_invariant)
{
	struct blocks *pool = blocks_init(
	    test_malloc(blocks_size(HOSTILE_BLOCKS)), HOSTILE_BLOCKS);
	struct channel ch = { .acked = 0 };
	struct random random;

	random_init(&random, 7);
	for (nsec_t i = 1; i <= HOSTILE_STEPS; i++) {
		hostile_step(&ch, pool, &random, i * MSEC);
		channel_check(&ch, pool);
	}
	channel_close(&ch, pool);
	assert_int_equal(blocks_free_count(pool), HOSTILE_BLOCKS);
	test_free(pool);
}
