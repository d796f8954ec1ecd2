/* SPDX-License-Identifier: ISC */
/*
 * Two channels at the ends of a simulated pipe that loses, doubles, delays and
 * reorders. CHANNEL_MESSAGES in the environment says how many messages each row
 * of the table sends.
 */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/link/channel.h"
#include "common/util/random.h"

#define MESSAGES    100000 /* for each row, unless CHANNEL_MESSAGES is set */
#define POOL_BLOCKS 4096
#define ROOM        1120 /* bytes of a datagram for frames */
#define FRAME_HEAD  8
#define FLYING_MAX  1024 /* datagrams under way at once */

struct path {
	unsigned loss, duplication, reordering; /* percent */
	unsigned rate;                          /* messages a second */
	bool both_ways;                         /* both ends send messages */
};

struct datagram {
	nsec_t arrives;
	unsigned to;
	uint32_t ack, sack;
	nsec_t sent, echo; /* echo 0: none */
	size_t frames_count;
	struct {
		uint32_t seq;
		size_t start, size;
	} frames[ROOM / FRAME_HEAD];
	uint8_t bytes[ROOM];
};

struct end {
	struct channel channel;
	struct blocks *pool;
	unsigned sent, delivered; /* messages */
	nsec_t next_message;
	nsec_t echo;        /* that the next datagram returns */
	uint64_t datagrams; /* those with frames */
	unsigned most_blocks;
};

struct world {
	struct path path;
	struct random random;
	nsec_t now;
	unsigned messages; /* of each sending end */
	struct end ends[2];
	struct datagram *flying;
	size_t flying_count;
	uint32_t *latencies; /* microseconds, of messages to end 1 */
};

/* The beginning of a message; a pattern follows. */
struct body {
	nsec_t at;
	unsigned number;
};

static size_t
body_size(unsigned number)
{
	if (number % 101 == 0)
		return CHANNEL_BODY_MAX;
	return sizeof(struct body) + number * 7 % 32;
}

static size_t
body_make(uint8_t *bytes, unsigned number, nsec_t at)
{
	struct body body = { .at = at, .number = number };

	for (size_t i = 0; i < body_size(number); i++)
		bytes[i] = (uint8_t)(number + i);
	memcpy(bytes, &body, sizeof(body));
	return body_size(number);
}

/* Asserts that the message is whole, and the expected one; gives when it was
 * sent. */
static nsec_t
body_check(const uint8_t *bytes, size_t size, unsigned number)
{
	struct body body;

	assert_int_equal(size, body_size(number));
	memcpy(&body, bytes, sizeof(body));
	assert_int_equal(body.number, number);
	for (size_t i = sizeof(body); i < size; i++)
		assert_int_equal(bytes[i], (uint8_t)(number + i));
	return body.at;
}

static bool
chance(struct world *w, unsigned percent)
{
	return random_below(&w->random, 100) < percent;
}

/* Delays a datagram by half a millisecond to one; by two more if it is held up.
 */
static nsec_t
draw_delay(struct world *w)
{
	nsec_t delay = random_between(&w->random, MSEC / 2, MSEC);

	if (chance(w, w->path.reordering))
		delay += random_below(&w->random, 2 * MSEC);
	return delay;
}

static void
throw_datagram(struct world *w, const struct datagram *d)
{
	unsigned copies = chance(w, w->path.duplication) ? 2 : 1;

	while (copies-- > 0) {
		if (chance(w, w->path.loss))
			continue;
		assert_true(w->flying_count < FLYING_MAX);
		w->flying[w->flying_count] = *d;
		w->flying[w->flying_count++].arrives = w->now + draw_delay(w);
	}
}

static void
send_datagram(struct world *w, unsigned from)
{
	struct end *e = &w->ends[from];
	struct datagram d = {
		.to = 1 - from,
		.ack = channel_ack_number(&e->channel),
		.sack = channel_sack_bits(&e->channel),
		.sent = w->now,
		.echo = e->echo,
	};
	struct frame frame;
	size_t used = FRAME_HEAD, start = 0;

	while (used < ROOM && channel_output(&e->channel, e->pool, w->now,
				  ROOM - used, &frame)) {
		d.frames[d.frames_count].seq = frame.seq;
		d.frames[d.frames_count].start = start;
		d.frames[d.frames_count++].size = frame.size;
		memcpy(d.bytes + start, frame.bytes, frame.size);
		start += frame.size;
		used += frame.size + FRAME_HEAD;
	}
	if (d.frames_count > 0)
		e->datagrams++;
	e->echo = 0;
	channel_acked(&e->channel);
	throw_datagram(w, &d);
}

static void
deliver(struct world *w, struct end *e)
{
	uint8_t bytes[CHANNEL_BODY_MAX];
	size_t size = channel_deliver(&e->channel, e->pool, bytes);

	for (; size > 0; size = channel_deliver(&e->channel, e->pool, bytes)) {
		nsec_t at = body_check(bytes, size, e->delivered);

		if (e == &w->ends[1])
			w->latencies[e->delivered] =
			    (uint32_t)((w->now - at) / USEC);
		e->delivered++;
	}
}

static void
receive_datagram(struct world *w, const struct datagram *d)
{
	struct end *e = &w->ends[d->to];

	assert_true(channel_ack(&e->channel, e->pool, d->ack, d->sack));
	if (d->echo != 0)
		rtt_sample(&e->channel.rtt, w->now - d->echo);
	for (size_t i = 0; i < d->frames_count; i++) {
		enum arrival arrival =
		    channel_receive(&e->channel, e->pool, d->frames[i].seq,
			d->bytes + d->frames[i].start, d->frames[i].size);

		assert_true(arrival <= ARRIVAL_DUPLICATE);
	}
	assert_int_equal(channel_owes_ack(&e->channel), d->frames_count > 0);
	if (d->frames_count > 0)
		e->echo = d->sent;
	deliver(w, e);
}

/* Gives the index of the datagram that arrives first, or flying_count. */
static size_t
first_flying(const struct world *w)
{
	size_t first = w->flying_count;

	for (size_t i = 0; i < w->flying_count; i++)
		if (first == w->flying_count ||
		    w->flying[i].arrives < w->flying[first].arrives)
			first = i;
	return first;
}

static nsec_t
next_event(const struct world *w)
{
	size_t first = first_flying(w);
	nsec_t at =
	    first < w->flying_count ? w->flying[first].arrives : NSEC_NEVER;

	for (size_t i = 0; i < 2; i++) {
		at = nsec_earlier(at, w->ends[i].next_message);
		at = nsec_earlier(at, channel_deadline(&w->ends[i].channel));
	}
	return at;
}

static void
send_message(struct world *w, struct end *e)
{
	nsec_t interval = SEC / w->path.rate;
	uint8_t bytes[CHANNEL_BODY_MAX];
	size_t size = body_make(bytes, e->sent, w->now);

	assert_true(channel_send(&e->channel, e->pool, bytes, size));
	e->sent++;
	e->next_message =
	    w->now + random_between(&w->random, interval / 2, interval * 3 / 2);
	if (e->sent == w->messages)
		e->next_message = NSEC_NEVER;
}

static void
step_end(struct world *w, unsigned i)
{
	struct end *e = &w->ends[i];
	unsigned used;

	if (e->next_message <= w->now)
		send_message(w, e);
	while (
	    channel_owes_ack(&e->channel) || channel_due(&e->channel, w->now))
		send_datagram(w, i);
	channel_check(&e->channel, e->pool);
	used = POOL_BLOCKS - blocks_free_count(e->pool);
	if (used > e->most_blocks)
		e->most_blocks = used;
}

/* Performs one event: what is due, or the arrival of one datagram. */
static bool
step(struct world *w)
{
	nsec_t at = next_event(w);
	size_t first = first_flying(w);

	if (at == NSEC_NEVER)
		return false;
	w->now = at > w->now ? at : w->now;
	if (first < w->flying_count && w->flying[first].arrives <= w->now) {
		receive_datagram(w, &w->flying[first]);
		w->flying[first] = w->flying[--w->flying_count];
	}
	step_end(w, 0);
	step_end(w, 1);
	return true;
}

static void
world_open(struct world *w, const struct path *path, unsigned messages)
{
	*w = (struct world){ .path = *path, .messages = messages, .now = SEC };
	random_init(&w->random, path->loss + path->rate);
	w->flying = test_malloc(FLYING_MAX * sizeof(*w->flying));
	w->latencies = test_malloc(messages * sizeof(*w->latencies));
	for (size_t i = 0; i < 2; i++) {
		w->ends[i].pool = blocks_init(
		    test_malloc(blocks_size(POOL_BLOCKS)), POOL_BLOCKS);
		w->ends[i].next_message =
		    i == 0 || path->both_ways ? w->now : NSEC_NEVER;
	}
}

static void
world_close(struct world *w)
{
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(
		    blocks_free_count(w->ends[i].pool), POOL_BLOCKS);
		test_free(w->ends[i].pool);
	}
	test_free(w->latencies);
	test_free(w->flying);
}

static int
compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Prints the row of the table; asserts that p99 is no worse than expected. */
static void
judge_latencies(struct world *w, unsigned p99_max_ms, const char *known)
{
	const uint32_t *l = w->latencies;
	unsigned n = w->messages;

	qsort(w->latencies, n, sizeof(*w->latencies), compare);
	print_message(
	    "%3u%%  %3u%% %3u/s%s %4.1f %6.1f %6.1f  %12.2f %6u  %s\n",
	    w->path.loss, w->path.duplication, w->path.rate,
	    w->path.both_ways ? "x2" : "  ", l[n / 2] / 1e3,
	    l[n / 100 * 99] / 1e3, l[n - 1] / 1e3,
	    (double)w->ends[0].datagrams / n, w->ends[0].most_blocks, known);
	assert_true(l[n / 100 * 99] <= p99_max_ms * 1000);
}

static unsigned
messages_wanted(void)
{
	const char *text = getenv("CHANNEL_MESSAGES");
	unsigned long wanted =
	    text == NULL ? MESSAGES : strtoul(text, NULL, 10);

	assert_in_range(wanted, 5000, 10000000);
	return (unsigned)wanted;
}

/*
 * Sends the messages over the path: each arrives once, in order, whole, and
 * afterwards both pools are free.
 */
static void
run(const struct path *path, unsigned p99_max_ms, const char *known)
{
	unsigned messages = messages_wanted();
	struct world w;

	world_open(&w, path, messages);
	while (step(&w))
		continue;
	assert_int_equal(w.ends[1].delivered, messages);
	assert_int_equal(w.ends[0].delivered, path->both_ways ? messages : 0);
	judge_latencies(&w, p99_max_ms, known);
	world_close(&w);
}

static void
print_head(void)
{
	print_message(
	    "%u messages a row; in milliseconds\n", messages_wanted());
	print_message("loss dupl. rate    p50    p99    max  ");
	print_message("datag./mess. blocks  as designed\n");
}

TEST(each_message_arrives_once_in_order_at_any_loss)
{
	static const struct {
		unsigned loss, p99_max_ms;
		const char *known; /* p99 of an earlier simulation */
	} rows[] = {
		{ 0, 3, "0.8 / 2.9 / 3; 1.0" },
		{ 5, 22, "0.8 / 22 / 141; 1.1" },
		{ 20, 101, "0.9 / 101 / 461; 1.5" },
		{ 30, 267, "1.0 / 267 / 621; 1.8" },
		{ 50, 795, "21 / 795 / 1741; 2.6" },
	};

	print_head();
	for (unsigned rate = 10; rate <= 100; rate *= 10)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct path path = {
				.loss = rows[i].loss,
				.duplication = 5,
				.reordering = 20,
				.rate = rate,
			};

			run(&path, rows[i].p99_max_ms,
			    rate == 10 ? rows[i].known : "");
		}
}

TEST(each_message_arrives_once_in_order_on_a_wild_path)
{
	static const struct path path = {
		.loss = 30,
		.duplication = 50,
		.reordering = 50,
		.rate = 400,
		.both_ways = true,
	};

	run(&path, 100, "");
}
