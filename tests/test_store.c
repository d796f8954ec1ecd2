/* SPDX-License-Identifier: ISC */
/* The state file: it remembers, refuses what is not its own, and keeps. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/log.h"
#include "daemon/settings.h"
#include "daemon/store.h"

#define STATE "here/web-3.state"
#define PRIME 0x0123456789abcdefU

static char place[256];
static char home[4096];

/* Every case begins in an empty directory. */
static int
enter(void **state)
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

static int
leave(void **state)
{
	static const char *const names[] = { STATE, "here/web-3.lock",
		"here/web-3.state.new", "here/target", "here/web-4.state",
		"here/web-4.lock" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (unlink(names[i]) != 0)
			rmdir(names[i]);
	rmdir("here");
	return chdir(home) == 0 ? rmdir(place) : -1;
}

/* Opens the store of web-3, which must work, and gives what it remembers. */
static uint64_t
reopen(struct store **store)
{
	uint64_t incarnation = 77;

	assert_int_equal(store_open("here", "web", 3, store, &incarnation), 0);
	return incarnation;
}

static uint64_t
remembered(void)
{
	struct store *store;
	uint64_t incarnation = reopen(&store);

	store_close(store);
	return incarnation;
}

static void
remember(uint64_t incarnation)
{
	struct store *store;

	reopen(&store);
	assert_int_equal(store_write(store, incarnation), 0);
	store_close(store);
}

static size_t
slurp(uint8_t *bytes, size_t capacity)
{
	FILE *f = fopen(STATE, "rb");
	size_t size;

	assert_non_null(f);
	size = fread(bytes, 1, capacity, f);
	fclose(f);
	return size;
}

static void
spill(const uint8_t *bytes, size_t size)
{
	FILE *f = fopen(STATE, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void
first_start_makes_the_directory_and_remembers_nothing(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(remembered(), 0);
	assert_int_equal(stat("here", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(access(STATE, F_OK), -1);
}

static void
what_was_written_is_read_again(void **state)
{
	struct store *store;

	(void)state;
	assert_int_equal(reopen(&store), 0);
	assert_int_equal(store_write(store, 1), 0);
	assert_int_equal(store_write(store, PRIME), 0);
	store_close(store);
	assert_true(remembered() == PRIME);
	remember(INCARNATION_MAX - 1);
	assert_true(remembered() == INCARNATION_MAX - 1);
	/* There must be a next one: such a record is none. */
	remember(INCARNATION_MAX);
	assert_true(remembered() == 0);
}

static void
files_are_for_their_owner_alone(void **state)
{
	mode_t mask = umask(0);
	struct stat st;

	(void)state;
	remember(1);
	umask(mask);
	assert_int_equal(stat(STATE, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat("here/web-3.lock", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(access("here/web-3.state.new", F_OK), -1);
}

static void
second_opener_is_kept_away_even_after_a_write(void **state)
{
	struct store *first, *second = NULL;
	uint64_t incarnation = 77;

	(void)state;
	reopen(&first);
	assert_int_equal(store_write(first, 5), 0);
	assert_int_equal(
	    store_open("here", "web", 3, &second, &incarnation), -EWOULDBLOCK);
	assert_null(second);
	assert_int_equal(incarnation, 77);
	store_close(first);
	assert_int_equal(remembered(), 5);
}

static void
nodes_of_one_host_do_not_meet(void **state)
{
	struct store *three, *four;
	uint64_t incarnation;

	(void)state;
	reopen(&three);
	assert_int_equal(store_open("here", "web", 4, &four, &incarnation), 0);
	assert_int_equal(store_write(three, 33), 0);
	assert_int_equal(store_write(four, 44), 0);
	store_close(three);
	store_close(four);
	assert_int_equal(remembered(), 33);
}

static void
each_flipped_bit_makes_it_forget(void **state)
{
	uint8_t bytes[512];
	size_t size;

	(void)state;
	remember(PRIME);
	size = slurp(bytes, sizeof(bytes));
	assert_in_range(size, 64, 511);
	for (size_t bit = 0; bit < size * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		spill(bytes, size);
		assert_int_equal(remembered(), 0);
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	spill(bytes, size);
	assert_true(remembered() == PRIME);
}

static void
each_other_length_makes_it_forget(void **state)
{
	uint8_t bytes[512] = { 0 };
	size_t size;

	(void)state;
	remember(PRIME);
	size = slurp(bytes, sizeof(bytes));
	for (size_t other = 0; other <= sizeof(bytes); other++) {
		spill(bytes, other);
		assert_true(remembered() == (other == size ? PRIME : 0));
	}
}

static void
a_file_of_gigabytes_is_not_read_to_its_end(void **state)
{
	(void)state;
	remember(PRIME);
	assert_int_equal(truncate(STATE, (off_t)1 << 40), 0);
	assert_int_equal(remembered(), 0);
}

static void
record_of_another_node_is_not_ours(void **state)
{
	struct store *store;
	uint64_t incarnation;

	(void)state;
	assert_int_equal(store_open("here", "web", 4, &store, &incarnation), 0);
	assert_int_equal(store_write(store, 9), 0);
	store_close(store);
	assert_int_equal(rename("here/web-4.state", STATE), 0);
	assert_int_equal(remembered(), 0);
	remember(10);
	assert_int_equal(remembered(), 10);
}

/* A link's target is neither read nor written. */
static void
symbolic_link_is_replaced_and_never_followed(void **state)
{
	struct stat st;

	(void)state;
	remember(PRIME);
	assert_int_equal(rename(STATE, "here/target"), 0);
	assert_int_equal(symlink("target", STATE), 0);
	assert_int_equal(symlink("target", "here/web-3.state.new"), 0);
	assert_int_equal(remembered(), 0);
	remember(4);
	assert_int_equal(lstat(STATE, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(remembered(), 4);
	assert_int_equal(rename("here/target", STATE), 0);
	assert_true(remembered() == PRIME);
}

static void
fifo_in_its_place_stops_nobody(void **state)
{
	(void)state;
	assert_int_equal(remembered(), 0);
	assert_int_equal(mkfifo(STATE, 0600), 0);
	assert_int_equal(remembered(), 0);
	remember(2);
	assert_int_equal(remembered(), 2);
}

static void
directory_in_its_place_is_an_error_of_the_write(void **state)
{
	struct store *store;

	(void)state;
	assert_int_equal(remembered(), 0);
	assert_int_equal(mkdir(STATE, 0700), 0);
	assert_int_equal(reopen(&store), 0);
	assert_int_equal(store_write(store, 2), -EISDIR);
	store_close(store);
	assert_int_equal(access("here/web-3.state.new", F_OK), -1);
}

/* RLIMIT_FSIZE stops a write half-way, as a full disk does. */
static void
failed_write_keeps_the_old_record(void **state)
{
	struct rlimit whole, little;
	struct store *store;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);

	(void)state;
	remember(PRIME);
	reopen(&store);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
	little = whole;
	little.rlim_cur = 50;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	assert_int_equal(store_write(store, 3), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
	signal(SIGXFSZ, handler);
	assert_int_equal(access("here/web-3.state.new", F_OK), -1);
	store_close(store);
	assert_true(remembered() == PRIME);
}

static void
leftover_of_a_crash_is_in_nobodys_way(void **state)
{
	FILE *f;

	(void)state;
	remember(6);
	f = fopen("here/web-3.state.new", "w");
	assert_non_null(f);
	fputs("half a rec", f);
	fclose(f);
	assert_int_equal(remembered(), 6);
	remember(7);
	assert_int_equal(remembered(), 7);
}

static void
missing_parent_is_an_error(void **state)
{
	struct store *store = NULL;
	uint64_t incarnation = 77;

	(void)state;
	assert_int_equal(
	    store_open("no/here", "web", 3, &store, &incarnation), -ENOENT);
	assert_null(store);
	assert_int_equal(incarnation, 77);
}

static void
names_that_could_leave_the_directory_are_refused(void **state)
{
	static const char *const bad[] = { "", ".", "..", "../web", "a/b" };
	struct store *store = NULL;
	uint64_t incarnation;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
		    store_open("here", bad[i], 3, &store, &incarnation),
		    -EINVAL);
	assert_null(store);
}

/* The longest name that the configuration takes works; one more does not. */
static void
longest_name_fits(void **state)
{
	char name[NAME_MAX_BYTES + 1] = { 0 };
	char lock[NAME_MAX_BYTES + 32];
	struct store *store = NULL;
	uint64_t incarnation;

	(void)state;
	memset(name, 'x', NAME_MAX_BYTES);
	assert_int_equal(
	    store_open("here", name, NODE_ID_MAX, &store, &incarnation),
	    -EINVAL);
	name[NAME_MAX_BYTES - 1] = '\0';
	assert_int_equal(
	    store_open("here", name, NODE_ID_MAX, &store, &incarnation), 0);
	store_close(store);
	snprintf(lock, sizeof(lock), "here/%s-2147483647.lock", name);
	assert_int_equal(unlink(lock), 0);
}

static void
nothing_is_closed_without_harm(void **state)
{
	(void)state;
	store_close(NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(first_start_makes_the_directory_and_remembers_nothing),
		CASE(what_was_written_is_read_again),
		CASE(files_are_for_their_owner_alone),
		CASE(second_opener_is_kept_away_even_after_a_write),
		CASE(nodes_of_one_host_do_not_meet),
		CASE(each_flipped_bit_makes_it_forget),
		CASE(each_other_length_makes_it_forget),
		CASE(a_file_of_gigabytes_is_not_read_to_its_end),
		CASE(record_of_another_node_is_not_ours),
		CASE(symbolic_link_is_replaced_and_never_followed),
		CASE(fifo_in_its_place_stops_nobody),
		CASE(directory_in_its_place_is_an_error_of_the_write),
		CASE(failed_write_keeps_the_old_record),
		CASE(leftover_of_a_crash_is_in_nobodys_way),
		CASE(missing_parent_is_an_error),
		CASE(names_that_could_leave_the_directory_are_refused),
		CASE(longest_name_fits),
		CASE(nothing_is_closed_without_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
