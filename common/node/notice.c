/* SPDX-License-Identifier: ISC */
#include "common/node/notice.h"

static const char *const evidence_names[] = {
	[EVIDENCE_NONE] = "none",
	[EVIDENCE_DIED] = "died",
	[EVIDENCE_BYE] = "bye",
	[EVIDENCE_MISSED] = "missed",
	[EVIDENCE_REFUSED] = "refused",
	[EVIDENCE_RESET] = "reset",
	[EVIDENCE_DISTANT] = "distant",
	[EVIDENCE_REMOVED] = "removed",
};

static const char *const drop_names[DROP_KINDS] = {
	[DROP_NONE] = "none",
	[DROP_SHORT] = "short",
	[DROP_FOREIGN] = "foreign",
	[DROP_CLUSTER] = "cluster",
	[DROP_SAME_ID] = "same-id",
	[DROP_UNKNOWN] = "unknown",
	[DROP_ADDRESS] = "address",
	[DROP_RATE] = "rate",
	[DROP_KEY] = "key",
	[DROP_SESSION] = "session",
	[DROP_REPLAY] = "replay",
	[DROP_SEAL] = "seal",
	[DROP_FORMAT] = "format",
	[DROP_LATE] = "late",
	[DROP_INCARNATION] = "incarnation",
};

const char *
evidence_name(enum evidence evidence)
{
	assert(evidence <= EVIDENCE_REMOVED);
	return evidence_names[evidence];
}

const char *
drop_name(enum drop drop)
{
	assert(drop < DROP_KINDS);
	return drop_names[drop];
}

void
notices_add(struct notices *q, const struct notice *n)
{
	assert(q->count < q->capacity);
	assert(q->first < q->capacity);
	q->ring[(q->first + q->count) % q->capacity] = *n;
	q->count++;
}

bool
notices_take(struct notices *q, struct notice *n)
{
	if (q->count == 0)
		return false;
	assert(q->count <= q->capacity);
	*n = q->ring[q->first];
	q->first = (q->first + 1) % q->capacity;
	q->count--;
	return true;
}
