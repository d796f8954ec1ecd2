/* SPDX-License-Identifier: ISC */
/* The memory that electd shares with its helper. Threads play the two. */
#include "tests/unit/group.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/lastwill/will.h"

#define PEERS 3
#define SHORT MSEC /* after this a hang counts at once */

static const struct sockaddr_in own = {
	.sin_family = AF_INET,
	.sin_addr = { 0x0100007f },
	.sin_port = 7421,
};
static struct will_plan plan;
static struct will_view daemon_side, helper_side;

static int
enter(void **state)
{
	(void)state;
	plan = (struct will_plan){
		.peers_count = PEERS,
		.own = (const struct sockaddr *)&own,
		.hang = 60 * SEC,
		.lease = 2 * SEC,
	};
	return 0;
}

static void
create(void)
{
	struct sockaddr_in to = own;

	assert_int_equal(will_create(&daemon_side, &plan), 0);
	for (unsigned i = 0; i < PEERS; i++) {
		to.sin_port = (in_port_t)i;
		will_set_address(&daemon_side, i, (const struct sockaddr *)&to);
	}
}

static bool
attach(void)
{
	return will_attach(
	    &helper_side, dup(daemon_side.fd), daemon_side.alarm_fd);
}

/* Makes a whole will of one repeated byte. */
static void
set(unsigned peer, enum will_kind kind, uint8_t byte)
{
	uint8_t bytes[PACKET_WILL_BYTES];

	memset(bytes, byte, sizeof(bytes));
	will_set(&daemon_side, peer, kind, bytes, sizeof(bytes));
}

static void
assert_will(unsigned peer, enum will_kind kind, uint8_t byte)
{
	struct will_letter letter;

	assert_true(will_read(&helper_side, peer, kind, &letter));
	assert_int_equal(letter.size, PACKET_WILL_BYTES);
	for (size_t i = 0; i < letter.size; i++)
		assert_int_equal(letter.bytes[i], byte);
	assert_int_equal(
	    ((const struct sockaddr_in *)(const void *)letter.to)->sin_port,
	    peer);
}

static bool
is_void(unsigned peer, enum will_kind kind)
{
	struct will_letter letter;

	return !will_read(&helper_side, peer, kind, &letter);
}

static void
detach(void)
{
	munmap(helper_side.memory, helper_side.size);
	will_end(&daemon_side);
}

static void
helper_reads_the_will_that_was_set(void **state)
{
	(void)state;
	create();
	assert_true(attach());
	set(0, WILL_PLAIN, 'a');
	set(2, WILL_PLAIN, 'b');
	set(2, WILL_RELEASING, 'c');
	assert_will(0, WILL_PLAIN, 'a');
	assert_will(2, WILL_PLAIN, 'b');
	assert_will(2, WILL_RELEASING, 'c');
	assert_true(is_void(0, WILL_RELEASING));
	assert_true(is_void(1, WILL_PLAIN));
	assert_int_equal(helper_side.family, AF_INET);
	assert_int_equal(
	    ((const struct sockaddr_in *)(const void *)will_own(&helper_side))
		->sin_port,
	    0);
	detach();
}

static void
latest_will_counts(void **state)
{
	(void)state;
	create();
	assert_true(attach());
	for (uint8_t i = 'a'; i <= 'z'; i++) {
		set(1, WILL_PLAIN, i);
		assert_will(1, WILL_PLAIN, i);
	}
	will_set(&daemon_side, 1, WILL_PLAIN, NULL, 0);
	assert_true(is_void(1, WILL_PLAIN));
	detach();
}

/* The next will begins in the place of the last but one. */
static void
death_in_the_middle_leaves_the_will_of_before(void **state)
{
	uint8_t old[PACKET_WILL_BYTES], *at;

	(void)state;
	create();
	assert_true(attach());
	set(1, WILL_PLAIN, 'a');
	set(1, WILL_PLAIN, 'b');
	memset(old, 'a', sizeof(old));
	at = memmem(daemon_side.memory, daemon_side.size, old, sizeof(old));
	assert_non_null(at);
	memset(at, 'c', sizeof(old) / 2);
	assert_will(1, WILL_PLAIN, 'b');
	detach();
}

static void *
live_and_die(void *context)
{
	(void)context;
	create();
	set(0, WILL_PLAIN, 'a');
	return NULL; /* with the mutex held */
}

static void *
live_and_end(void *context)
{
	int *fds = context;

	create();
	fds[0] = dup(daemon_side.fd);
	fds[1] = dup(daemon_side.alarm_fd);
	will_end(&daemon_side);
	return NULL;
}

static void
run(void *(*life)(void *), void *context)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, life, context), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void
death_is_reported(void **state)
{
	(void)state;
	run(live_and_die, NULL);
	assert_true(attach());
	assert_int_equal(will_await_end(&helper_side), WILL_DEAD);
	assert_will(0, WILL_PLAIN, 'a');
	munmap(helper_side.memory, helper_side.size);
	munmap(daemon_side.memory, daemon_side.size);
	close(daemon_side.fd);
}

static void
end_in_order_is_no_death(void **state)
{
	int fds[2];

	(void)state;
	run(live_and_end, fds);
	assert_true(will_attach(&helper_side, fds[0], fds[1]));
	assert_int_equal(will_await_end(&helper_side), WILL_OVER);
	munmap(helper_side.memory, helper_side.size);
	close(fds[1]);
}

static nsec_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (nsec_t)ts.tv_sec * SEC + (nsec_t)ts.tv_nsec;
}

/* The helper itself was delayed, so the daemon may have been as well. */
static void
late_helper_waits_once_more(void **state)
{
	nsec_t began;

	(void)state;
	plan.hang = 10 * SHORT;
	create();
	assert_true(attach());
	began = now();
	will_beat(&daemon_side);
	while (now() < began + 3 * plan.hang)
		continue;
	began = now();
	assert_true(will_await_hang(&helper_side));
	assert_true(now() >= began + plan.hang);
	detach();
}

/* The first of two heard the alarm, and died. */
static void
another_helper_finds_the_hang(void **state)
{
	uint64_t expirations;

	(void)state;
	plan.hang = SHORT;
	create();
	assert_true(attach());
	will_beat(&daemon_side);
	assert_int_equal(
	    read(helper_side.alarm_fd, &expirations, sizeof(expirations)),
	    sizeof(expirations));
	assert_true(will_await_hang(&helper_side));
	detach();
}

/* Gives whether the helper has to wake up at all. */
static bool
alarm_is_set(void)
{
	struct itimerspec spec;

	assert_int_equal(timerfd_gettime(helper_side.alarm_fd, &spec), 0);
	return spec.it_value.tv_sec != 0 || spec.it_value.tv_nsec != 0;
}

static void
hang_is_reported_once_and_found_by_the_next_beat(void **state)
{
	(void)state;
	plan.hang = SHORT;
	create();
	assert_true(attach());
	assert_false(will_beat(&daemon_side));
	assert_false(will_still_hangs(&helper_side));
	assert_true(will_await_hang(&helper_side));
	assert_false(alarm_is_set());
	assert_true(will_still_hangs(&helper_side));
	assert_true(will_beat(&daemon_side));
	assert_false(will_still_hangs(&helper_side));
	assert_false(will_beat(&daemon_side));
	assert_true(will_await_hang(&helper_side));
	detach();
}

/* This helper is slow to end. */
static void
end_in_order_is_no_hang(void **state)
{
	nsec_t ended;
	int alarm;

	(void)state;
	plan.hang = SHORT;
	create();
	assert_true(attach());
	alarm = dup(daemon_side.alarm_fd);
	assert_int_equal(fcntl(alarm, F_SETFL, O_NONBLOCK), 0);
	helper_side.alarm_fd = alarm;
	will_beat(&daemon_side);
	will_end(&daemon_side);
	ended = now();
	while (now() < ended + 3 * plan.hang)
		continue;
	assert_false(will_still_hangs(&helper_side));
	assert_false(will_await_hang(&helper_side));
	munmap(helper_side.memory, helper_side.size);
	close(alarm);
}

/* A start may take its time. */
static void
nothing_hangs_before_the_first_beat(void **state)
{
	(void)state;
	create();
	assert_true(attach());
	assert_false(alarm_is_set());
	assert_false(will_beat(&daemon_side));
	assert_true(alarm_is_set());
	detach();
}

/* Beats in quick succession wake nobody. */
static void
alarm_is_put_off_in_its_second_half(void **state)
{
	nsec_t before;

	(void)state;
	create();
	assert_true(attach());
	will_beat(&daemon_side);
	before = daemon_side.alarm_at;
	will_beat(&daemon_side);
	assert_int_equal(daemon_side.alarm_at, before);
	daemon_side.alarm_at -= plan.hang / 2;
	will_beat(&daemon_side);
	assert_in_range(
	    daemon_side.alarm_at, before, before + plan.hang / 2 - 1);
	detach();
}

/* The alarm was early: the daemon has beaten since, and does not hang. */
static void
hang_is_counted_from_the_last_beat(void **state)
{
	nsec_t began = now(), last;

	(void)state;
	plan.hang = 100 * SHORT;
	create();
	assert_true(attach());
	do {
		last = now();
		will_beat(&daemon_side);
	} while (last < began + 40 * SHORT);
	assert_true(will_await_hang(&helper_side));
	assert_true(now() >= last + plan.hang);
	detach();
}

static void
helper_knows_whether_there_is_a_successor(void **state)
{
	(void)state;
	create();
	assert_true(attach());
	assert_false(helper_side.has_successor);
	detach();
	plan.has_successor = true;
	create();
	assert_true(attach());
	assert_true(helper_side.has_successor);
	detach();
}

static void
deadline_is_known_until_it_has_passed(void **state)
{
	nsec_t until;

	(void)state;
	create();
	assert_true(attach());
	assert_int_equal(will_promised(&helper_side, 5 * SEC, &until),
	    WILL_PROMISED_NOTHING);
	will_promise(&daemon_side, 7 * SEC);
	assert_int_equal(
	    will_promised(&helper_side, 5 * SEC, &until), WILL_PROMISED_UNTIL);
	assert_int_equal(until, 7 * SEC);
	assert_int_equal(will_promised(&helper_side, 7 * SEC - 1, &until),
	    WILL_PROMISED_UNTIL);
	assert_int_equal(will_promised(&helper_side, 7 * SEC, &until),
	    WILL_PROMISED_NOTHING);
	assert_int_equal(will_promised(&helper_side, 5 * SEC - 1, &until),
	    WILL_PROMISED_NONSENSE);
	will_promise(&daemon_side, UINT64_MAX);
	assert_int_equal(will_promised(&helper_side, 5 * SEC, &until),
	    WILL_PROMISED_NONSENSE);
	detach();
}

/* Reads all of it; an access out of bounds would give a signal. */
static void
read_all(void)
{
	struct will_letter letter;
	unsigned sum = 0;

	assert_in_range(helper_side.peers_count, 0, PEERS);
	for (unsigned i = 0; i < helper_side.peers_count; i++)
		for (enum will_kind kind = 0; kind < WILL_KINDS; kind++)
			if (will_read(&helper_side, i, kind, &letter))
				for (size_t j = 0; j < letter.size; j++)
					sum += letter.bytes[j];
	assert_in_range(sum, 0, PEERS * WILL_KINDS * PACKET_WILL_BYTES * 255);
}

static void
no_byte_that_is_wrong_leads_astray(void **state)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	unsigned refused = 0;
	uint8_t *bytes;

	(void)state;
	create();
	set(0, WILL_PLAIN, 'a');
	bytes = (uint8_t *)daemon_side.memory;
	for (size_t i = 0; i < daemon_side.size; i++) {
		for (size_t j = 0; j < sizeof(masks); j++) {
			bytes[i] ^= masks[j];
			if (attach()) {
				read_all();
				munmap(helper_side.memory, helper_side.size);
			} else
				refused++;
			bytes[i] ^= masks[j];
		}
	}
	assert_true(refused >= 3 * 3 * sizeof(uint64_t));
	will_end(&daemon_side);
}

static void
wills_of_nonsense_are_none(void **state)
{
	struct will_view copy;

	(void)state;
	create();
	assert_true(attach());
	copy = daemon_side;
	/* The peers are at its end: sizes and families go wrong. */
	memset(
	    (uint8_t *)copy.memory + copy.size - 64 * PEERS, 0xff, 64 * PEERS);
	for (enum will_kind kind = 0; kind < WILL_KINDS; kind++)
		assert_true(is_void(PEERS - 1, kind));
	read_all();
	detach();
}

static void
shared_memory_of_others_is_refused(void **state)
{
	int fds[2];
	int loose = memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	(void)state;
	create();
	assert_int_equal(pipe(fds), 0);
	assert_false(will_attach(&helper_side, fds[0], daemon_side.alarm_fd));
	assert_false(will_attach(&helper_side, fds[1], daemon_side.alarm_fd));
	assert_false(will_attach(&helper_side, -1, daemon_side.alarm_fd));
	assert_false(will_attach(&helper_side, dup(daemon_side.fd), loose));
	assert_true(loose >= 0);
	assert_int_equal(write(loose, daemon_side.memory, daemon_side.size),
	    daemon_side.size);
	assert_false(will_attach(&helper_side, loose, daemon_side.alarm_fd));
	will_end(&daemon_side);
}

#define CASE(name) cmocka_unit_test_setup(name, enter)

static const struct CMUnitTest tests[] = {
	CASE(helper_reads_the_will_that_was_set),
	CASE(latest_will_counts),
	CASE(death_in_the_middle_leaves_the_will_of_before),
	CASE(death_is_reported),
	CASE(end_in_order_is_no_death),
	CASE(hang_is_reported_once_and_found_by_the_next_beat),
	CASE(end_in_order_is_no_hang),
	CASE(nothing_hangs_before_the_first_beat),
	CASE(alarm_is_put_off_in_its_second_half),
	CASE(hang_is_counted_from_the_last_beat),
	CASE(late_helper_waits_once_more),
	CASE(another_helper_finds_the_hang),
	CASE(helper_knows_whether_there_is_a_successor),
	CASE(deadline_is_known_until_it_has_passed),
	CASE(no_byte_that_is_wrong_leads_astray),
	CASE(wills_of_nonsense_are_none),
	CASE(shared_memory_of_others_is_refused),
};

GROUP(tests);
