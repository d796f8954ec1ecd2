/* SPDX-License-Identifier: ISC */
#include "common/util/bytes.h"

#include <string.h>

struct reader
reader_of(const void *bytes, size_t size)
{
	assert(bytes != NULL || size == 0);
	return (struct reader){ .at = bytes, .left = size };
}

const uint8_t *
read_run(struct reader *r, size_t size)
{
	const uint8_t *at = r->at;

	assert(!r->failed || r->left == 0);
	if (r->failed || size > r->left) {
		r->failed = true;
		r->left = 0;
		return NULL;
	}
	r->at += size;
	r->left -= size;
	return at;
}

void
read_bytes(struct reader *r, void *to, size_t size)
{
	const uint8_t *at = read_run(r, size);

	if (at == NULL)
		memset(to, 0, size);
	else
		memcpy(to, at, size);
}

/* Reads a big-endian integer of `size` bytes, at most eight. */
static uint64_t
read_integer(struct reader *r, size_t size)
{
	const uint8_t *at = read_run(r, size);
	uint64_t value = 0;

	assert(size <= sizeof(value));
	if (at == NULL)
		return 0;
	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

uint8_t
read_u8(struct reader *r)
{
	return (uint8_t)read_integer(r, 1);
}

uint16_t
read_u16(struct reader *r)
{
	return (uint16_t)read_integer(r, 2);
}

uint32_t
read_u32(struct reader *r)
{
	return (uint32_t)read_integer(r, 4);
}

uint64_t
read_u64(struct reader *r)
{
	return read_integer(r, 8);
}

bool
reader_at_end(const struct reader *r)
{
	return !r->failed && r->left == 0;
}

struct writer
writer_of(void *bytes, size_t capacity)
{
	assert(bytes != NULL);
	return (struct writer){ .start = bytes, .capacity = capacity };
}

/* Gives where the next `size` bytes go; NULL: there is no room. */
static uint8_t *
writer_room(struct writer *w, size_t size)
{
	uint8_t *at = w->start + w->size;

	assert(w->size <= w->capacity);
	if (w->failed || size > w->capacity - w->size) {
		w->failed = true;
		return NULL;
	}
	w->size += size;
	return at;
}

void
write_bytes(struct writer *w, const void *from, size_t size)
{
	uint8_t *at = writer_room(w, size);

	if (at != NULL && size > 0)
		memcpy(at, from, size);
}

/* Writes the low `size` bytes of `value`, at most eight, big-endian. */
static void
write_integer(struct writer *w, uint64_t value, size_t size)
{
	uint8_t *at = writer_room(w, size);

	assert(size <= sizeof(value));
	for (size_t i = size; at != NULL && i > 0; i--) {
		at[i - 1] = (uint8_t)value;
		value >>= 8;
	}
}

void
write_u8(struct writer *w, uint8_t value)
{
	write_integer(w, value, 1);
}

void
write_u16(struct writer *w, uint16_t value)
{
	write_integer(w, value, 2);
}

void
write_u32(struct writer *w, uint32_t value)
{
	write_integer(w, value, 4);
}

void
write_u64(struct writer *w, uint64_t value)
{
	write_integer(w, value, 8);
}
