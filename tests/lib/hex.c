/* SPDX-License-Identifier: ISC */
#include "tests/lib/hex.h"

#include <assert.h>

const char *
hex_of(const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	static char text[HEX_MAX];

	assert(2 * size < HEX_MAX);
	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * size] = '\0';
	return text;
}
