/* SPDX-License-Identifier: ISC */
/* Standbys on their way to the disk: which of two requests is kept, and what
 * becomes of one that cannot be. */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/electd/standby/standby_writer.h"
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
static struct standby_writer *writer;
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
	writer = standby_writer_new(&settings, &off, worker, on_written, NULL);
	return mkdir("here", 0700);
}

static int
leave(void **state)
{
	worker_free(worker);
	standby_writer_free(writer);
	unlink(KEPT);
	return store_home_leave(state);
}

static uint64_t
request(const struct standby *standby)
{
	return standby_writer_ask(writer, standby, clock_now());
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

CASE(request_is_on_the_disk_when_it_ends)
{
	struct standby_kept kept;

	assert_int_equal(request(&on), 1);
	assert_true(standby_writer_holds(writer));
	kept = await();
	assert_int_equal(kept.number, 1);
	assert_int_equal(kept.error, 0);
	assert_string_equal(kept.standby.reason, "disk");
	assert_true(standby_writer_holds(writer));
	assert_string_equal(recall().reason, "disk");
	assert_int_equal(request(&off), 2);
	assert_int_equal(await().number, 2);
	assert_false(standby_writer_holds(writer));
	assert_int_equal(access(KEPT, F_OK), -1);
}

/* One in between is never written. */
CASE(latest_request_counts)
{
	struct standby_kept kept;

	request(&on);
	request(&off);
	request(&other);
	kept = await();
	assert_int_equal(kept.number, 1);
	assert_true(standby_writer_holds(writer));
	kept = await();
	assert_int_equal(kept.number, 3);
	assert_string_equal(recall().reason, "cable");
}

CASE(request_that_cannot_be_kept_changes_nothing)
{
	request(&on);
	await();
	assert_int_equal(rename("here", "away"), 0);
	for (unsigned i = 0; i < 200; i++) { /* the thread may be fast */
		request(&other);
		assert_int_equal(await().error, -ENOENT);
	}
	assert_int_equal(rename("away", "here"), 0);
	assert_string_equal(recall().reason, "disk");
	request(&off);
	assert_int_equal(await().error, 0);
}

CASE(standby_that_has_ended_by_itself_is_removed)
{
	standby_writer_expire(writer, clock_now());
	assert_false(standby_writer_holds(writer));
	request(&on);
	await();
	standby_writer_expire(writer, clock_now());
	assert_true(standby_writer_holds(writer));
	await();
	assert_int_equal(access(KEPT, F_OK), -1);
	standby_writer_expire(writer, clock_now());
	assert_false(standby_writer_holds(writer));
}

/* The disk was slower than that: then there is nothing to keep. */
CASE(standby_that_ends_before_it_is_kept_is_not)
{
	struct standby brief = on;

	brief.left = 1;
	assert_int_equal(standby_writer_ask(writer, &brief, 0), 1);
	assert_int_equal(await().error, 0);
	assert_int_equal(access(KEPT, F_OK), -1);
}
