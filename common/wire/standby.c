/* SPDX-License-Identifier: ISC */
#include "common/wire/standby.h"

#include <string.h>

#define MS_MAX (STANDBY_MAX / MSEC)

/* The lowest code points of sequences of 2, 3 and 4 bytes: a lower one has a
 * shorter sequence. */
static const uint32_t lowest[] = { 0, 0x80, 0x800, 0x10000 };

#define CODE_POINT_MAX  0x10ffff
#define CONTROLS_END    0xa0 /* 0x7f to 0x9f are control characters, too */
#define SURROGATE_FIRST 0xd800
#define SURROGATE_LAST  0xdfff

/* How many bytes follow this one in its sequence; 4: it begins none. */
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
standby_reason_is_valid(const char *bytes, size_t size)
{
	struct reader r = reader_of(bytes, size);

	if (size > STANDBY_REASON_MAX)
		return false;
	while (r.left > 0) {
		if (!read_printable(&r))
			return false;
	}
	return true;
}

struct standby
standby_later(const struct standby *standby, nsec_t at, nsec_t now)
{
	struct standby s = *standby;
	nsec_t passed = nsec_since(now, at);

	if (!s.is_on)
		return s;
	s.age = nsec_earlier(nsec_after(s.age, passed), STANDBY_MAX);
	if (s.left == NSEC_NEVER)
		return s;
	s.is_on = s.left > passed;
	s.left = nsec_since(s.left, passed);
	return s;
}

void
standby_encode(struct writer *w, const struct standby *standby)
{
	size_t size = strlen(standby->reason);

	assert(standby->is_on);
	assert(standby->left > 0);
	assert(standby_reason_is_valid(standby->reason, size));
	write_u64(w, standby->age / MSEC);
	write_u64(w, standby->left == NSEC_NEVER
			 ? 0
			 : (standby->left + MSEC - 1) / MSEC);
	write_bytes(w, standby->reason, size);
}

bool
standby_decode(struct reader *r, struct standby *standby)
{
	uint64_t age = read_u64(r), left = read_u64(r);
	size_t size = r->left;

	if (r->failed || age > MS_MAX || left > MS_MAX ||
	    !standby_reason_is_valid((const char *)r->at, size))
		return false;
	*standby = (struct standby){
		.is_on = true,
		.age = age * MSEC,
		.left = left == 0 ? NSEC_NEVER : left * MSEC,
	};
	read_bytes(r, standby->reason, size);
	return !r->failed;
}
