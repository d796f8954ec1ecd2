/* SPDX-License-Identifier: ISC */
/* When a command makes no progress. */
#include "tests/unit/group.h"

#include <string.h>

#include "daemon/electctl/run/progress.h"

#define LIMIT (5 * SEC)
#define NOW   (100 * SEC)

static struct progress progress;
static char text[128];

static int
enter(void **state)
{
	(void)state;
	progress_init(&progress, LIMIT);
	progress_begin(&progress, NOW);
	return 0;
}

static void
say(nsec_t now, const char *message)
{
	progress_take(&progress, now, message, strlen(message));
}

static bool
fails(nsec_t now)
{
	return progress_fault(&progress, now, "job", text, sizeof(text));
}

/* The command is late then, and not a nanosecond before. */
static void
assert_late(nsec_t at, const char *why)
{
	assert_int_equal(progress_due_at(&progress), at);
	assert_false(fails(at - 1));
	assert_true(fails(at));
	assert_string_equal(text, why);
}

TEST(command_is_late_after_its_last_message, enter)
{
	say(NOW + SEC, "READY=1");
	assert_late(NOW + 6 * SEC, "job made no progress for 5 s");
	say(NOW + 6 * SEC - 1, "WATCHDOG=1");
	assert_late(NOW + 11 * SEC - 1, "job made no progress for 5 s");
}

TEST(start_takes_longer, enter)
{
	assert_late(NOW + 90 * SEC, "job was not ready after 90 s");
	say(NOW + 89 * SEC, "WATCHDOG=1");
	assert_late(NOW + 94 * SEC, "job made no progress for 5 s");
}

TEST(start_takes_no_less_than_the_limit)
{
	progress_init(&progress, 300 * SEC);
	progress_begin(&progress, NOW);
	assert_late(NOW + 300 * SEC, "job was not ready after 300 s");
}

TEST(command_may_say_that_it_hangs, enter)
{
	say(NOW, "READY=1\n");
	say(NOW + SEC, "WATCHDOG=trigger");
	say(NOW + SEC, "WATCHDOG=1");
	assert_late(NOW + SEC, "job says that it hangs");
}

TEST(other_messages_are_no_progress, enter)
{
	static const char *const others[] = { "", "\n", "READY=10",
		"READY=", "WATCHDOG=11", "xWATCHDOG=1", "WATCHDOG=1 ",
		"STATUS=WATCHDOG=1", "WATCHDOG_USEC=999999999",
		"EXTEND_TIMEOUT_USEC=99999999" };

	say(NOW, "STATUS=up\nREADY=1\nX=y");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		say(NOW + SEC, others[i]);
	progress_take(&progress, NOW + SEC, "WATCHDOG=1", 9);
	assert_late(NOW + 5 * SEC, "job made no progress for 5 s");
}

TEST(command_that_ends_owes_nothing, enter)
{
	say(NOW, "READY=1");
	progress_end(&progress);
	assert_false(fails(NSEC_NEVER - 1));
	say(NOW + SEC, "WATCHDOG=1");
	assert_int_equal(progress_due_at(&progress), NSEC_NEVER);
}

/* Each one that starts is to be ready once more. */
TEST(next_command_begins_anew, enter)
{
	say(NOW, "WATCHDOG=trigger");
	progress_begin(&progress, NOW + SEC);
	assert_late(NOW + 91 * SEC, "job was not ready after 90 s");
}

TEST(nobody_asks_for_progress)
{
	progress_init(&progress, 0);
	progress_begin(&progress, NOW);
	assert_int_equal(progress_due_at(&progress), NSEC_NEVER);
	assert_false(fails(NSEC_NEVER - 1));
}
