/* SPDX-License-Identifier: ISC */
/*
 * The only reader and writer of bytes that come from or go to another host:
 * big-endian integers and runs of bytes, bounds-checked. A failure is sticky:
 * after it every read returns zero and every write does nothing, so a decoder
 * checks `failed` once, at its end.
 */
#ifndef ELECTD_COMMON_UTIL_BYTES_H
#define ELECTD_COMMON_UTIL_BYTES_H

#include "common/util/types.h"

struct reader {
	const uint8_t *at; /* next byte; borrowed for the reader's life */
	size_t left;       /* bytes that are not read yet; 0 after a failure */
	bool failed;       /* a read went beyond the end */
};

struct writer {
	uint8_t *start;  /* borrowed for the writer's life */
	size_t size;     /* bytes that were written */
	size_t capacity; /* bytes at `start` */
	bool failed;     /* a write would have gone beyond the end */
};

/* A reader of `size` bytes; `bytes` may be NULL if there are none. */
struct reader reader_of(const void *bytes, size_t size);

/* Each reads a big-endian integer; 0 on failure. */
uint8_t read_u8(struct reader *r);
uint16_t read_u16(struct reader *r);
uint32_t read_u32(struct reader *r);
uint64_t read_u64(struct reader *r);

/* Copies the next `size` bytes to `to`; on failure zeroes `to`. */
void read_bytes(struct reader *r, void *to, size_t size);

/*
 * Steps over `size` bytes and returns where they are, borrowed from what the
 * reader reads; NULL on failure.
 */
const uint8_t *read_run(struct reader *r, size_t size);

/* True if nothing failed and nothing is left. */
bool reader_at_end(const struct reader *r);

/* A writer to `bytes`, which has room for `capacity` bytes. */
struct writer writer_of(void *bytes, size_t capacity);

/* Each writes a big-endian integer, or fails and writes nothing. */
void write_u8(struct writer *w, uint8_t value);
void write_u16(struct writer *w, uint16_t value);
void write_u32(struct writer *w, uint32_t value);
void write_u64(struct writer *w, uint64_t value);

/* Writes `size` bytes, or fails and writes nothing. */
void write_bytes(struct writer *w, const void *from, size_t size);

#endif
