/* SPDX-License-Identifier: ISC */
#include "common/quorum/durable_state.h"

const char *
state_health_name(enum state_health health)
{
	static const char *const names[] = {
		[STATE_HEALTH_SOUND] = "sound",
		[STATE_HEALTH_LOST] = "lost",
		[STATE_HEALTH_REVOKED] = "revoked",
		[STATE_HEALTH_FAILED] = "failed",
		[STATE_HEALTH_CHANGED] = "changed",
	};

	assert(health <= STATE_HEALTH_CHANGED);
	return names[health];
}
