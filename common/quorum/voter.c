/* SPDX-License-Identifier: ISC */
#include "common/quorum/voter.h"

static bool
owner_equal(struct owner a, struct owner b)
{
	return a.id == b.id && a.incarnation == b.incarnation;
}

void
voter_init(struct voter *v, const struct promise *promise, bool votes,
    nsec_t lease, const struct config_id *config_id, nsec_t quarantine_until)
{
	assert(lease > 0);
	promise_check(promise);
	*v = (struct voter){
		.votes = votes,
		.lease = lease,
		.config_id = *config_id,
		.promise = *promise,
		.is_kept = true,
		.quarantine_until = quarantine_until,
	};
}

void
voter_change(struct voter *v, nsec_t lease, const struct config_id *config_id)
{
	assert(lease > 0);
	if (lease > v->lease && v->promise.term != 0)
		v->is_kept = false;
	v->lease = lease;
	v->config_id = *config_id;
}

/* Rounds up, so that a nominee that asks again then is not too early. */
static uint32_t
wait_ms(nsec_t now, nsec_t until)
{
	nsec_t wait = (nsec_since(until, now) + MSEC - 1) / MSEC;

	return wait < WAIT_MS_MAX ? (uint32_t)wait : WAIT_MS_MAX;
}

/* True if our promise rules out this term for this nominee. */
static bool
is_promised(const struct voter *v, struct owner nominee, uint64_t term)
{
	if (term != v->promise.term)
		return term < v->promise.term;
	return v->is_released || !owner_equal(nominee, v->promise.owner);
}

/* Why a vote request is denied, and until when; DENIAL_NONE: it is not. */
static enum denial
voter_judge(const struct voter *v, nsec_t now, struct owner nominee,
    const struct vote_request *request, nsec_t *until)
{
	*until = now;
	if (!v->votes)
		return DENIAL_STATE_FILE;
	if (!config_id_follows(&request->config_id, &v->config_id) ||
	    request->lease > v->lease)
		return DENIAL_CONFIG;
	/* An early promise does not prove that its owner held the lease: it
	 * exempts nobody from the quarantine. */
	if (now < v->quarantine_until &&
	    (!owner_equal(nominee, v->promise.owner) || v->promise.is_early)) {
		*until = v->quarantine_until;
		return DENIAL_QUARANTINE;
	}
	if (is_promised(v, nominee, request->term))
		return DENIAL_PROMISED;
	if (v->holder.id != NODE_NONE && now < v->guard_until &&
	    !owner_equal(nominee, v->holder)) {
		*until = v->guard_until;
		return DENIAL_HELD;
	}
	return DENIAL_NONE;
}

static void
voter_promise(
    struct voter *v, struct owner nominee, uint64_t term, bool is_early)
{
	if (term == v->promise.term)
		return;
	assert(term > v->promise.term);
	v->promise = (struct promise){
		.term = term, .owner = nominee, .is_early = is_early
	};
	v->is_released = false;
	v->is_kept = false;
}

/* A longer lease that we granted the same owner before may run yet. */
static void
voter_grant(struct voter *v, nsec_t now, struct owner nominee, uint64_t term)
{
	nsec_t until = nsec_after(now, v->lease);

	if (!owner_equal(v->holder, nominee) || until > v->guard_until)
		v->guard_until = until;
	v->holder = nominee;
	v->holder_term = term;
}

enum request_outcome
voter_answer(struct voter *v, nsec_t now, struct owner nominee,
    const struct vote_request *request, struct vote_response *vote)
{
	nsec_t until;
	bool is_early;

	assert(nominee.id != NODE_NONE);
	assert(request->term != 0);
	*vote = (struct vote_response){
		.term = request->term,
		.sent = request->sent,
		.is_prevote = request->is_prevote,
		.denial = voter_judge(v, now, nominee, request, &until),
		.config_tag = config_tag(&v->config_id),
		.promised = v->promise.term,
		.wait_ms = wait_ms(now, until),
	};
	is_early = vote->denial == DENIAL_HELD && v->is_yielding;
	if (request->is_prevote && is_early)
		vote->denial = DENIAL_NONE;
	if (request->is_prevote)
		return REQUEST_ANSWERED;
	if (vote->denial == DENIAL_PROMISED && !v->is_kept)
		return REQUEST_PENDING;
	if (vote->denial != DENIAL_NONE && !is_early)
		return REQUEST_ANSWERED;
	voter_promise(v, nominee, request->term, is_early);
	vote->promised = v->promise.term;
	if (!v->is_kept)
		return REQUEST_PENDING;
	if (is_early)
		return REQUEST_ANSWERED;
	assert(v->promise.term == request->term);
	assert(owner_equal(v->promise.owner, nominee));
	assert(!v->is_released);
	v->promise.is_early = false;
	voter_grant(v, now, nominee, request->term);
	return REQUEST_ANSWERED;
}

void
voter_admit(struct voter *v, struct owner leader, uint64_t term)
{
	assert(leader.id != NODE_NONE);
	assert(term != 0);
	if (term > v->promise.term)
		voter_promise(v, leader, term, false);
	v->is_kept = false;
}

void
voter_kept(struct voter *v)
{
	v->is_kept = true;
}

bool
voter_release(struct voter *v, struct owner owner, uint64_t term)
{
	assert(owner.id != NODE_NONE);
	if (owner_equal(owner, v->promise.owner) && v->promise.term <= term)
		v->is_released = true;
	if (!owner_equal(owner, v->holder) || v->holder_term > term)
		return false;
	v->holder = (struct owner){ .id = NODE_NONE };
	return true;
}

void
voter_check(const struct voter *v)
{
	assert(v->lease > 0);
	promise_check(&v->promise);
	assert(v->is_kept || v->promise.term != 0);
	assert(!v->is_released || v->promise.term != 0);
	if (v->holder.id == NODE_NONE)
		return;
	assert(v->holder_term != 0);
	assert(v->holder_term <= v->promise.term);
	assert(v->guard_until > 0);
	if (v->holder_term != v->promise.term)
		return;
	assert(owner_equal(v->holder, v->promise.owner));
	assert(!v->promise.is_early);
}
