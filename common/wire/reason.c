/* SPDX-License-Identifier: ISC */
#include "common/wire/reason.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const names[REASON_KINDS] = {
	[REASON_NONE] = "none",
	[REASON_START] = "start",
	[REASON_DIED] = "died",
	[REASON_BYE] = "bye",
	[REASON_MISSED] = "missed",
	[REASON_PREEMPT] = "preempt",
	[REASON_MERGE] = "merge",
	[REASON_FORCED] = "forced",
	[REASON_STALLED] = "stalled",
	[REASON_REFUTED] = "refuted",
	[REASON_DUPLICATE] = "duplicate",
	[REASON_LEASE] = "lease",
	[REASON_QUORUM] = "quorum",
	[REASON_DENIED] = "denied",
	[REASON_STATE_FILE] = "state-file",
	[REASON_RESIGN] = "resigned",
	[REASON_REFUSED] = "refused",
	[REASON_ALONE] = "alone",
	[REASON_REMOVED] = "removed",
	[REASON_CARRIER] = "no-carrier",
};

const char *
reason_text(struct reason reason, char *text)
{
	assert(reason.kind < REASON_KINDS);
	assert(reason.node <= NODE_ID_MAX);
	if (reason.node == NODE_NONE)
		snprintf(text, REASON_TEXT_MAX, "%s", names[reason.kind]);
	else
		snprintf(text, REASON_TEXT_MAX, "%s:%" PRIu32,
		    names[reason.kind], reason.node);
	return text;
}

void
reason_encode(struct writer *w, struct reason reason)
{
	size_t before = w->size;

	write_u8(w, (uint8_t)reason.kind);
	write_u32(w, reason.node);
	assert(w->failed || w->size - before == REASON_BYTES);
}

bool
reason_decode(struct reader *r, struct reason *reason)
{
	uint8_t kind = read_u8(r);

	if (kind >= REASON_KINDS)
		return false;
	reason->kind = (enum reason_kind)kind;
	reason->node = read_u32(r);
	return !r->failed && reason->node <= NODE_ID_MAX;
}
