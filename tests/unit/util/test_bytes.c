/* SPDX-License-Identifier: ISC */
/* The reader and writer: layout, bounds, and errors that stick. */
#include "tests/unit/group.h"

#include <string.h>

#include "common/util/bytes.h"

/* One value of each kind, as the wire must have it. */
static const uint8_t golden[] = {
	0x01,                                           /* u8 */
	0x23, 0x45,                                     /* u16 */
	0x67, 0x89, 0xab, 0xcd,                         /* u32 */
	0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, /* u64 */
	'r', 'u', 'n',                                  /* bytes */
};

static void
write_golden(struct writer *w)
{
	write_u8(w, 0x01);
	write_u16(w, 0x2345);
	write_u32(w, 0x6789abcd);
	write_u64(w, UINT64_C(0xeffedcba98765432));
	write_bytes(w, "run", 3);
}

TEST(integers_are_written_big_end_first)
{
	uint8_t bytes[sizeof(golden)];
	struct writer w = writer_of(bytes, sizeof(bytes));

	write_golden(&w);
	assert_false(w.failed);
	assert_int_equal(w.size, sizeof(golden));
	assert_memory_equal(bytes, golden, sizeof(golden));
}

TEST(fields_are_read_as_they_were_written)
{
	struct reader r = reader_of(golden, sizeof(golden));
	char run[3];

	assert_int_equal(read_u8(&r), 0x01);
	assert_int_equal(read_u16(&r), 0x2345);
	assert_int_equal(read_u32(&r), 0x6789abcd);
	assert_true(read_u64(&r) == UINT64_C(0xeffedcba98765432));
	assert_false(reader_at_end(&r));
	read_bytes(&r, run, sizeof(run));
	assert_memory_equal(run, "run", 3);
	assert_true(reader_at_end(&r));
}

/* Tries every capacity that is too small: nothing behind it changes. */
TEST(writer_never_writes_past_its_capacity)
{
	uint8_t bytes[sizeof(golden) + 1];

	for (size_t capacity = 0; capacity < sizeof(golden); capacity++) {
		struct writer w = writer_of(bytes, capacity);

		memset(bytes, 0x5a, sizeof(bytes));
		write_golden(&w);
		assert_true(w.failed);
		assert_true(w.size <= capacity);
		for (size_t i = w.size; i < sizeof(bytes); i++)
			assert_int_equal(bytes[i], 0x5a);
		assert_memory_equal(bytes, golden, w.size);
	}
}

TEST(writer_that_failed_writes_no_more)
{
	uint8_t bytes[4] = { 0 };
	struct writer w = writer_of(bytes, sizeof(bytes));

	write_u8(&w, 1);
	write_u32(&w, 2);
	assert_true(w.failed);
	write_u8(&w, 3); /* would fit */
	write_bytes(&w, NULL, 0);
	assert_true(w.failed);
	assert_int_equal(w.size, 1);
	assert_int_equal(bytes[1], 0);
}

/* Tries every length that is too short: it gives zeros, and reads no byte
 * behind (the sanitizer would see that, as the buffer ends there). */
TEST(reader_never_reads_past_its_end)
{
	uint8_t bytes[sizeof(golden)];

	for (size_t size = 0; size < sizeof(golden); size++) {
		uint8_t *end = bytes + sizeof(bytes) - size;
		struct reader r = reader_of(end, size);
		uint8_t run[3] = { 1, 1, 1 };

		memcpy(end, golden, size);
		(void)read_u8(&r);
		(void)read_u16(&r);
		(void)read_u32(&r);
		(void)read_u64(&r);
		read_bytes(&r, run, sizeof(run));
		assert_true(r.failed);
		assert_false(reader_at_end(&r));
		assert_memory_equal(run, "\0\0\0", 3);
	}
}

TEST(reader_that_failed_gives_zeros)
{
	struct reader r = reader_of(golden, 3);

	assert_int_equal(read_u32(&r), 0);
	assert_true(r.failed);
	assert_int_equal(read_u8(&r), 0);
	assert_int_equal(read_u16(&r), 0);
	assert_true(read_u64(&r) == 0);
	assert_null(read_run(&r, 1));
	assert_null(read_run(&r, 0));
	assert_false(reader_at_end(&r));
}

TEST(run_is_borrowed_where_it_lies)
{
	struct reader r = reader_of(golden, sizeof(golden));

	assert_ptr_equal(read_run(&r, 15), golden);
	assert_ptr_equal(read_run(&r, 3), golden + 15);
	assert_true(reader_at_end(&r));
	assert_null(read_run(&r, SIZE_MAX));
	assert_true(r.failed);
}

TEST(nothing_is_read_of_nothing)
{
	struct reader r = reader_of(NULL, 0);

	assert_true(reader_at_end(&r));
	assert_int_equal(read_u8(&r), 0);
	assert_true(r.failed);
}

TEST(largest_values_come_through)
{
	uint8_t bytes[15];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct reader r = reader_of(bytes, sizeof(bytes));

	write_u8(&w, UINT8_MAX);
	write_u16(&w, UINT16_MAX);
	write_u32(&w, UINT32_MAX);
	write_u64(&w, UINT64_MAX);
	assert_int_equal(read_u8(&r), UINT8_MAX);
	assert_int_equal(read_u16(&r), UINT16_MAX);
	assert_int_equal(read_u32(&r), UINT32_MAX);
	assert_true(read_u64(&r) == UINT64_MAX);
	assert_true(reader_at_end(&r));
}

/* This holds even without any capacity, but not after a failure. */
TEST(nothing_can_be_written_anywhere)
{
	uint8_t byte = 0x5a;
	struct writer w = writer_of(&byte, 0);

	write_bytes(&w, NULL, 0);
	assert_false(w.failed);
	assert_int_equal(w.size, 0);
	write_bytes(&w, &byte, 1);
	assert_true(w.failed);
	write_bytes(&w, NULL, 0);
	assert_true(w.failed);
	assert_int_equal(w.size, 0);
	assert_int_equal(byte, 0x5a);
}
