/* SPDX-License-Identifier: ISC */
/* Standbys on their way to the disk: which of two wishes is kept, and what
 * becomes of one that cannot be. */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/electd/aside/standby_keeper.h"
#include "daemon/state/standby_file.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"

#define KEPT    "here/web-3.standby"
#define WAIT_MS 60000 /* for a slow disk */

static const struct settings settings = {
	.shared.cluster = "web",
	.id = 3,
	.state_dir = "./here",
};
static const struct standby off = { .is_on = false };
static const struct standby on = {
	.is_on = true, .left = NSEC_NEVER, .reason = "disk"
};
static const struct standby other = {
	.is_on = true, .left = NSEC_NEVER, .reason = "cable"
};
static struct worker *worker;
static struct standby_keeper *keeper;
static struct standby_kept last; /* number 0: none is new */

static void
on_written(void *context, const struct standby_kept *kept)
{
	(void)context;
	assert_int_equal(last.number, 0);
	last = *kept;
}

static int
enter(void **state)
{
	if (store_home_enter(state) != 0 || sodium_init() < 0)
		return -1;
	log_set_level(LOG_LEVEL_ERROR);
	last.number = 0;
	if (worker_new(&worker) != 0)
		return -1;
	keeper = standby_keeper_new(&settings, &off, worker, on_written, NULL);
	return mkdir("here", 0700);
}

static int
leave(void **state)
{
	worker_free(worker);
	standby_keeper_free(keeper);
	unlink(KEPT);
	return store_home_leave(state);
}

static uint64_t
wish(const struct standby *standby)
{
	return standby_keeper_wish(keeper, standby, clock_now());
}

/* The result of the next write. */
static struct standby_kept
await(void)
{
	struct pollfd fd = { .fd = worker_fd(worker), .events = POLLIN };
	struct standby_kept kept;

	assert_int_equal(poll(&fd, 1, WAIT_MS), 1);
	worker_tend(worker);
	kept = last;
	assert_int_not_equal(kept.number, 0);
	last.number = 0;
	return kept;
}

static struct standby
recall(void)
{
	return standby_file_recall(&settings, clock_wall());
}

#define CASE(name) TEST(name, enter, leave)

CASE(wish_is_on_the_disk_when_it_ends)
{
	struct standby_kept kept;

	assert_int_equal(wish(&on), 1);
	assert_true(standby_keeper_holds(keeper));
	kept = await();
	assert_int_equal(kept.number, 1);
	assert_int_equal(kept.error, 0);
	assert_string_equal(kept.standby.reason, "disk");
	assert_true(standby_keeper_holds(keeper));
	assert_string_equal(recall().reason, "disk");
	assert_int_equal(wish(&off), 2);
	assert_int_equal(await().number, 2);
	assert_false(standby_keeper_holds(keeper));
	assert_int_equal(access(KEPT, F_OK), -1);
}

/* One in between is never written. */
CASE(latest_wish_counts)
{
	struct standby_kept kept;

	wish(&on);
	wish(&off);
	wish(&other);
	kept = await();
	assert_int_equal(kept.number, 1);
	assert_true(standby_keeper_holds(keeper));
	kept = await();
	assert_int_equal(kept.number, 3);
	assert_string_equal(recall().reason, "cable");
}

CASE(wish_that_cannot_be_kept_changes_nothing)
{
	wish(&on);
	await();
	assert_int_equal(rename("here", "away"), 0);
	for (unsigned i = 0; i < 200; i++) { /* the thread may be fast */
		wish(&other);
		assert_int_equal(await().error, -ENOENT);
	}
	assert_int_equal(rename("away", "here"), 0);
	assert_string_equal(recall().reason, "disk");
	wish(&off);
	assert_int_equal(await().error, 0);
}

CASE(standby_that_has_ended_by_itself_is_removed)
{
	standby_keeper_expire(keeper, clock_now());
	assert_false(standby_keeper_holds(keeper));
	wish(&on);
	await();
	standby_keeper_expire(keeper, clock_now());
	assert_true(standby_keeper_holds(keeper));
	await();
	assert_int_equal(access(KEPT, F_OK), -1);
	standby_keeper_expire(keeper, clock_now());
	assert_false(standby_keeper_holds(keeper));
}

/* The disk was slower than that: then there is nothing to keep. */
CASE(standby_that_ends_before_it_is_kept_is_not)
{
	struct standby brief = on;

	brief.left = 1;
	assert_int_equal(standby_keeper_wish(keeper, &brief, 0), 1);
	assert_int_equal(await().error, 0);
	assert_int_equal(access(KEPT, F_OK), -1);
}
