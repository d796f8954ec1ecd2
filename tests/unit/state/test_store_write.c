/* SPDX-License-Identifier: ISC */
/* Writes of the state file that fail, that a kill interrupts, or that a thread
 * does. */
#include "tests/lib/fake_disk.h"
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/util/random.h"
#include "daemon/state/store_writer.h"

#define KILLS       200
#define REPORTS_MAX 16 /* durable states before a kill */

/* The file was written in this life, with state 2: what it contains is certain.
 */
static struct store *
store_written(void)
{
	struct store *store = store_home_open();

	assert_int_equal(store_home_write(store, 2), 0);
	fake_disk.syncs = 0;
	return store;
}

/* The state may be on the disk in one slot only, whatever the other slot seems
 * to be. */
STORE_CASE(state_that_is_found_is_synced_before_it_is_overwritten)
{
	struct store *store;

	store_home_make(1);
	for (unsigned fail_at = 1; fail_at <= 2; fail_at++) {
		store = store_home_open();
		fake_disk.syncs = 0;
		fake_disk.fail_at = fail_at;
		assert_int_equal(store_home_write(store, 2), -EIO);
		assert_int_equal(fake_disk.syncs, fail_at);
		fake_disk.fail_at = 0;
		store_close(store);
		assert_int_equal(store_home_remembered(), 1);
	}
	store = store_home_open();
	fake_disk.syncs = 0;
	assert_int_equal(store_home_write(store, 2), 0);
	assert_int_equal(fake_disk.syncs, 4);
	store_close(store);
}

STORE_CASE(each_state_is_synced_twice_and_no_more)
{
	struct store *store;

	store_home_make(1);
	store = store_written();
	for (unsigned i = 1; i < 9; i++) {
		assert_int_equal(store_home_write(store, 2 + i), 0);
		assert_int_equal(fake_disk.syncs, 2 * i);
	}
	store_close(store);
	assert_int_equal(fake_disk.syncs, 16);
}

/* Both go to the same slot. */
STORE_CASE(next_state_takes_the_place_of_the_second_copy)
{
	struct durable_state record[] = { store_home_record(3),
		store_home_record(4) };
	struct store *store;

	store_home_make(1);
	store = store_written();
	assert_int_equal(store_write_first(store, &record[0]), 0);
	assert_int_equal(store_write_first(store, &record[1]), 0);
	assert_int_equal(fake_disk.syncs, 2);
	assert_int_equal(store_write_second(store), 0);
	assert_int_equal(fake_disk.syncs, 3);
	store_close(store);
	assert_int_equal(store_home_remembered(), 4);
}

/* The state of the disk is unknown then, so nothing is reported durable. */
STORE_CASE(after_a_failed_sync_nothing_is_written)
{
	for (unsigned fail_at = 1; fail_at <= 2; fail_at++) {
		struct store *store;

		store_home_make(1);
		store = store_written();
		fake_disk.fail_at = fail_at;
		assert_int_equal(store_home_write(store, 3), -EIO);
		assert_int_equal(store_home_write(store, 4), -EIO);
		assert_int_equal(fake_disk.syncs, fail_at);
		fake_disk.fail_at = 0;
		assert_int_equal(store_home_write(store, 3), -EIO);
		assert_int_equal(fake_disk.syncs, fail_at);
		store_close(store);
		store = store_home_open();
		assert_int_equal(
		    store_found(store)->slot.durable.incarnation, 3);
		assert_int_equal(store_home_write(store, 4), 0);
		store_close(store);
		assert_int_equal(store_home_remembered(), 4);
	}
}

/* Not even free space helps; the next start repairs it. */
STORE_CASE(after_an_error_nothing_is_written)
{
	struct store *store;

	store_home_make(1);
	store = store_home_open();
	assert_int_equal(store_home_write(store, 2), 0);
	store_home_limit(SLOT_BYTES);
	assert_int_equal(store_home_write(store, 3), -EFBIG);
	store_home_limit(RLIM_INFINITY);
	assert_int_equal(store_home_write(store, 4), -EFBIG);
	store_close(store);
	store = store_home_open();
	assert_null(store_found(store)->problem);
	assert_in_range(store_found(store)->slot.durable.incarnation, 2, 3);
	assert_int_equal(store_home_write(store, 5), 0);
	store_close(store);
	assert_int_equal(store_home_remembered(), 5);
}

STORE_CASE(failed_creation_leaves_the_old_file)
{
	struct durable_state record = store_home_record(2);
	struct store *store;

	store_home_make(1);
	store = store_home_open();
	store_home_limit(100);
	assert_int_equal(store_create(store, &record, true), -EFBIG);
	store_home_limit(RLIM_INFINITY);
	store_close(store);
	assert_int_equal(access("here/web-3.state.new", F_OK), -1);
	assert_int_equal(store_home_remembered(), 1);
}

/* The next start could not rely on it. */
STORE_CASE(a_file_that_lost_its_name_keeps_nothing)
{
	struct store *store;

	store_home_make(1);
	store = store_home_open();
	assert_int_equal(rename(STORE_STATE, "here/target"), 0);
	assert_int_equal(store_home_write(store, 2), -ENOENT);
	assert_string_equal(store_error_text(store, -ENOENT), "it was removed");
	store_close(store);
	store_home_make(1);
	store = store_home_open();
	assert_int_equal(rename("here/target", STORE_STATE), 0);
	assert_int_equal(store_home_write(store, 3), -ESTALE);
	store_close(store);
}

STORE_CASE(a_file_whose_directory_is_gone_keeps_nothing)
{
	struct store *store;

	store_home_make(1);
	store = store_home_open();
	assert_int_equal(unlink(STORE_STATE), 0);
	assert_int_equal(unlink("here/web-3.lock"), 0);
	assert_int_equal(rmdir("here"), 0);
	assert_int_equal(store_home_write(store, 2), -ENOENT);
	assert_string_equal(
	    store_error_text(store, -ENOENT), "its directory was removed");
	assert_string_equal(
	    store_error_text(store, -EIO), "Input/output error");
	store_close(store);
}

/* Writes on and on, and reports what is durable. */
static void
write_for_ever(int told, uint64_t i)
{
	struct store *store;

	if (store_open("here", "web", 3, &store) != 0)
		_exit(1);
	for (;; i++) {
		struct durable_state record = store_home_record(i);

		if (store_write_first(store, &record) != 0 ||
		    write(told, &i, sizeof(i)) != sizeof(i) ||
		    store_write_second(store) != 0)
			_exit(2);
	}
}

/* Kills it while it writes on: the last state that it called durable stays. */
static uint64_t
kill_a_writer(struct random *random, uint64_t from)
{
	uint64_t reports = 1 + random_below(random, REPORTS_MAX);
	uint64_t last = from - 1;
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		write_for_ever(pipes[1], from);
	close(pipes[1]);
	for (uint64_t i = 0; i < reports; i++)
		assert_int_equal(
		    read(pipes[0], &last, sizeof(last)), sizeof(last));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	while (read(pipes[0], &last, sizeof(last)) == sizeof(last))
		continue;
	close(pipes[0]);
	return last;
}

/* No slot is ever torn: a page is written whole, or not at all. */
STORE_CASE(a_process_killed_while_writing_damages_nothing)
{
	struct random random;
	uint64_t last = 1;

	random_init(&random, 1);
	store_home_make(last);
	for (unsigned i = 0; i < KILLS; i++) {
		uint64_t durable = kill_a_writer(&random, last + 1);

		last = store_home_remembered();
		assert_in_range(last, durable, durable + 1);
	}
	assert_true(last > KILLS);
}

static struct worker *worker;
static struct store_writer *writer;
static int result; /* of the last write */
static bool has_result;

static void
on_written(void *context, int error)
{
	(void)context;
	assert_false(has_result);
	result = error;
	has_result = true;
}

static void
open_writer(struct store *store)
{
	has_result = false;
	assert_int_equal(worker_new(&worker), 0);
	writer = store_writer_new(store, worker, on_written, NULL);
	assert_non_null(writer);
}

static void
close_writer(void)
{
	worker_free(worker);
	store_writer_free(writer);
}

/* True if there is a result within the time. */
static bool
has_result_within(int ms)
{
	struct pollfd readable = { .fd = worker_fd(worker), .events = POLLIN };

	while (!has_result && poll(&readable, 1, ms) == 1)
		worker_tend(worker);
	return has_result;
}

static int
await_result(void)
{
	assert_true(has_result_within(10000));
	has_result = false;
	return result;
}

/* The result of one write by the worker. */
static int
work(uint64_t incarnation)
{
	struct durable_state record = store_home_record(incarnation);

	store_writer_write(writer, &record, false);
	return await_result();
}

STORE_CASE(the_worker_writes_and_tells)
{
	struct durable_state record = store_home_record(50);
	struct store *store;

	store_home_make(1);
	store = store_home_open();
	open_writer(store);
	for (uint64_t i = 2; i < 50; i++)
		assert_int_equal(work(i), 0);
	/* The second slot of the last state may still be in writing. */
	store_home_limit(0);
	store_writer_write(writer, &record, false);
	assert_int_equal(await_result(), -EFBIG);
	store_home_limit(RLIM_INFINITY);
	assert_int_equal(work(51), -EFBIG);
	close_writer();
	store_close(store);
	assert_int_equal(store_home_remembered(), 49);
}

/* Also in place of a damaged one, as a leader has admitted the voter. */
STORE_CASE(the_worker_makes_a_file_anew)
{
	struct durable_state record = store_home_record(50);
	struct store *store;

	for (unsigned i = 0; i < 2; i++) {
		store_home_make(1);
		if (i == 0)
			assert_int_equal(unlink(STORE_STATE), 0);
		else
			assert_int_equal(truncate(STORE_STATE, 77), 0);
		store = store_home_open();
		assert_non_null(store_found(store)->problem);
		open_writer(store);
		store_writer_write(writer, &record, true);
		assert_int_equal(await_result(), 0);
		assert_int_equal(work(51), 0);
		close_writer();
		store_close(store);
		store = store_home_open();
		assert_null(store_found(store)->problem);
		assert_true(store_found(store)->slot.is_complete);
		assert_false(store_found(store)->slot.is_doubtful);
		assert_int_equal(
		    store_found(store)->slot.durable.incarnation, 51);
		store_close(store);
	}
}

/* A disk may be slow: the caller goes on meanwhile, and learns when one slot
 * has its state. */
STORE_CASE(the_worker_alone_waits_for_the_disk)
{
	struct durable_state record = store_home_record(3);
	struct store *store;
	int gate[2];

	store_home_make(1);
	store = store_written();
	assert_int_equal(pipe(gate), 0);
	fake_disk.gate = gate[0];
	open_writer(store);
	store_writer_write(writer, &record, false);
	assert_false(has_result_within(50));
	assert_int_equal(write(gate[1], "1", 1), 1);
	assert_int_equal(await_result(), 0);
	record = store_home_record(4);
	store_writer_write(writer, &record, false);
	/* The second copy of the state before may have begun, or not. */
	assert_int_equal(write(gate[1], "234", 3), 3);
	assert_int_equal(await_result(), 0);
	close_writer();
	store_close(store);
	fake_disk.gate = -1;
	close(gate[0]);
	close(gate[1]);
	assert_int_equal(store_home_remembered(), 4);
}

/* Opens a store and its gate: words let the disk sync, and the second fails. */
static void
work_with_a_gate(int gate[2], struct store **store)
{
	store_home_make(1);
	*store = store_written();
	assert_int_equal(pipe(gate), 0);
	fake_disk.gate = gate[0];
	fake_disk.fail_at = 2;
	open_writer(*store);
}

/* Nothing was synced after the failure, and the file has the last reported
 * state, or the next. */
static void
close_the_gate(int gate[2], struct store *store)
{
	store_close(store);
	assert_int_equal(fake_disk.syncs, 2);
	fake_disk.fail_at = 0;
	fake_disk.gate = -1;
	close(gate[0]);
	close(gate[1]);
	assert_in_range(store_home_remembered(), 3, 4);
}

/* The caller may have taken the earlier result by then, or not. */
STORE_CASE(failure_in_the_second_slot_is_reported_too)
{
	for (unsigned words = 1; words <= 2; words++) {
		struct durable_state record = store_home_record(3);
		struct store *store;
		int gate[2];

		work_with_a_gate(gate, &store);
		store_writer_write(writer, &record, false);
		assert_int_equal(write(gate[1], "12", words), words);
		assert_int_equal(await_result(), 0);
		if (words == 1)
			assert_int_equal(write(gate[1], "2", 1), 1);
		assert_int_equal(await_result(), -EIO);
		assert_int_equal(work(4), -EIO);
		close_writer();
		close_the_gate(gate, store);
	}
}

/* The next state carries its news, and that is enough. */
STORE_CASE(failure_in_the_second_slot_is_reported_once)
{
	struct durable_state record = store_home_record(4);
	struct store *store;
	int gate[2];

	work_with_a_gate(gate, &store);
	assert_int_equal(write(gate[1], "1", 1), 1);
	assert_int_equal(work(3), 0);
	store_writer_write(writer, &record, false);
	assert_int_equal(write(gate[1], "2", 1), 1);
	assert_int_equal(await_result(), -EIO);
	assert_int_equal(work(5), -EIO);
	close_writer();
	close_the_gate(gate, store);
}

/* The end waits for a write under way; nobody need take its result. */
STORE_CASE(the_worker_ends_its_work_first)
{
	struct durable_state record = store_home_record(2);
	struct store *store;

	store_home_make(1);
	store = store_home_open();
	open_writer(store);
	store_writer_write(writer, &record, false);
	close_writer();
	store_close(store);
	assert_int_equal(store_home_remembered(), 2);
	worker_free(NULL);
	store_writer_free(NULL);
}
