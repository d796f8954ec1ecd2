/* SPDX-License-Identifier: ISC */
#include "common/quorum/durable_state.h"

void
promise_check(const struct promise *promise)
{
	assert((promise->term == 0) == (promise->owner.id == NODE_NONE));
	assert(promise->term <= TERM_MAX);
	assert(!promise->is_early || promise->term != 0);
}

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
