/* SPDX-License-Identifier: ISC */
#include "common/node/lead.h"

static bool
is_same_reign(const struct beacon *a, const struct beacon *b)
{
	/* A leader may be taken before its incarnation is known: 0. */
	return a->term == b->term && a->leader.id == b->leader.id &&
	       (a->incarnation == b->incarnation || b->incarnation == 0);
}

/* A later sign; or the same one, if it is the leader's own word once more and
 * not its last one that comes late. */
static bool
is_news(const struct lead *lead, const struct beacon *p)
{
	if (p->number == lead->beacon.number)
		return lead->is_fresh && p->hops == 0;
	return p->number > lead->beacon.number;
}

enum beacon_news
lead_judge(const struct lead *lead, const struct beacon *p, uint64_t term,
    enum prefer prefer)
{
	const struct beacon *mine = &lead->beacon;

	assert(term >= mine->term);
	if (is_same_reign(p, mine) && !is_news(lead, p))
		return BEACON_OLD;
	/* What others expect of an election, of whom we know more already. */
	if (lead->is_fresh && p->incarnation == 0 && p->term == mine->term &&
	    p->leader.id == mine->leader.id)
		return BEACON_OLD;
	/* Also while a later election runs: that leader leads until it ends. */
	if (is_same_reign(p, mine) && lead->is_fresh)
		return BEACON_RENEWED;
	if (p->term < term)
		return lead->is_fresh && p->term > mine->term ? BEACON_CROSSED
							      : BEACON_OLD;
	if (p->term == 0)
		return BEACON_OLD;
	if (p->term > mine->term || !lead->is_fresh)
		return BEACON_NEW;
	return rank_better(&p->leader, &mine->leader, prefer) ? BEACON_NEW
							      : BEACON_RIVAL;
}

void
lead_take(struct lead *lead, const struct beacon *p, struct reason reason,
    nsec_t now, nsec_t stale_at)
{
	assert(p->leader.id != NODE_NONE);
	lead->beacon = *p;
	lead->is_fresh = true;
	lead->heard = now;
	lead->stale_at = stale_at;
	lead->since = now;
	lead->reason = reason;
}

void
lead_renew(
    struct lead *lead, const struct beacon *p, nsec_t now, nsec_t stale_at)
{
	assert(is_same_reign(p, &lead->beacon));
	assert(p->number >= lead->beacon.number);
	lead->beacon = *p;
	lead->heard = now;
	lead->stale_at = stale_at;
}

void
lead_drop(struct lead *lead, struct reason reason, nsec_t now)
{
	lead->is_fresh = false;
	lead->since = now;
	lead->reason = reason;
}

node_id
lead_id(const struct lead *lead)
{
	return lead->is_fresh ? lead->beacon.leader.id : NODE_NONE;
}
