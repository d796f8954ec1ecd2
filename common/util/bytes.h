/* SPDX-License-Identifier: ISC */
/*
 * The one bounds-checked reader and writer of everything that comes from or
 * goes to another host: big-endian integers and runs of bytes. An error is
 * sticky: after it every read gives zero and every write does nothing, so a
 * decoder checks once, at its end.
 */
#ifndef ELECTD_COMMON_UTIL_BYTES_H
#define ELECTD_COMMON_UTIL_BYTES_H

#include "common/util/types.h"

struct reader {
	const uint8_t *at; /* borrowed until the reader is forgotten */
	size_t left;
	bool failed;
};

struct writer {
	uint8_t *start;
	size_t size;
	size_t capacity;
	bool failed;
};

struct reader reader_of(const void *bytes, size_t size);
uint8_t read_u8(struct reader *r);
uint16_t read_u16(struct reader *r);
uint32_t read_u32(struct reader *r);
uint64_t read_u64(struct reader *r);

/* Copies `size` bytes to `to`, or zeroes it and fails. */
void read_bytes(struct reader *r, void *to, size_t size);

/* Steps over `size` bytes and gives where they were; NULL on failure. */
const uint8_t *read_run(struct reader *r, size_t size);

/* Nothing failed, and nothing is left over? */
bool reader_at_end(const struct reader *r);

struct writer writer_of(void *bytes, size_t capacity);
void write_u8(struct writer *w, uint8_t value);
void write_u16(struct writer *w, uint16_t value);
void write_u32(struct writer *w, uint32_t value);
void write_u64(struct writer *w, uint64_t value);
void write_bytes(struct writer *w, const void *from, size_t size);

#endif
