/* SPDX-License-Identifier: ISC */
/* The memory that electd shares with its helper, and the alarm. Threads play
 * the two. */
#include "tests/unit/group.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/lastwill/will_share.h"

#define PEERS 3
#define SHORT MSEC /* after this a hang counts at once */

static const struct sockaddr_in own = {
	.sin_family = AF_INET,
	.sin_addr = { 0x0100007f },
	.sin_port = 7421,
};
static struct will_plan plan;
static struct will_share daemon_side, helper_side;

static int
enter(void **state)
{
	(void)state;
	plan = (struct will_plan){
		.peers_count = PEERS,
		.hang = 60 * SEC,
	};
	return 0;
}

static void
create(void)
{
	assert_int_equal(
	    share_create(&daemon_side, (const struct sockaddr *)&own, &plan),
	    0);
}

static bool
attach(void)
{
	return share_attach(
	    &helper_side, dup(daemon_side.fd), daemon_side.alarm_fd);
}

static void
unmap(struct will_share *share)
{
	munmap(share->memory,
	    (size_t)((uint8_t *)share->will.memory - (uint8_t *)share->memory) +
		will_size(WILL_ROOM_MAX));
}

static void
detach(void)
{
	unmap(&helper_side);
	share_end(&daemon_side);
}

#define CASE(name) TEST(name, enter)

CASE(helper_reads_what_the_daemon_writes)
{
	static const uint8_t bytes[PACKET_WILL_BYTES] = { 7 };
	struct will_letter letter;

	create();
	assert_true(attach());
	will_set(&daemon_side.will, PEERS - 1, WILL_PLAIN,
	    (const struct sockaddr *)&own, bytes, sizeof(bytes));
	letter = will_letters(&helper_side.will, WILL_CHOOSE_BEST);
	assert_true(will_next(&helper_side.will, &letter));
	assert_memory_equal(letter.bytes, bytes, sizeof(bytes));
	assert_false(will_next(&helper_side.will, &letter));
	assert_int_equal(helper_side.will.family, AF_INET);
	assert_int_equal(
	    ((const struct sockaddr_in *)(const void *)share_own(&helper_side))
		->sin_port,
	    0);
	detach();
}

/* Only what a configuration uses takes memory. */
CASE(room_for_all_peers_takes_no_memory)
{
	struct stat status;

	create();
	assert_int_equal(fstat(daemon_side.fd, &status), 0);
	assert_true(status.st_size > 700000);
	assert_in_range(status.st_blocks * 512, 4096, 3 * 4096);
	share_end(&daemon_side);
}

static void *
live_and_die(void *context)
{
	(void)context;
	create();
	return NULL; /* with the mutex held */
}

static void *
live_and_end(void *context)
{
	int *fds = context;

	create();
	fds[0] = dup(daemon_side.fd);
	fds[1] = dup(daemon_side.alarm_fd);
	share_end(&daemon_side);
	return NULL;
}

static void
run(void *(*life)(void *), void *context)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, life, context), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

CASE(death_is_reported)
{
	run(live_and_die, NULL);
	assert_true(attach());
	assert_int_equal(share_await_end(&helper_side), SHARE_DEAD);
	unmap(&helper_side);
	unmap(&daemon_side);
	close(daemon_side.fd);
}

CASE(end_in_order_is_no_death)
{
	int fds[2];

	run(live_and_end, fds);
	assert_true(share_attach(&helper_side, fds[0], fds[1]));
	assert_int_equal(share_await_end(&helper_side), SHARE_OVER);
	unmap(&helper_side);
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
CASE(late_helper_waits_once_more)
{
	nsec_t began;

	plan.hang = 10 * SHORT;
	create();
	assert_true(attach());
	began = now();
	share_beat(&daemon_side);
	while (now() < began + 3 * plan.hang)
		continue;
	began = now();
	assert_true(share_await_hang(&helper_side));
	assert_true(now() >= began + plan.hang);
	detach();
}

/* The first of two heard the alarm, and died. */
CASE(another_helper_finds_the_hang)
{
	uint64_t expirations;

	plan.hang = SHORT;
	create();
	assert_true(attach());
	share_beat(&daemon_side);
	assert_int_equal(
	    read(helper_side.alarm_fd, &expirations, sizeof(expirations)),
	    sizeof(expirations));
	assert_true(share_await_hang(&helper_side));
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

CASE(hang_is_reported_once_and_found_by_the_next_beat)
{
	plan.hang = SHORT;
	create();
	assert_true(attach());
	assert_false(share_beat(&daemon_side));
	assert_false(will_is_declared(&helper_side.will));
	assert_true(share_await_hang(&helper_side));
	assert_false(alarm_is_set());
	assert_true(will_is_declared(&helper_side.will));
	assert_true(share_beat(&daemon_side));
	assert_false(will_is_declared(&helper_side.will));
	assert_false(share_beat(&daemon_side));
	assert_true(share_await_hang(&helper_side));
	detach();
}

/* This helper is slow to end. */
CASE(end_in_order_is_no_hang)
{
	nsec_t ended;
	int alarm;

	plan.hang = SHORT;
	create();
	assert_true(attach());
	alarm = dup(daemon_side.alarm_fd);
	assert_int_equal(fcntl(alarm, F_SETFL, O_NONBLOCK), 0);
	helper_side.alarm_fd = alarm;
	share_beat(&daemon_side);
	share_end(&daemon_side);
	ended = now();
	while (now() < ended + 3 * plan.hang)
		continue;
	assert_false(will_is_declared(&helper_side.will));
	assert_false(share_await_hang(&helper_side));
	unmap(&helper_side);
	close(alarm);
}

/* A start may take its time. */
CASE(nothing_hangs_before_the_first_beat)
{
	create();
	assert_true(attach());
	assert_false(alarm_is_set());
	assert_false(share_beat(&daemon_side));
	assert_true(alarm_is_set());
	detach();
}

/* Beats in quick succession wake nobody. */
CASE(alarm_is_put_off_in_its_second_half)
{
	nsec_t before;

	create();
	assert_true(attach());
	share_beat(&daemon_side);
	before = daemon_side.alarm_at;
	share_beat(&daemon_side);
	assert_int_equal(daemon_side.alarm_at, before);
	daemon_side.alarm_at -= plan.hang / 2;
	share_beat(&daemon_side);
	assert_in_range(
	    daemon_side.alarm_at, before, before + plan.hang / 2 - 1);
	detach();
}

/* The alarm was early: the daemon has beaten since, and does not hang. */
CASE(hang_is_counted_from_the_last_beat)
{
	nsec_t began = now(), last;

	plan.hang = 100 * SHORT;
	create();
	assert_true(attach());
	do {
		last = now();
		share_beat(&daemon_side);
	} while (last < began + 40 * SHORT);
	assert_true(share_await_hang(&helper_side));
	assert_true(now() >= last + plan.hang);
	detach();
}

/* The alarm was set by longer times. */
CASE(hang_by_new_times_is_found)
{
	nsec_t began = now();

	create();
	assert_true(attach());
	share_beat(&daemon_side);
	plan.hang = SHORT;
	will_begin_change(&daemon_side.will, &plan);
	share_end_change(&daemon_side);
	share_beat(&daemon_side);
	assert_true(share_await_hang(&helper_side));
	assert_in_range(now() - began, SHORT, 30 * SEC);
	detach();
}

CASE(shared_memory_of_others_is_refused)
{
	int fds[2];
	int loose = memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	create();
	assert_int_equal(pipe(fds), 0);
	assert_false(share_attach(&helper_side, fds[0], daemon_side.alarm_fd));
	assert_false(share_attach(&helper_side, fds[1], daemon_side.alarm_fd));
	assert_false(share_attach(&helper_side, -1, daemon_side.alarm_fd));
	assert_false(share_attach(&helper_side, dup(daemon_side.fd), loose));
	assert_true(loose >= 0);
	assert_true(write(loose, daemon_side.memory, 4096) == 4096);
	assert_false(share_attach(&helper_side, loose, daemon_side.alarm_fd));
	share_end(&daemon_side);
}
