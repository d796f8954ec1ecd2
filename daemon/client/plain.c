/* SPDX-License-Identifier: ISC */
/* Makes text from outside safe for a terminal. */
#include "daemon/client/client.h"

#define NO_CHARACTER UINT32_MAX /* no code point: the bytes are not UTF-8 */

/* Characters that control a terminal or change how others are shown. */
static const struct {
	uint32_t first;
	uint32_t last;
} commands[] = {
	{ 0x00, 0x1f },     /* C0: escape, newline, backspace */
	{ 0x7f, 0x9f },     /* delete and C1: CSI, OSC */
	{ 0x61c, 0x61c },   /* marks of direction */
	{ 0x200e, 0x200f }, /* marks of direction */
	{ 0x2028, 0x202e }, /* separators of lines; embedding, override */
	{ 0x2066, 0x2069 }, /* isolates */
	{ NO_CHARACTER, NO_CHARACTER },
};

/* The number of bytes of a character that begins with this one; 0: none begins
 * with it. */
static size_t
size_by(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc0 || first >= 0xf8)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/*
 * The character at `text`, and its size; NO_CHARACTER and one byte if no
 * character of UTF-8 begins there.
 */
static uint32_t
decode(const char *text, size_t *size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)text[0];
	size_t length = size_by(first);
	uint32_t code = length == 1 ? first : first & (0x7fU >> length);

	*size = 1;
	for (size_t i = 1; i < length; i++) {
		unsigned char next = (unsigned char)text[i];

		if ((next & 0xc0) != 0x80)
			return NO_CHARACTER;
		code = code << 6 | (next & 0x3fU);
	}
	if (length == 0 || code < least[length] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return NO_CHARACTER;
	*size = length;
	return code;
}

static bool
is_command(uint32_t code)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (code >= commands[i].first && code <= commands[i].last)
			return true;
	}
	return false;
}

void
make_plain(char *text)
{
	const char *from = text;
	size_t size;

	for (; *from != '\0'; from += size) {
		if (is_command(decode(from, &size))) {
			*text++ = '?';
		} else {
			memmove(text, from, size);
			text += size;
		}
	}
	*text = '\0';
}

const char *
plain_text(const json_t *value, char text[PLAIN_TEXT_MAX])
{
	const char *from = json_string_value(value);

	if (json_is_integer(value)) {
		snprintf(text, PLAIN_TEXT_MAX, "%" JSON_INTEGER_FORMAT,
		    json_integer_value(value));
		return text;
	}
	snprintf(text, PLAIN_TEXT_MAX, "%s", from == NULL ? "-" : from);
	make_plain(text);
	return text;
}
