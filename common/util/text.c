/* SPDX-License-Identifier: ISC */
#include "common/util/text.h"

#include "common/util/bytes.h"

/* The lowest code points of sequences of 2, 3 and 4 bytes: a lower one has a
 * shorter sequence. */
static const uint32_t lowest[] = { 0, 0x80, 0x800, 0x10000 };

#define CODE_POINT_MAX  0x10ffff
#define CONTROLS_END    0xa0 /* 0x7f to 0x9f are control characters, too */
#define SURROGATE_FIRST 0xd800
#define SURROGATE_LAST  0xdfff

/* The number of bytes that follow this one in its sequence; 4: this byte begins
 * none. */
static unsigned
followers(uint8_t byte)
{
	if (byte < 0x80)
		return 0;
	if (byte >= 0xc0 && byte < 0xe0)
		return 1;
	if (byte >= 0xe0 && byte < 0xf0)
		return 2;
	return byte >= 0xf0 && byte < 0xf8 ? 3 : 4;
}

/* Reads a code point. False if there is none that a terminal may print. */
static bool
read_printable(struct reader *r)
{
	uint8_t first = read_u8(r);
	unsigned count = followers(first);
	uint32_t point = first;

	if (count > 3)
		return false;
	if (count > 0)
		point = first & (0x3fU >> count);
	for (unsigned i = 0; i < count; i++) {
		uint8_t next = read_u8(r);

		if (next >> 6 != 2)
			return false;
		point = point << 6 | (next & 0x3f);
	}
	return !r->failed && point >= lowest[count] &&
	       point <= CODE_POINT_MAX && point >= ' ' &&
	       (point < 0x7f || point >= CONTROLS_END) &&
	       (point < SURROGATE_FIRST || point > SURROGATE_LAST);
}

bool
text_is_printable(const char *bytes, size_t size)
{
	struct reader r = reader_of(bytes, size);

	while (r.left > 0) {
		if (!read_printable(&r))
			return false;
	}
	return true;
}
