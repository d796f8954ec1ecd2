/* SPDX-License-Identifier: ISC */
#include "common/quorum/record.h"

const char *
memory_name(enum memory memory)
{
	static const char *const names[] = {
		[MEMORY_SOUND] = "sound",
		[MEMORY_LOST] = "lost",
		[MEMORY_REVOKED] = "revoked",
		[MEMORY_FAILED] = "failed",
		[MEMORY_CHANGED] = "changed",
	};

	assert(memory <= MEMORY_CHANGED);
	return names[memory];
}
