/* SPDX-License-Identifier: ISC */
#include "tests/lib/store_home.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/system/log.h"

static char place[256];
static char home[4096];

/* Every case begins in an empty directory. */
int
store_home_enter(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(place, sizeof(place), "%s/electd-store-XXXXXX",
	    tmp == NULL ? "/tmp" : tmp);
	if (getcwd(home, sizeof(home)) == NULL || mkdtemp(place) == NULL)
		return -1;
	log_set_level(LOG_LEVEL_ERROR);
	return chdir(place);
}

int
store_home_leave(void **state)
{
	static const char *const names[] = { STORE_STATE, "here/web-3.lock",
		"here/web-3.state.new", "here/target", "here/web-4.state",
		"here/web-4.lock" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (unlink(names[i]) != 0)
			rmdir(names[i]);
	rmdir("here");
	return chdir(home) == 0 ? rmdir(place) : -1;
}

/* A durable state that differs from others in its incarnation. */
struct durable_state
store_home_record(uint64_t incarnation)
{
	return (struct durable_state){ .incarnation = incarnation,
		.term = incarnation + 1,
		.promise = { .term = incarnation + 1,
		    .owner = { .id = 2, .incarnation = incarnation + 2 } },
		.lease = incarnation + 3 };
}

struct store *
store_home_open(void)
{
	struct store *store = NULL;

	assert_int_equal(store_open("here", "web", 3, &store), 0);
	assert_non_null(store);
	return store;
}

void
store_home_make(uint64_t incarnation)
{
	struct store *store = store_home_open();
	struct durable_state record = store_home_record(incarnation);

	assert_int_equal(store_create(store, &record, true), 0);
	store_close(store);
}

int
store_home_write(struct store *store, uint64_t incarnation)
{
	struct durable_state record = store_home_record(incarnation);

	return store_write(store, &record);
}

/* Gives the incarnation that a sound file has. */
uint64_t
store_home_remembered(void)
{
	struct store *store = store_home_open();
	const struct store_finding f = *store_found(store);

	store_close(store);
	assert_null(f.problem);
	assert_null(f.flaw);
	assert_true(f.slot.is_complete);
	assert_true(f.slot.durable.lease == f.slot.durable.incarnation + 3);
	return f.slot.durable.incarnation;
}

/* RLIMIT_FSIZE stops a write half-way, as a full disk does. */
void
store_home_limit(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
