/* SPDX-License-Identifier: ISC */
#include "common/wire/cause.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const names[CAUSE_KINDS] = {
	[CAUSE_NONE] = "none",
	[CAUSE_START] = "start",
	[CAUSE_DIED] = "died",
	[CAUSE_BYE] = "bye",
	[CAUSE_MISSED] = "missed",
	[CAUSE_PREEMPT] = "preempt",
	[CAUSE_MERGE] = "merge",
	[CAUSE_FORCED] = "forced",
	[CAUSE_STALLED] = "stalled",
	[CAUSE_RAISED] = "raised",
	[CAUSE_DUPLICATE] = "duplicate",
	[CAUSE_LEASE] = "lease",
	[CAUSE_QUORUM] = "quorum",
	[CAUSE_DENIED] = "denied",
	[CAUSE_MEMORY] = "memory",
	[CAUSE_RESIGN] = "resigned",
	[CAUSE_REFUSED] = "refused",
	[CAUSE_ALONE] = "alone",
};

const char *
cause_text(struct cause cause, char *text)
{
	assert(cause.kind < CAUSE_KINDS);
	if (cause.node == NODE_NONE)
		snprintf(text, CAUSE_TEXT_MAX, "%s", names[cause.kind]);
	else
		snprintf(text, CAUSE_TEXT_MAX, "%s:%" PRIu32, names[cause.kind],
		    cause.node);
	return text;
}
