/* SPDX-License-Identifier: ISC */
#include "daemon/system/release.h"

#include <stdio.h>

uint32_t
release_read(const char *text)
{
	unsigned major, minor, patch;

	if (sscanf(text, "%u.%u.%u", &major, &minor, &patch) != 3 ||
	    major > 0xffff || minor > 0xff || patch > 0xff)
		return 0;
	return major << 16 | minor << 8 | patch;
}

const char *
release_text(uint32_t release, char text[RELEASE_TEXT_MAX])
{
	snprintf(text, RELEASE_TEXT_MAX, "%u.%u.%u", (unsigned)(release >> 16),
	    (unsigned)(release >> 8 & 0xff), (unsigned)(release & 0xff));
	return text;
}
