/* SPDX-License-Identifier: ISC */
#include "common/quorum/lease.h"

#include "common/quorum/voter.h"

#define GUARD_PARTS 10 /* of a lease, that we stop before its end */

void
lease_init(
    struct lease *l, nsec_t length, struct grant *grants, unsigned voters)
{
	assert(length > 0);
	*l = (struct lease){
		.length = length,
		.guard = length / GUARD_PARTS,
		.quorum = voters / 2 + 1,
		.grants = grants,
		.grants_count = voters,
		.capped = NSEC_NEVER,
	};
	for (unsigned i = 0; i < voters; i++)
		grants[i] = (struct grant){ .voter = i };
}

static void
grants_clear(struct lease *l, nsec_t now)
{
	l->requested_at = now;
	for (unsigned i = 0; i < l->grants_count; i++)
		l->grants[i].sent = 0;
}

void
lease_want(struct lease *l, nsec_t now, uint64_t term)
{
	assert(term > l->spent && term > l->held);
	l->term = term;
	l->is_prevote = l->held == 0;
	grants_clear(l, now);
}

void
lease_request(struct lease *l, nsec_t now)
{
	assert(l->is_prevote);
	l->is_prevote = false;
	grants_clear(l, now);
}

/* Takes a later claim of this voter's into past: it moves to the front as
 * far as it must. False: it is none. */
static bool
grants_note(struct lease *l, unsigned voter, nsec_t sent)
{
	struct grant *s = l->grants;
	unsigned at = 0;

	while (at < l->grants_count && s[at].voter != voter)
		at++;
	assert(at < l->grants_count);
	if (sent <= s[at].sent)
		return false;
	for (; at > 0 && s[at - 1].sent < sent; at--)
		s[at] = s[at - 1];
	s[at] = (struct grant){ .voter = voter, .sent = sent };
	return true;
}

/* What a voter's grant is worth, by whatever clock within the drift. */
static nsec_t
lease_worth(const struct lease *l)
{
	return l->length / DRIFT_FAST * DRIFT_SLOW;
}

enum lease_news
lease_grant(struct lease *l, nsec_t now, unsigned voter,
    const struct vote_response *vote)
{
	nsec_t base, end;

	assert(vote->denial == DENIAL_NONE);
	if (l->term == 0 || vote->term != l->term ||
	    vote->is_prevote != l->is_prevote)
		return LEASE_SAME;
	if (vote->sent < l->requested_at || vote->sent > now)
		return LEASE_SAME;
	if (!grants_note(l, voter, vote->sent))
		return LEASE_SAME;
	base = l->grants[l->quorum - 1].sent;
	if (base == 0)
		return LEASE_SAME;
	if (l->is_prevote)
		return LEASE_PREVOTE_WON;
	end = nsec_after(base, lease_worth(l));
	/* Grants may come so late that their time is over. */
	if (l->held != l->term && now >= nsec_since(end, l->guard))
		return LEASE_SAME;
	l->end = end;
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
	return nsec_earlier(nsec_since(l->end, l->guard), l->capped);
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

nsec_t
lease_drop(struct lease *l, nsec_t now)
{
	if (l->term > l->spent)
		l->spent = l->term;
	l->term = 0;
	l->held = 0;
	l->end = 0;
	l->capped = NSEC_NEVER;
	l->is_final = false;
	return l->handed > now ? l->handed : now;
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
	l->capped = l->handed > now ? l->handed : now;
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
	assert(l->held <= l->term);
	assert(l->spent < l->term || l->term == 0);
	assert(l->held != 0 || l->end == 0);
	for (unsigned i = 1; i < l->grants_count; i++)
		assert(l->grants[i - 1].sent >= l->grants[i].sent);
}
