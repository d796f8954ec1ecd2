/* SPDX-License-Identifier: ISC */
/* The standby that is kept in the state directory, all that can be wrong with
 * its file, and what the wall clock does to it. */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/state/standby_file.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"

#define KEPT "here/web-3.standby"
#define WALL ((nsec_t)1800000000 * SEC) /* when a standby begins */

static const struct settings settings = {
	.shared.cluster = "web",
	.id = 3,
	.state_dir = "./here",
};
static const struct standby off = { .is_on = false };
static const struct standby hour = {
	.is_on = true, .age = 0, .left = 3600 * SEC, .reason = "new kernel"
};
static const struct standby endless = { .is_on = true, .left = NSEC_NEVER };

static int
enter(void **state)
{
	if (store_home_enter(state) != 0 || sodium_init() < 0)
		return -1;
	log_set_level(LOG_LEVEL_ERROR);
	return mkdir("here", 0700);
}

static int
leave(void **state)
{
	if (unlink(KEPT) != 0)
		rmdir(KEPT);
	return store_home_leave(state);
}

static struct standby
recall(nsec_t wall)
{
	return standby_file_recall(&settings, wall);
}

/* The file cannot be read: then standby lasts until an operator ends it. */
static void
assert_unreadable(void)
{
	struct standby s;
	const char *said;

	capture();
	s = recall(WALL);
	said = captured();
	assert_true(s.is_on);
	assert_true(s.left == NSEC_NEVER);
	assert_string_equal(s.reason, "the standby file is damaged");
	assert_non_null(strstr(said, "here/web-3.standby: "));
	assert_non_null(strstr(said, "until `electctl rejoin`"));
}

#define CASE(name) TEST(name, enter, leave)

CASE(standby_is_kept_and_removed)
{
	struct standby s;

	assert_false(recall(WALL).is_on);
	assert_int_equal(standby_file_write(&settings, &endless, WALL), 0);
	assert_true(recall(WALL).left == NSEC_NEVER);
	assert_int_equal(standby_file_write(&settings, &hour, WALL), 0);
	s = recall(WALL + 600 * SEC);
	assert_true(s.is_on);
	assert_true(s.age == 600 * SEC);
	assert_true(s.left == 3000 * SEC);
	assert_string_equal(s.reason, "new kernel");
	assert_int_equal(standby_file_write(&settings, &off, WALL), 0);
	assert_int_equal(access(KEPT, F_OK), -1);
	assert_false(recall(WALL).is_on);
	assert_int_equal(standby_file_write(&settings, &off, WALL), 0);
}

/* A clock that is set back cannot make it longer than the operator said. */
CASE(clock_that_was_set_back_leaves_all_of_it)
{
	struct standby s;

	assert_int_equal(standby_file_write(&settings, &hour, WALL), 0);
	s = recall(0);
	assert_true(s.is_on);
	assert_true(s.age == 0);
	assert_true(s.left == hour.left);
}

CASE(standby_that_is_over_is_removed)
{
	assert_int_equal(standby_file_write(&settings, &hour, WALL), 0);
	assert_true(recall(WALL + hour.left - MSEC).is_on);
	assert_false(recall(WALL + hour.left).is_on);
	assert_int_equal(access(KEPT, F_OK), -1);
}

static size_t
encode(const struct settings *of, uint8_t bytes[STANDBY_FILE_MAX])
{
	return standby_file_encode(of, &hour, WALL, bytes);
}

static bool
decodes(const uint8_t *bytes, size_t size)
{
	struct standby s;
	nsec_t wall;

	return standby_file_decode(&settings, bytes, size, &s, &wall);
}

CASE(file_with_any_other_bit_is_refused)
{
	uint8_t bytes[STANDBY_FILE_MAX];
	size_t size = encode(&settings, bytes);

	assert_true(decodes(bytes, size));
	for (size_t bit = 0; bit < 8 * size; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(decodes(bytes, size));
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t cut = 0; cut < size; cut++)
		assert_false(decodes(bytes, cut));
}

/* The checksum is right, and yet it is not ours, or makes no sense. */
CASE(file_that_makes_no_sense_is_refused)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} rows[] = {
		{ 0, 'E' },    /* another kind of file */
		{ 7, '\r' },   /* changed by a copy in text mode */
		{ 11, 2 },     /* another version */
		{ 15, 4 },     /* another node */
		{ 16, 'W' },   /* another cluster */
		{ 19, 's' },   /* a longer name */
		{ 79, 's' },   /* no zeros at its end */
		{ 80, 0xff },  /* a year that there never is */
		{ 88, 0xff },  /* an age likewise */
		{ 96, 0xff },  /* what is left likewise */
		{ 104, '\n' }, /* no reason */
	};
	uint8_t bytes[STANDBY_FILE_MAX];
	size_t size = encode(&settings, bytes) - crypto_generichash_BYTES;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		encode(&settings, bytes);
		bytes[rows[i].at] = rows[i].byte;
		crypto_generichash(bytes + size, crypto_generichash_BYTES,
		    bytes, size, NULL, 0);
		assert_false(decodes(bytes, size + crypto_generichash_BYTES));
	}
}

static void
put_file(const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(KEPT, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

CASE(node_whose_file_is_damaged_stays_on_standby)
{
	uint8_t bytes[STANDBY_FILE_MAX + 1] = { 0 };
	struct settings other = settings;

	put_file(bytes, 0);
	assert_unreadable();
	put_file(bytes, sizeof(bytes)); /* larger than any */
	assert_unreadable();
	other.id = 4;
	put_file(bytes, encode(&other, bytes));
	assert_unreadable();
	assert_int_equal(unlink(KEPT), 0);
	assert_int_equal(mkdir(KEPT, 0700), 0);
	assert_unreadable();
}

CASE(longest_standby_fits)
{
	struct settings long_name = settings;
	struct standby longest = {
		.is_on = true, .age = STANDBY_MAX, .left = STANDBY_MAX
	};
	uint8_t bytes[STANDBY_FILE_MAX];
	struct standby s;
	nsec_t wall;
	size_t size;

	memset(long_name.shared.cluster, 'x', NAME_MAX_BYTES - 1);
	memset(longest.reason, 'y', STANDBY_REASON_MAX);
	size = standby_file_encode(&long_name, &longest, WALL, bytes);
	assert_int_equal(size, STANDBY_FILE_MAX);
	assert_true(standby_file_decode(&long_name, bytes, size, &s, &wall));
	assert_string_equal(s.reason, longest.reason);
	assert_true(wall == WALL);
}
