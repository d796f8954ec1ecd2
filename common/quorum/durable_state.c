/* SPDX-License-Identifier: ISC */
#include "common/quorum/durable_state.h"

void
promise_check(const struct promise *promise)
{
	assert((promise->term == 0) == (promise->owner.id == NODE_NONE));
	assert(promise->term <= TERM_MAX);
	assert(!promise->is_early || promise->term != 0);
}

enum state_health
durable_found(const struct durable_state *found, bool is_complete,
    const struct config_id *now)
{
	const struct config_id none = { .config_term = 0 };

	if (!is_complete)
		return STATE_HEALTH_LOST;
	if (found->is_revoked)
		return STATE_HEALTH_REVOKED;
	return config_id_equal(&found->config_id, &none) ||
		       config_id_follows(now, &found->config_id)
		   ? STATE_HEALTH_SOUND
		   : STATE_HEALTH_CHANGED;
}

uint64_t
incarnation_after(uint64_t last, bool is_quorum)
{
	return last + (is_quorum ? INCARNATION_STRIDE : 1);
}

uint64_t
incarnation_anew(nsec_t wall)
{
	return wall / SEC * INCARNATION_STRIDE +
	       wall % SEC * INCARNATION_STRIDE / SEC + 1;
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
