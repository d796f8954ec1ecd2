/* SPDX-License-Identifier: ISC */
/* The state file: it keeps the durable state, and refuses files that are not
 * its own. */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/config/settings.h"

static void
assert_lost(const char *problem)
{
	struct store *store = store_home_open();

	assert_string_equal(store_found(store)->problem, problem);
	assert_int_equal(store_home_write(store, 1), -ENOENT);
	store_close(store);
}

/* Only --init-cluster, or a start under component, makes one. */
STORE_CASE(opening_makes_the_directory_and_no_file)
{
	struct store *store = store_home_open();
	struct stat st;

	assert_true(store_is_missing(store));
	store_close(store);
	assert_lost("missing");
	assert_int_equal(stat("here", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(access(STORE_STATE, F_OK), -1);
}

STORE_CASE(state_that_was_written_is_read_again)
{
	struct store *store;

	store_home_make(1);
	assert_int_equal(store_home_remembered(), 1);
	for (uint64_t i = 2; i < 9; i++) {
		store = store_home_open();
		assert_false(store_is_missing(store));
		assert_int_equal(store_home_write(store, i), 0);
		assert_int_equal(store_home_write(store, 10 * i), 0);
		store_close(store);
		assert_int_equal(store_home_remembered(), 10 * i);
	}
}

/* Both slots have the last state, so that either may rot. */
STORE_CASE(each_state_is_kept_twice)
{
	struct store *store;

	store_home_make(1);
	for (off_t at = 0; at < STORE_BYTES; at += SLOT_BYTES) {
		int file = open(STORE_STATE, O_WRONLY);

		assert_true(file >= 0);
		assert_int_equal(pwrite(file, "rotten", 6, at + 30), 6);
		close(file);
		store = store_home_open();
		assert_null(store_found(store)->problem);
		assert_string_equal(store_found(store)->flaw, "wrong checksum");
		assert_int_equal(
		    store_found(store)->slot.durable.incarnation, 1 + (at > 0));
		/* The first write repairs it. */
		assert_int_equal(store_home_write(store, 2), 0);
		store_close(store);
		assert_int_equal(store_home_remembered(), 2);
	}
}

/* The remains of a write that a crash interrupted. */
static void
tear(unsigned slot)
{
	int file = open(STORE_STATE, O_WRONLY);

	assert_true(file >= 0);
	assert_int_equal(
	    pwrite(file, "torn", 4, (off_t)slot * SLOT_BYTES + 30), 4);
	close(file);
}

/* The crash comes between the two writes of a state, or in the second of them;
 * and then in the first of the next, from whichever slot that begins. */
STORE_CASE(a_crash_takes_nothing_that_was_durable)
{
	store_home_make(1);
	for (uint64_t i = 2; i < 6; i++) {
		struct durable_state record = store_home_record(i);
		struct store *store = store_home_open();
		unsigned first = store_found(store)->newest;

		assert_int_equal(store_write_first(store, &record), 0);
		store_close(store);
		assert_int_equal(store_home_remembered(), i);
		tear(1 - first);
		store = store_home_open();
		assert_int_equal(
		    store_found(store)->slot.durable.incarnation, i);
		assert_int_equal(store_found(store)->newest, first);
		assert_int_equal(store_home_write(store, i), 0);
		store_close(store);
		tear((unsigned)i % SLOTS);
		store = store_home_open();
		assert_int_equal(
		    store_found(store)->slot.durable.incarnation, i);
		assert_int_equal(store_home_write(store, i), 0);
		store_close(store);
	}
}

/* The file keeps the size and the place on the disk that it was made with. */
STORE_CASE(writes_are_in_place)
{
	struct store *store;
	struct stat before, after;

	store_home_make(1);
	assert_int_equal(stat(STORE_STATE, &before), 0);
	assert_int_equal(before.st_size, STORE_BYTES);
	assert_true(before.st_blocks * 512 >= STORE_BYTES);
	store = store_home_open();
	assert_int_equal(store_home_write(store, 2), 0);
	store_close(store);
	assert_int_equal(stat(STORE_STATE, &after), 0);
	assert_true(before.st_ino == after.st_ino);
	assert_int_equal(after.st_size, STORE_BYTES);
}

STORE_CASE(files_are_for_their_owner_alone)
{
	mode_t mask = umask(0);
	struct stat st;

	store_home_make(1);
	umask(mask);
	assert_int_equal(stat(STORE_STATE, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat("here/web-3.lock", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(access("here/web-3.state.new", F_OK), -1);
}

STORE_CASE(second_opener_is_kept_away_even_after_a_write)
{
	struct store *first, *second = NULL;

	store_home_make(4);
	first = store_home_open();
	assert_int_equal(store_home_write(first, 5), 0);
	assert_int_equal(store_open("here", "web", 3, &second), -EWOULDBLOCK);
	assert_null(second);
	store_close(first);
	assert_int_equal(store_home_remembered(), 5);
}

STORE_CASE(nodes_of_one_host_do_not_meet)
{
	struct store *four;

	store_home_make(33);
	assert_int_equal(store_open("here", "web", 4, &four), 0);
	assert_true(store_is_missing(four));
	assert_int_equal(store_home_write(four, 1), -ENOENT);
	store_close(four);
	assert_int_equal(store_home_remembered(), 33);
	assert_int_equal(rename(STORE_STATE, "here/web-4.state"), 0);
	assert_int_equal(store_open("here", "web", 4, &four), 0);
	assert_string_equal(
	    store_found(four)->problem, "of another node or cluster");
	store_close(four);
}

STORE_CASE(file_of_another_length_is_found)
{
	store_home_make(1);
	for (off_t size = STORE_BYTES - 1; size >= 0; size -= 61) {
		assert_int_equal(truncate(STORE_STATE, size), 0);
		assert_lost(
		    size >= 12 ? "wrong size" : "not a state file of electd");
	}
	store_home_make(2);
	assert_int_equal(truncate(STORE_STATE, (off_t)1 << 40), 0);
	assert_lost("wrong size");
}

/* A link's target is neither read nor written. */
STORE_CASE(symbolic_link_is_replaced_and_never_followed)
{
	struct stat st;

	store_home_make(9);
	assert_int_equal(rename(STORE_STATE, "here/target"), 0);
	assert_int_equal(symlink("target", STORE_STATE), 0);
	assert_int_equal(symlink("target", "here/web-3.state.new"), 0);
	assert_lost("not a regular file");
	store_home_make(4);
	assert_int_equal(lstat(STORE_STATE, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(store_home_remembered(), 4);
	assert_int_equal(rename("here/target", STORE_STATE), 0);
	assert_int_equal(store_home_remembered(), 9);
}

STORE_CASE(directory_entry_that_is_no_file_stops_nobody)
{
	struct store *store;
	struct durable_state record = store_home_record(2);

	store_home_make(1);
	assert_int_equal(unlink(STORE_STATE), 0);
	assert_int_equal(mkfifo(STORE_STATE, 0600), 0);
	assert_lost("not a regular file");
	store_home_make(2);
	assert_int_equal(store_home_remembered(), 2);
	assert_int_equal(unlink(STORE_STATE), 0);
	assert_int_equal(mkdir(STORE_STATE, 0700), 0);
	assert_lost("not a regular file");
	store = store_home_open();
	assert_int_equal(store_create(store, &record, true), -EISDIR);
	store_close(store);
	assert_int_equal(access("here/web-3.state.new", F_OK), -1);
}

STORE_CASE(leftover_of_a_crash_hinders_nothing)
{
	FILE *f;

	store_home_make(6);
	f = fopen("here/web-3.state.new", "w");
	assert_non_null(f);
	fputs("half a rec", f);
	fclose(f);
	assert_int_equal(store_home_remembered(), 6);
	store_home_make(7);
	assert_int_equal(store_home_remembered(), 7);
}

STORE_CASE(wrong_places_and_names_are_refused)
{
	static const char *const bad[] = { "", ".", "..", "../web", "a/b" };
	struct store *store = NULL;

	assert_int_equal(store_open("no/here", "web", 3, &store), -ENOENT);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
		    store_open("here", bad[i], 3, &store), -EINVAL);
	assert_null(store);
	store_close(NULL);
}

/* The longest name that the configuration takes works; one more does not. */
STORE_CASE(longest_name_fits)
{
	char name[NAME_MAX_BYTES + 1] = { 0 };
	char lock[NAME_MAX_BYTES + 32];
	struct store *store = NULL;

	memset(name, 'x', NAME_MAX_BYTES);
	assert_int_equal(
	    store_open("here", name, NODE_ID_MAX, &store), -EINVAL);
	name[NAME_MAX_BYTES - 1] = '\0';
	assert_int_equal(store_open("here", name, NODE_ID_MAX, &store), 0);
	store_close(store);
	snprintf(lock, sizeof(lock), "here/%s-2147483647.lock", name);
	assert_int_equal(unlink(lock), 0);
}
