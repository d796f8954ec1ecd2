/* SPDX-License-Identifier: ISC */
#include "common/node/lead.h"

/* True if both beacons are of one leader in one term. A node may follow a
 * leader before it knows that leader's incarnation: `b` then has 0. */
static bool
is_same_reign(const struct beacon *a, const struct beacon *b)
{
	return a->term == b->term && a->leader.id == b->leader.id &&
	       (a->incarnation == b->incarnation || b->incarnation == 0);
}

/* True if the beacon is later: if it came from the leader itself, than the
 * newest from there, else than all that we heard of. A peer may quote a number
 * that the leader has not come to yet; the leader's own beacons count all the
 * same. Once we gave the leader up, the same number is its last beacon, which
 * came late. */
static bool
is_news(const struct lead *lead, const struct beacon *p)
{
	if (p->hops > 0)
		return p->number > lead->beacon.number;
	if (p->number == lead->own_number)
		return lead->is_fresh;
	return p->number > lead->own_number;
}

/*
 * True if a peer hands on a beacon of the leader that we left for the present
 * one, no later than we knew. Two leaders of one term may leave each other, if
 * the rank of one changes meanwhile. The last beacons of both, with their ranks
 * before and after, would then lead the nodes from one to the other and back as
 * fast as they travel (PROTOCOL.md, Beacon).
 */
static bool
is_left(const struct lead *lead, const struct beacon *p)
{
	const struct beacon *before = &lead->before;

	return p->hops > 0 && p->term == before->term &&
	       p->leader.id == before->leader.id &&
	       p->incarnation <= before->incarnation &&
	       p->number <= before->number;
}

/*
 * True if the beacon is of a later term than our leader's, or of another leader
 * of the same term. When a term above both has been seen, neither side would
 * ever follow the other.
 */
static bool
has_crossed(const struct lead *lead, const struct beacon *p)
{
	const struct beacon *mine = &lead->beacon;

	return lead->is_fresh &&
	       (p->term > mine->term ||
		   (p->term == mine->term && p->leader.id != mine->leader.id));
}

void
lead_init(struct lead *lead, nsec_t now)
{
	assert(!lead->is_fresh);
	lead->stale_at = NSEC_NEVER;
	lead->since = now;
}

enum beacon_news
lead_judge(const struct lead *lead, const struct beacon *p, uint64_t term,
    enum prefer prefer)
{
	const struct beacon *mine = &lead->beacon;

	assert(p->leader.id != NODE_NONE);
	assert(term >= mine->term);
	if (is_same_reign(p, mine) ? !is_news(lead, p) : is_left(lead, p))
		return BEACON_OLD;
	/* The sender only expects this leader to win; we know its process. */
	if (lead->is_fresh && p->incarnation == 0 && p->term == mine->term &&
	    p->leader.id == mine->leader.id)
		return BEACON_OLD;
	/* Nobody follows a lone leader, and others follow that one. */
	if (lead->is_lone && p->term >= mine->term)
		return BEACON_NEW;
	/* Our leader leads on while a later election runs. */
	if (is_same_reign(p, mine) && lead->is_fresh)
		return BEACON_RENEWED;
	if (p->term < term)
		return has_crossed(lead, p) ? BEACON_CROSSED : BEACON_OLD;
	if (p->term == 0)
		return BEACON_OLD;
	if (p->term > mine->term || !lead->is_fresh)
		return BEACON_NEW;
	return rank_better(&p->leader, &mine->leader, prefer) ? BEACON_NEW
							      : BEACON_RIVAL;
}

void
lead_take(struct lead *lead, const struct beacon *p, struct peer *by,
    struct reason reason, nsec_t now, nsec_t stale_at)
{
	assert(p->leader.id != NODE_NONE);
	assert(p->term != 0);
	assert(stale_at >= now);
	if (p->hops == 0)
		lead->own_number = p->number;
	else if (!is_same_reign(p, &lead->beacon))
		lead->own_number = 0;
	if (!is_same_reign(p, &lead->beacon))
		lead->before = lead->beacon;
	lead->beacon = *p;
	lead->is_fresh = true;
	lead->by = by;
	lead->heard = now;
	lead->stale_at = stale_at;
	lead->since = now;
	lead->reason = reason;
	lead->found_nobody = false;
	lead->is_lone = false;
}

/* Takes a beacon of the leader itself that is older than one that a peer
 * quoted. A handover that the later one told of stands: the datagrams may have
 * overtaken each other. */
static void
lead_keep_handover(struct lead *lead, const struct beacon *p)
{
	const struct beacon quoted = lead->beacon;

	assert(p->hops == 0);
	lead->beacon = *p;
	lead->beacon.hands_over = quoted.hands_over;
	lead->beacon.successor = quoted.successor;
	lead->beacon.is_named = quoted.is_named;
	lead->beacon.is_leaving = quoted.is_leaving;
}

/* The peer from which a beacon came a second time is on a longer way. */
void
lead_renew(struct lead *lead, const struct beacon *p, struct peer *by,
    nsec_t now, nsec_t stale_at)
{
	assert(lead->is_fresh);
	assert(is_same_reign(p, &lead->beacon));
	assert(is_news(lead, p));
	if (p->number != lead->beacon.number)
		lead->by = by;
	if (p->hops == 0)
		lead->own_number = p->number;
	if (p->number < lead->beacon.number)
		lead_keep_handover(lead, p);
	else
		lead->beacon = *p;
	lead->heard = now;
	lead->stale_at = stale_at;
}

void
lead_renumber(struct lead *lead)
{
	assert(lead->is_fresh);
	assert(lead->beacon.hops == 0);
	lead->beacon.number++;
	lead->own_number = lead->beacon.number;
	if (lead->said < lead->own_number)
		lead->said = lead->own_number;
}

void
lead_begin_lone(struct lead *lead)
{
	assert(lead->is_fresh);
	assert(lead->beacon.hops == 0);
	lead->is_lone = true;
}

void
lead_end_lone(struct lead *lead)
{
	assert(lead->is_lone);
	lead->is_lone = false;
}

void
lead_set_rank(struct lead *lead, const struct rank *rank)
{
	assert(lead->is_fresh);
	assert(rank->id == lead->beacon.leader.id);
	lead->beacon.leader = *rank;
}

void
lead_hand_over(
    struct lead *lead, node_id successor, bool is_named, bool is_leaving)
{
	assert(lead->is_fresh);
	assert(successor != lead->beacon.leader.id);
	assert(!is_named || successor != NODE_NONE);
	lead->beacon.hands_over = true;
	lead->beacon.successor = successor;
	lead->beacon.is_named = is_named;
	lead->beacon.is_leaving = is_leaving;
}

void
lead_stay(struct lead *lead)
{
	assert(lead->is_fresh);
	lead->beacon.hands_over = false;
	lead->beacon.successor = NODE_NONE;
	lead->beacon.is_named = lead->beacon.is_leaving = false;
}

void
lead_expire(struct lead *lead, nsec_t now)
{
	assert(lead->is_fresh);
	lead->stale_at = now;
}

bool
lead_was_silent(const struct lead *lead)
{
	enum reason_kind kind = lead->reason.kind;

	return !lead->is_fresh &&
	       (kind == REASON_MISSED || kind == REASON_LEASE ||
		   kind == REASON_REFUSED);
}

bool
lead_was_told_over(const struct lead *lead)
{
	enum reason_kind kind = lead->reason.kind;

	return !lead->is_fresh && (kind == REASON_DIED || kind == REASON_BYE);
}

void
lead_excuse(struct lead *lead, nsec_t lag)
{
	lead->stale_at = nsec_after(lead->stale_at, lag);
}

void
lead_move(struct lead *lead, struct peer *by)
{
	lead->by = by;
}

void
lead_extend(struct lead *lead, nsec_t until)
{
	assert(lead->is_fresh);
	if (lead->stale_at < until)
		lead->stale_at = until;
}

void
lead_drop(struct lead *lead, struct reason reason, nsec_t now)
{
	assert(lead->is_fresh);
	lead->is_fresh = lead->is_lone = false;
	lead->since = now;
	lead->reason = reason;
}

void
lead_find_nobody(struct lead *lead)
{
	assert(!lead->is_fresh);
	lead->found_nobody = true;
}

node_id
lead_id(const struct lead *lead)
{
	return lead->is_fresh ? lead->beacon.leader.id : NODE_NONE;
}

void
lead_check(const struct lead *lead)
{
	const struct beacon *b = &lead->beacon;

	assert((b->term == 0) == (b->leader.id == NODE_NONE));
	assert(b->token <= b->term);
	assert(!lead->is_fresh || b->leader.id != NODE_NONE);
	assert(b->hands_over || b->successor == NODE_NONE);
	assert(b->hops > 0 || lead->own_number == b->number);
	assert(lead->own_number <= b->number);
	assert(lead->stale_at >= lead->heard);
	assert(!lead->is_fresh || !lead->found_nobody);
	assert(lead->is_fresh || !lead->is_lone);
}
