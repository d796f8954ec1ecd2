/* SPDX-License-Identifier: ISC */
#include "common/quorum/lease.h"

#include "common/quorum/voter.h"

/* The length of a lease, in guards. The proof needs no guard: it is time for a
 * program that acts a little after its deadline. Any small part does. */
#define GUARD_PARTS 10

static void
grants_clear(struct lease *l, nsec_t now)
{
	l->requested_at = now;
	for (unsigned i = 0; i < l->grants_count; i++)
		l->grants[i].sent = 0;
}

void
lease_init(
    struct lease *l, nsec_t length, struct grant *grants, unsigned voters)
{
	*l = (struct lease){ .capped = NSEC_NEVER };
	lease_change(l, 0, length, grants, voters);
}

void
lease_change(struct lease *l, nsec_t now, nsec_t length, struct grant *grants,
    unsigned voters)
{
	assert(length > 0);
	assert(l->term == 0 || l->held != 0);
	l->length = length;
	l->guard = length / GUARD_PARTS;
	l->quorum = voters / 2 + 1;
	l->grants = grants;
	l->grants_count = voters;
	l->is_earlier = l->held != 0;
	for (unsigned i = 0; i < voters; i++)
		grants[i] = (struct grant){ .voter = i };
	/* A request of this instant may have been sent before the change. */
	grants_clear(l, nsec_after(now, 1));
}

void
lease_want(struct lease *l, nsec_t now, uint64_t term)
{
	assert(term > l->spent);
	assert(term > l->held);
	l->term = term;
	l->is_prevote = l->held == 0;
	grants_clear(l, now);
}

void
lease_request(struct lease *l, nsec_t now)
{
	assert(l->is_prevote);
	assert(l->term != 0);
	assert(l->held == 0);
	l->is_prevote = false;
	grants_clear(l, now);
}

/* The place of a voter's grant. */
static unsigned
grant_at(const struct lease *l, unsigned voter)
{
	unsigned at = 0;

	assert(voter < l->grants_count);
	while (l->grants[at].voter != voter) {
		at++;
		assert(at < l->grants_count);
	}
	return at;
}

/*
 * Notes that a voter granted the request sent then, and moves its grant forward
 * so that the latest stay first. False if the voter granted a later one before.
 */
static bool
grants_note(struct lease *l, unsigned voter, nsec_t sent, bool agrees)
{
	struct grant *s = l->grants;
	unsigned at = grant_at(l, voter);

	if (sent <= s[at].sent)
		return false;
	for (; at > 0 && s[at - 1].sent < sent; at--)
		s[at] = s[at - 1];
	s[at] = (struct grant){
		.voter = voter,
		.sent = sent,
		.agrees = agrees,
	};
	return true;
}

/* For how long a grant supports the lease, on any clock within the drift. */
static nsec_t
lease_worth(const struct lease *l)
{
	return l->length / DRIFT_FAST * DRIFT_SLOW;
}

/* True if the voter had our configuration when it gave the grant, which
 * supports the lease yet. */
static bool
grant_counts(const struct lease *l, nsec_t now, const struct grant *g)
{
	return g->sent != 0 && g->agrees &&
	       now < nsec_after(g->sent, lease_worth(l));
}

bool
lease_is_settled(const struct lease *l, nsec_t now, nsec_t since)
{
	unsigned count = 0;

	if (l->held == 0 || l->held != l->term || l->is_earlier)
		return false;
	/* The voters that granted the lead before keep that deadline. */
	if (l->handed > l->until && now < l->handed)
		return false;
	for (unsigned i = 0; i < l->grants_count; i++)
		count += l->grants[i].sent >= since &&
			 grant_counts(l, now, &l->grants[i]);
	return count >= l->quorum;
}

bool
lease_is_granted_by(const struct lease *l, nsec_t now, unsigned voter)
{
	return grant_counts(l, now, &l->grants[grant_at(l, voter)]);
}

enum lease_news
lease_grant(struct lease *l, nsec_t now, unsigned voter,
    const struct vote_response *vote, bool agrees)
{
	nsec_t base, end;

	assert(vote->denial == DENIAL_NONE);
	assert(voter < l->grants_count);
	if (l->term == 0 || vote->term != l->term ||
	    vote->is_prevote != l->is_prevote)
		return LEASE_SAME;
	if (vote->sent < l->requested_at || vote->sent > now)
		return LEASE_SAME;
	if (!grants_note(l, voter, vote->sent, agrees))
		return LEASE_SAME;
	base = l->grants[l->quorum - 1].sent;
	if (base == 0)
		return LEASE_SAME;
	if (l->is_prevote)
		return LEASE_PREVOTE_WON;
	end = nsec_after(base, lease_worth(l));
	/* The grants may come so late that the lease is already over. */
	if (l->held != l->term && now >= nsec_since(end, l->guard))
		return LEASE_SAME;
	assert(end >= l->end || l->is_earlier);
	if (end >= l->end) {
		l->end = end;
		l->is_earlier = false;
		if (l->until < nsec_since(end, l->guard))
			l->until = nsec_since(end, l->guard);
	}
	if (l->held == l->term)
		return LEASE_SAME;
	l->held = l->term;
	return LEASE_WON;
}

nsec_t
lease_until(const struct lease *l)
{
	if (l->held == 0)
		return 0;
	return nsec_earlier(l->until, l->capped);
}

nsec_t
lease_hand_out(struct lease *l, nsec_t now)
{
	nsec_t until = lease_until(l);

	if (l->is_final)
		until = nsec_earlier(until, l->handed);
	if (now >= until)
		return 0;
	if (until > l->handed)
		l->handed = until;
	return until;
}

/* When this node may cease to lead: no deadline lies ahead then. */
static nsec_t
lease_free_at(const struct lease *l, nsec_t now)
{
	return l->handed > now ? l->handed : now;
}

void
lease_take_back(struct lease *l, nsec_t now, nsec_t until)
{
	l->handed = nsec_earlier(l->handed, until);
	if (l->capped != NSEC_NEVER)
		l->capped = nsec_earlier(l->capped, lease_free_at(l, now));
}

nsec_t
lease_drop(struct lease *l, nsec_t now)
{
	if (l->term > l->spent)
		l->spent = l->term;
	l->term = 0;
	l->held = 0;
	l->end = l->until = 0;
	l->is_earlier = false;
	l->capped = NSEC_NEVER;
	l->is_final = false;
	l->inherited = l->handed;
	return lease_free_at(l, now);
}

void
lease_finish(struct lease *l)
{
	l->is_final = l->held != 0;
}

void
lease_yield(struct lease *l, nsec_t now)
{
	if (l->held == 0 || l->capped != NSEC_NEVER)
		return;
	l->capped = lease_free_at(l, now);
}

void
lease_resume(struct lease *l)
{
	l->is_final = false;
	l->capped = NSEC_NEVER;
}

void
lease_check(const struct lease *l)
{
	/* Two majorities share a voter. */
	assert(2 * l->quorum > l->grants_count);
	assert(l->guard < l->length);
	assert(l->held <= l->term);
	assert(l->spent < l->term || l->term == 0);
	assert(!l->is_prevote || l->held == 0);
	assert(!l->is_final || l->held != 0);
	assert((l->held == 0) == (l->end == 0));
	assert((l->held == 0) == (l->until == 0));
	assert(l->held == 0 || l->until < l->end);
	assert(!l->is_earlier || l->held != 0);
	assert(l->capped == NSEC_NEVER || l->held != 0);
	assert(l->held == 0 || l->handed <= lease_until(l) ||
	       l->handed <= l->inherited);
	for (unsigned i = 0; i < l->grants_count; i++) {
		const struct grant *g = &l->grants[i];

		assert(g->voter < l->grants_count);
		assert(g->sent == 0 || g->sent >= l->requested_at);
		assert(i == 0 || g[-1].sent >= g->sent);
	}
}
