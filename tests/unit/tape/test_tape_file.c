/* SPDX-License-Identifier: ISC */
/* A tape as a file: it is read as it was written, and nothing else is read. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/tape/identity.h"
#include "daemon/tape/tape_file.h"

#define BUILD_AT 12 /* where the file names the build */

static const struct tape_head head = {
	.id = 7,
	.incarnation = 99,
	.epoch_ns = -5,
	.name = "seven",
	.cluster = "dwarfs",
};

static uint8_t memory[65536];
static uint8_t bytes[65536];
static size_t size;

/* Writes the file of a tape with so many halves. */
static void
write_file(unsigned halves)
{
	struct tape tape;

	tape_init(&tape, memory, sizeof(memory));
	for (unsigned i = 0; i < halves; i++) {
		uint8_t *checkpoint = tape_turn(&tape, 100);

		assert_non_null(checkpoint);
		memset(checkpoint, 'a' + (int)i, 100);
		(void)tape_input(&tape, TAPE_TICK, 1000 + i);
		(void)tape_input(&tape, TAPE_STOP, 2000 + i);
	}
	tape_flush(&tape);
	size = tape_file_size(&tape, &head);
	assert_true(size < sizeof(bytes));
	tape_file_write(&tape, &head, bytes);
}

/* After a change: the digest is right again. */
static void
seal_file(void)
{
	tape_file_digest(
	    bytes + size - TAPE_FILE_DIGEST, bytes, size - TAPE_FILE_DIGEST);
}

static void
assert_read(enum tape_file_kind wanted, const char *part)
{
	char error[TAPE_FILE_ERROR_MAX] = "";
	uint8_t *copy = malloc(size + 1); /* sanitizers see its end */
	struct tape_file file;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	assert_int_equal(tape_file_read(&file, copy, size, error), wanted);
	assert_non_null(strstr(error, part));
	free(copy);
}

TEST(file_is_read_as_it_was_written)
{
	char error[TAPE_FILE_ERROR_MAX];
	struct tape_file file;

	for (unsigned halves = 1; halves <= 3; halves++) {
		write_file(halves);
		assert_int_equal(
		    tape_file_read(&file, bytes, size, error), TAPE_FILE_GOOD);
		assert_int_equal(file.head.id, 7);
		assert_int_equal(file.head.incarnation, 99);
		assert_int_equal(file.head.epoch_ns, -5);
		assert_string_equal(file.head.name, "seven");
		assert_string_equal(file.head.cluster, "dwarfs");
		assert_int_equal(file.reels_count, halves < 2 ? halves : 2);
		for (unsigned i = 0; i < file.reels_count; i++) {
			const struct reel *reel = &file.reels[i];
			unsigned half = halves - file.reels_count + i;

			assert_int_equal(reel->first, 2 * half);
			assert_int_equal(reel->checkpoint_size, 100);
			assert_int_equal(reel->checkpoint[99], 'a' + half);
			assert_int_equal(reel->entries_size, 18);
			assert_int_equal(reel->entries[0], TAPE_TICK);
		}
	}
}

TEST(damage_anywhere_is_found)
{
	write_file(2);
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= 0x20;
		assert_read(TAPE_FILE_NONE, "");
		bytes[i] ^= 0x20;
	}
	assert_read(TAPE_FILE_GOOD, "");
}

TEST(part_of_a_file_is_refused)
{
	size_t whole;

	write_file(1);
	for (whole = size, size = 0; size < whole; size++)
		assert_read(
		    TAPE_FILE_NONE, size < 12 ? "is no tape" : "damaged");
	bytes[whole] = 0;
	size = whole + 1;
	assert_read(TAPE_FILE_NONE, "damaged");
}

TEST(file_of_another_build_is_refused)
{
	write_file(1);
	assert_memory_equal(
	    bytes + BUILD_AT, build_identity, BUILD_IDENTITY_MAX - 1);
	assert_int_equal(strlen(build_identity), BUILD_IDENTITY_MAX - 1);
	bytes[BUILD_AT] = bytes[BUILD_AT] == '0' ? '1' : '0';
	bytes[BUILD_AT + 1] = '\033';
	seal_file();
	assert_read(TAPE_FILE_FOREIGN, "is of another build, ");
	assert_read(TAPE_FILE_FOREIGN, build_identity[0] == '0' ? "1." : "0.");
}

TEST(file_in_another_form_is_refused)
{
	write_file(1);
	bytes[11]++;
	seal_file();
	assert_read(TAPE_FILE_NONE, "form 2");
}

/* What is right by its digest must still make sense. */
TEST(file_that_makes_no_sense_is_refused)
{
	const size_t id_at = BUILD_AT + BUILD_IDENTITY_MAX - 1;
	const size_t name_at = id_at + 4 + 8 + 8;
	const size_t halves_at = name_at + 6 + 7;
	const size_t places[] = { id_at, name_at, halves_at, halves_at + 9 };
	const uint8_t values[] = { 0x80, TAPE_NAME_MAX, 3, 0xff };

	for (size_t i = 0; i < 4; i++) {
		write_file(2);
		bytes[places[i]] = values[i];
		seal_file();
		assert_read(TAPE_FILE_NONE, "makes no sense");
	}
}
