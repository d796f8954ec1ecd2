/* SPDX-License-Identifier: ISC */
/* Power that fails while the state file is written, by a disk that garbles. */
#include "tests/lib/fake_disk.h"
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The bytes in writing when the power failed. */
static void
garble_last_write(void)
{
	const char noise[] = "noise";
	int file;

	if (fake_disk.wrote_at < 0)
		return;
	file = open(STORE_STATE, O_WRONLY | O_CLOEXEC);
	assert_true(file >= 0);
	assert_int_equal(syscall(SYS_pwrite64, file, noise, sizeof(noise),
			     fake_disk.wrote_at + 100),
	    sizeof(noise));
	close(file);
}

/*
 * State 3 was durable in one slot, and the node had answered by it, when its
 * writer was killed. The power fails at each write of the next start, and the
 * disk garbles what it was writing: it has state 3, or nothing, but never state
 * 2.
 */
STORE_CASE(disk_that_garbles_its_writes_brings_no_old_state_back)
{
	struct durable_state record = store_home_record(3);

	for (unsigned fail_at = 1; fail_at <= 4; fail_at++) {
		struct store *store;

		store_home_make(1);
		store = store_home_open();
		assert_int_equal(store_home_write(store, 2), 0);
		assert_int_equal(store_write_first(store, &record), 0);
		store_close(store);
		store = store_home_open();
		fake_disk.syncs = 0;
		fake_disk.fail_at = fail_at;
		fake_disk.wrote_at = -1;
		assert_int_equal(store_home_write(store, 4), -EIO);
		fake_disk.fail_at = 0;
		garble_last_write();
		store_close(store);
		store = store_home_open();
		assert_null(store_found(store)->problem);
		assert_in_range(
		    store_found(store)->slot.durable.incarnation, 3, 4);
		store_close(store);
	}
}

/* The node had answered by state 3 when state 4 came, before the second copy of
 * state 3 was written. The power fails while state 4 is written: that garbles
 * state 2. */
STORE_CASE(next_state_is_never_written_over_the_only_copy)
{
	struct durable_state record[] = { store_home_record(3),
		store_home_record(4) };
	struct store *store;

	store_home_make(1);
	store = store_home_open();
	assert_int_equal(store_home_write(store, 2), 0);
	assert_int_equal(store_write_first(store, &record[0]), 0);
	fake_disk.syncs = 0;
	fake_disk.fail_at = 1;
	assert_int_equal(store_write_first(store, &record[1]), -EIO);
	fake_disk.fail_at = 0;
	garble_last_write();
	store_close(store);
	store = store_home_open();
	assert_null(store_found(store)->problem);
	assert_int_equal(store_found(store)->slot.durable.incarnation, 3);
	store_close(store);
}
