/* SPDX-License-Identifier: ISC */
#include "common/link/channel.h"

#include <string.h>

_Static_assert(CHANNEL_WINDOW == 32, "a SACK has a bit for every frame");
_Static_assert(CHANNEL_HELD_BYTES >= CHANNEL_WINDOW * CHANNEL_BODY_MAX,
    "a whole window can be in flight");
_Static_assert(CHANNEL_BODY_MAX <= CHAIN_BYTES_MAX, "a body fits a chain");

/* Copies bytes to a new chain, and counts it; BLOCK_NONE: no room. */
static block_index
keep(struct channel *ch, struct blocks *pool, const void *bytes, size_t size)
{
	block_index chain = blocks_store(pool, bytes, size);

	if (chain != BLOCK_NONE)
		ch->blocks_count += (uint16_t)blocks_chain_count(pool, chain);
	return chain;
}

static void
release(struct channel *ch, struct blocks *pool, block_index chain)
{
	size_t count = blocks_chain_count(pool, chain);

	assert(ch->blocks_count >= count);
	ch->blocks_count -= (uint16_t)count;
	blocks_release(pool, chain);
}

/* The flight of a frame of the window. */
static struct flight *
flight_of(struct channel *ch, uint32_t seq)
{
	assert(seq - ch->acked - 1 < CHANNEL_WINDOW);
	return &ch->flights[seq % CHANNEL_WINDOW];
}

/* The same, to read only. */
static const struct flight *
flight_at(const struct channel *ch, uint32_t seq)
{
	assert(seq - ch->acked - 1 < CHANNEL_WINDOW);
	return &ch->flights[seq % CHANNEL_WINDOW];
}

void
channel_open(struct channel *ch)
{
	assert(ch->held_count == 0);
	*ch = (struct channel){ .resent = ch->resent };
}

void
channel_close(struct channel *ch, struct blocks *pool)
{
	for (size_t i = 0; i < CHANNEL_WINDOW; i++) {
		if (ch->flights[i].chain != BLOCK_NONE)
			release(ch, pool, ch->flights[i].chain);
		if (ch->arrivals[i] != BLOCK_NONE)
			release(ch, pool, ch->arrivals[i]);
	}
	while (ch->waiting_first != BLOCK_NONE) {
		block_index chain = ch->waiting_first;

		ch->waiting_first = blocks_next(pool, chain);
		release(ch, pool, chain);
	}
	*ch = (struct channel){ .resent = ch->resent };
}

/* Moves waiting frames into the window while it has room. */
static void
admit(struct channel *ch, const struct blocks *pool)
{
	while (ch->waiting_count > 0 &&
	       ch->admitted - ch->acked < CHANNEL_WINDOW) {
		block_index chain = ch->waiting_first;

		ch->waiting_first = blocks_next(pool, chain);
		ch->waiting_count--;
		ch->admitted++;
		*flight_of(ch, ch->admitted) =
		    (struct flight){ .chain = chain };
	}
	if (ch->waiting_count == 0)
		ch->waiting_last = BLOCK_NONE;
}

bool
channel_has_room(const struct channel *ch, size_t size)
{
	return ch->held_count < CHANNEL_HELD_MAX &&
	       size <= CHANNEL_HELD_BYTES - ch->held_bytes &&
	       ch->admitted + ch->waiting_count < UINT32_MAX;
}

bool
channel_send(
    struct channel *ch, struct blocks *pool, const void *bytes, size_t size)
{
	block_index chain;

	assert(size > 0);
	assert(size <= CHANNEL_BODY_MAX);
	if (!channel_has_room(ch, size))
		return false;
	chain = keep(ch, pool, bytes, size);
	if (chain == BLOCK_NONE)
		return false;
	if (ch->waiting_last == BLOCK_NONE)
		ch->waiting_first = chain;
	else
		blocks_link(pool, ch->waiting_last, chain);
	ch->waiting_last = chain;
	ch->waiting_count++;
	ch->held_count++;
	ch->held_bytes += (uint32_t)size;
	admit(ch, pool);
	return true;
}

uint32_t
channel_last_sent(const struct channel *ch)
{
	return ch->admitted + ch->waiting_count;
}

uint32_t
channel_last_delivered(const struct channel *ch)
{
	return ch->delivered;
}

bool
channel_is_acknowledged(const struct channel *ch, uint32_t seq)
{
	return seq <= ch->acked;
}

/* True if `ack` and `sack` acknowledge frame `seq`. */
static bool
acknowledges(uint32_t ack, uint32_t sack, uint32_t seq)
{
	if (seq <= ack)
		return true;
	return seq - ack <= 32 && (sack >> (seq - ack - 1) & 1) != 0;
}

/* True if they acknowledge no frame that was never sent. */
static bool
acknowledges_sent_only(const struct channel *ch, uint32_t ack, uint32_t sack)
{
	uint64_t highest = ack;

	for (uint32_t bits = sack; bits != 0; bits >>= 1)
		highest++;
	if (highest > ch->admitted)
		return false;
	for (uint32_t i = 1; i <= ch->admitted - ch->acked; i++)
		if (!flight_at(ch, ch->acked + i)->was_sent &&
		    acknowledges(ack, sack, ch->acked + i))
			return false;
	return true;
}

/* Releases a frame of the window; its place stays until `acked` moves. */
static void
forget(struct channel *ch, struct blocks *pool, struct flight *f)
{
	size_t size = blocks_chain_size(pool, f->chain);

	assert(ch->held_count > 0);
	assert(ch->held_bytes >= size);
	ch->held_count--;
	ch->held_bytes -= (uint32_t)size;
	release(ch, pool, f->chain);
	f->chain = BLOCK_NONE;
}

bool
channel_ack(
    struct channel *ch, struct blocks *pool, uint32_t ack, uint32_t sack)
{
	if (!acknowledges_sent_only(ch, ack, sack))
		return false;
	for (uint32_t i = 1; i <= ch->admitted - ch->acked; i++) {
		struct flight *f = flight_of(ch, ch->acked + i);

		if (f->chain != BLOCK_NONE &&
		    acknowledges(ack, sack, ch->acked + i))
			forget(ch, pool, f);
	}
	while (ch->acked < ch->admitted &&
	       flight_at(ch, ch->acked + 1)->chain == BLOCK_NONE)
		ch->acked++;
	admit(ch, pool);
	return true;
}

enum arrival
channel_receive(struct channel *ch, struct blocks *pool, uint32_t seq,
    const void *bytes, size_t size)
{
	block_index *place = &ch->arrivals[seq % CHANNEL_WINDOW];

	if (seq == 0 || size == 0 || size > CHANNEL_BODY_MAX)
		return ARRIVAL_REFUSED;
	if (seq > ch->delivered && seq - ch->delivered > CHANNEL_WINDOW)
		return ARRIVAL_REFUSED;
	/* For a duplicate, too: our last acknowledgement may be lost. */
	ch->owes_ack = true;
	if (seq <= ch->delivered || *place != BLOCK_NONE)
		return ARRIVAL_DUPLICATE;
	*place = keep(ch, pool, bytes, size);
	return *place == BLOCK_NONE ? ARRIVAL_OVERFLOW : ARRIVAL_FRESH;
}

size_t
channel_deliver(struct channel *ch, struct blocks *pool, uint8_t *buffer)
{
	block_index *place =
	    &ch->arrivals[(ch->delivered + 1) % CHANNEL_WINDOW];
	size_t size;

	if (*place == BLOCK_NONE)
		return 0;
	size = blocks_chain_size(pool, *place);
	assert(size <= CHANNEL_BODY_MAX);
	blocks_copy(pool, *place, buffer);
	release(ch, pool, *place);
	*place = BLOCK_NONE;
	ch->delivered++;
	return size;
}

/* When a frame needs a datagram of its own. */
static nsec_t
due_at(const struct channel *ch, const struct flight *f)
{
	if (!f->was_sent)
		return 0;
	return nsec_after(f->sent, rtt_timeout(&ch->rtt, f->retries));
}

/*
 * When a frame goes along with a datagram that leaves anyway: once its
 * acknowledgement is late. That costs no datagram, so it may be early even if
 * the peer is slow. With a message every 10 ms at 30 % loss it lowers p99 of
 * the delivery from 650 ms to 36 ms. (Fast retransmission on the evidence of a
 * SACK alone leads to 65 ms, and in addition to this gains nothing.)
 */
static nsec_t
late_at(const struct channel *ch, const struct flight *f)
{
	nsec_t late = nsec_after(f->sent, rtt_patience(&ch->rtt));

	return nsec_earlier(late, due_at(ch, f));
}

/* Only a retry after the frame's own timeout makes the next one wait longer. */
static void
count_send(struct channel *ch, struct flight *f, nsec_t now)
{
	if (f->was_sent) {
		ch->resent++;
		if (due_at(ch, f) <= now && f->retries < RTT_RETRIES_MAX)
			f->retries++;
	}
	f->was_sent = true;
	f->sent = now;
}

bool
channel_output(struct channel *ch, const struct blocks *pool, nsec_t now,
    size_t room, struct frame *frame)
{
	for (uint32_t i = 1; i <= ch->admitted - ch->acked; i++) {
		struct flight *f = flight_of(ch, ch->acked + i);

		if (f->chain == BLOCK_NONE || late_at(ch, f) > now)
			continue;
		frame->size = blocks_chain_size(pool, f->chain);
		if (frame->size > room)
			continue;
		frame->seq = ch->acked + i;
		blocks_copy(pool, f->chain, frame->bytes);
		count_send(ch, f, now);
		return true;
	}
	return false;
}

uint32_t
channel_newest(const struct channel *ch)
{
	if (ch->waiting_count > 0 || ch->admitted == ch->acked ||
	    flight_at(ch, ch->admitted)->was_sent)
		return 0;
	return ch->admitted;
}

void
channel_sent(struct channel *ch, nsec_t now, uint32_t seq)
{
	assert(seq == channel_newest(ch));
	count_send(ch, flight_of(ch, seq), now);
}

nsec_t
channel_deadline(const struct channel *ch)
{
	nsec_t earliest = NSEC_NEVER;

	for (uint32_t i = 1; i <= ch->admitted - ch->acked; i++) {
		const struct flight *f = flight_at(ch, ch->acked + i);

		if (f->chain != BLOCK_NONE)
			earliest = nsec_earlier(earliest, due_at(ch, f));
	}
	return earliest;
}

bool
channel_due(const struct channel *ch, nsec_t now)
{
	return channel_deadline(ch) <= now;
}

uint32_t
channel_ack_number(const struct channel *ch)
{
	return ch->delivered;
}

uint32_t
channel_sack_bits(const struct channel *ch)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < CHANNEL_WINDOW; i++)
		if (ch->arrivals[(ch->delivered + 1 + i) % CHANNEL_WINDOW] !=
		    BLOCK_NONE)
			bits |= (uint32_t)1 << i;
	return bits;
}

bool
channel_owes_ack(const struct channel *ch)
{
	return ch->owes_ack;
}

void
channel_acked(struct channel *ch)
{
	ch->owes_ack = false;
}

/* Counts a chain for check_held(). */
static void
add_held(
    const struct blocks *pool, block_index chain, size_t *count, size_t *bytes)
{
	*count += 1;
	*bytes += blocks_chain_size(pool, chain);
}

/* Asserts that the counters fit what window and list hold. */
static void
check_held(const struct channel *ch, const struct blocks *pool)
{
	size_t count = 0, bytes = 0, waiting;
	block_index last = BLOCK_NONE;

	for (size_t i = 0; i < CHANNEL_WINDOW; i++)
		if (ch->flights[i].chain != BLOCK_NONE)
			add_held(pool, ch->flights[i].chain, &count, &bytes);
	waiting = count;
	for (block_index chain = ch->waiting_first; chain != BLOCK_NONE;
	     chain = blocks_next(pool, chain)) {
		add_held(pool, chain, &count, &bytes);
		assert(count <= CHANNEL_HELD_MAX);
		last = chain;
	}
	waiting = count - waiting;
	assert(last == ch->waiting_last);
	assert(waiting == ch->waiting_count);
	assert(count == ch->held_count);
	assert(bytes == ch->held_bytes);
	assert(bytes <= CHANNEL_HELD_BYTES);
}

/* Asserts that the channel takes up as many blocks as it counts. */
static void
check_blocks(const struct channel *ch, const struct blocks *pool)
{
	size_t count = 0;

	for (size_t i = 0; i < CHANNEL_WINDOW; i++) {
		if (ch->flights[i].chain != BLOCK_NONE)
			count += blocks_chain_count(pool, ch->flights[i].chain);
		if (ch->arrivals[i] != BLOCK_NONE)
			count += blocks_chain_count(pool, ch->arrivals[i]);
	}
	for (block_index chain = ch->waiting_first; chain != BLOCK_NONE;
	     chain = blocks_next(pool, chain))
		count += blocks_chain_count(pool, chain);
	assert(count == ch->blocks_count);
}

/* True if the channel holds no frame: then its counters are all there is to
 * check. */
static bool
is_empty(const struct channel *ch)
{
	bool has_frame = ch->waiting_first != BLOCK_NONE;

	for (size_t i = 0; i < CHANNEL_WINDOW; i++)
		has_frame |= (ch->flights[i].chain != BLOCK_NONE) |
			     (ch->arrivals[i] != BLOCK_NONE);
	return !has_frame;
}

void
channel_check(const struct channel *ch, const struct blocks *pool)
{
	uint32_t window = ch->admitted - ch->acked;

	assert(ch->acked <= ch->admitted);
	assert(window <= CHANNEL_WINDOW);
	assert(window == CHANNEL_WINDOW || ch->waiting_count == 0);
	if (is_empty(ch)) {
		assert(window == 0);
		assert(ch->waiting_last == BLOCK_NONE);
		assert(ch->held_count == 0);
		assert(ch->held_bytes == 0);
		assert(ch->blocks_count == 0);
		return;
	}
	if (window > 0)
		assert(flight_at(ch, ch->acked + 1)->chain != BLOCK_NONE);
	for (uint32_t i = window + 1; i <= CHANNEL_WINDOW; i++)
		assert(flight_at(ch, ch->acked + i)->chain == BLOCK_NONE);
	check_held(ch, pool);
	check_blocks(ch, pool);
	for (size_t i = 0; i < CHANNEL_WINDOW; i++)
		if (ch->arrivals[i] != BLOCK_NONE)
			assert(blocks_chain_size(pool, ch->arrivals[i]) <=
			       CHANNEL_BODY_MAX);
}
