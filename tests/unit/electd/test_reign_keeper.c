/* SPDX-License-Identifier: ISC */
/* Leaders on their way to the disk: what is one, how often the disk is written,
 * and what becomes of them while it cannot be. */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/electd/look/reign_keeper.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"

#define KEPT    "here/web-3.leaders"
#define WAIT_MS 60000 /* for a slow disk */
#define EPOCH   ((nsec_t)1800000000 * SEC)

static struct config_node nodes[] = { { .id = 1, .name = "web1" },
	{ .id = 2, .name = "web2" } };
static const struct settings settings = {
	.shared.cluster = "web",
	.shared.nodes = nodes,
	.shared.nodes_count = 2,
	.id = 3,
	.state_dir = "./here",
};
static struct worker *worker;
static struct reign_keeper *keeper;
static nsec_t now; /* an hour ahead: what is not due is never written */

static void
begin(void)
{
	assert_int_equal(worker_new(&worker), 0);
	keeper = reign_keeper_new(&settings, worker);
	assert_non_null(keeper);
}

static void
end(void)
{
	worker_free(worker);
	reign_keeper_free(keeper);
	worker = NULL;
	keeper = NULL;
}

static int
enter(void **state)
{
	if (store_home_enter(state) != 0 || sodium_init() < 0 ||
	    mkdir("here", 0700) != 0)
		return -1;
	now = nsec_after(clock_now(), 3600 * SEC);
	begin();
	return 0;
}

static int
leave(void **state)
{
	end();
	unlink(KEPT);
	return store_home_leave(state);
}

static void
leads(node_id leader, uint64_t term)
{
	struct notice n = {
		.kind = NOTICE_LEADER,
		.at = now,
		.term = term,
		.leader = leader,
		.reason = { REASON_DIED, 3 - leader },
	};

	reign_keeper_take(keeper, &settings, &n, EPOCH);
}

static void
is_lost(uint64_t term)
{
	struct notice n = { .kind = NOTICE_NO_LEADER, .at = now, .term = term };

	reign_keeper_take(keeper, &settings, &n, EPOCH);
}

static const struct past_leaders *
leaders(void)
{
	return reign_keeper_leaders(keeper);
}

/* The next write has been done, but the keeper does not know yet. */
static void
await_write(void)
{
	struct pollfd fd = { .fd = worker_fd(worker), .events = POLLIN };

	assert_int_equal(poll(&fd, 1, WAIT_MS), 1);
}

static void
await(void)
{
	await_write();
	worker_tend(worker);
}

static void
nothing(void *context)
{
	(void)context;
}

/* Fails if anything was to be written by now: the worker does that first. */
static void
assert_nothing_is_due(void)
{
	static struct job probe;

	probe = (struct job){ .work = nothing, .end = nothing };
	worker_give(worker, &probe, 0);
	await();
	assert_int_equal(probe.state, JOB_IDLE);
}

/* How many leaders the file has. */
static unsigned
kept(void)
{
	static struct reigns reigns;

	assert_true(reigns_recall(&settings, &reigns));
	return reigns.count;
}

#define CASE(name) TEST(name, enter, leave)

CASE(leader_is_on_the_disk_with_all_that_is_known)
{
	const struct reign *reign;

	leads(1, 6);
	assert_false(leaders()->is_kept);
	await();
	assert_true(leaders()->is_kept);
	assert_int_equal(kept(), 1);
	now += 10 * SEC;
	is_lost(6);
	now += 250 * MSEC;
	leads(2, 7);
	await();
	assert_int_equal(kept(), 2);
	reign = &leaders()->reigns.list[1];
	assert_true(reign->wall == EPOCH + now);
	assert_true(reign->leaderless == 250 * MSEC);
	assert_int_equal(reign->term, 7);
	assert_int_equal(reign->leader, 2);
	assert_int_equal(reign->reason.kind, REASON_DIED);
	assert_string_equal(reign->name, "web2");
	assert_string_equal(reign->reason_name, "web1");
}

/* A process knows nothing of the time before its first leader; after a handover
 * there was always one. */
CASE(time_without_a_leader_is_known_or_not)
{
	is_lost(5);
	now += SEC;
	leads(1, 6);
	leads(2, 7);
	leads(9, 8);
	assert_int_equal(leaders()->reigns.count, 3);
	assert_true(leaders()->reigns.list[0].leaderless == NSEC_NEVER);
	assert_true(leaders()->reigns.list[1].leaderless == 0);
	assert_string_equal(leaders()->reigns.list[2].name, "");
}

/* The one that was lost from sight, or led before this process started. */
CASE(leader_that_leads_on_is_no_other)
{
	leads(1, 6);
	is_lost(6);
	now += SEC;
	leads(1, 6);
	end();
	begin();
	leads(1, 6);
	assert_int_equal(leaders()->reigns.count, 1);
	assert_true(leaders()->is_kept);
	leads(1, 7);
	assert_int_equal(leaders()->reigns.count, 2);
}

/* The first of them is written at once, and all others together. */
CASE(leaders_that_flap_are_written_every_ten_seconds)
{
	leads(1, 1);
	await();
	for (uint64_t term = 2; term < 400; term++) {
		leads(1 + (node_id)(term % 2), term);
		now += 10 * MSEC;
	}
	assert_nothing_is_due();
	assert_false(leaders()->is_kept);
	assert_int_equal(leaders()->reigns.count, REIGNS_MAX);
	assert_int_equal(kept(), 1);
	now += REIGN_GAP;
	leads(1, 400);
	await();
	assert_true(leaders()->is_kept);
	assert_int_equal(kept(), REIGNS_MAX);
}

CASE(process_that_ends_writes_what_is_left)
{
	leads(1, 1);
	await();
	leads(2, 2);
	end();
	begin();
	assert_int_equal(leaders()->reigns.count, 2);
	assert_int_equal(kept(), 2);
}

CASE(leader_that_comes_during_a_write_is_written_next)
{
	leads(1, 1);
	await_write();
	leads(2, 2);
	worker_tend(worker);
	assert_nothing_is_due();
	assert_int_equal(kept(), 1);
	now += REIGN_GAP;
	leads(1, 3);
	await_write();
	assert_int_equal(kept(), 3);
	leads(2, 4);
	end();
	assert_int_equal(kept(), 4);
	begin();
}

CASE(disk_that_fails_is_told_once_and_tried_again)
{
	const char *said;

	log_set_level(LOG_LEVEL_INFO);
	capture();
	assert_int_equal(rename("here", "away"), 0);
	for (uint64_t term = 1; term <= 3; term++) {
		leads(1, term);
		await();
		assert_int_equal(leaders()->failures, term);
		assert_false(leaders()->is_kept);
		now += REIGN_RETRY;
	}
	assert_int_equal(rename("away", "here"), 0);
	leads(2, 4);
	await();
	said = captured();
	assert_true(leaders()->is_kept);
	assert_int_equal(kept(), 4);
	said = strstr(said, "cannot keep the last leaders in ./here/web-3.");
	assert_non_null(said);
	assert_null(strstr(said + 1, "cannot keep"));
	assert_non_null(strstr(said, "keeps the last leaders again"));
}

/* It is not written every ten seconds: nothing is due before a minute. */
CASE(disk_that_fails_is_left_alone_for_a_minute)
{
	assert_int_equal(rename("here", "away"), 0);
	leads(1, 1);
	await();
	assert_int_equal(rename("away", "here"), 0);
	now += REIGN_RETRY - 1;
	leads(2, 2);
	assert_nothing_is_due();
	now += 1;
	leads(1, 3);
	await();
	assert_int_equal(kept(), 3);
}
