/* SPDX-License-Identifier: ISC */
/*
 * The voter's half of the guarantee "quorum" (PROTOCOL.md, Voter): it promises
 * terms in rising order, each to one owner, and grants nobody else while a
 * lease that it supports may run. It trusts no nominee, and knows nothing of
 * elections and links.
 *
 * A promise must be durable before its grant leaves: voter_answer() says when
 * the durable state must be written, and the caller says by voter_kept() that
 * it was. While a holder hands over, the voter promises the successor its term
 * early (PROTOCOL.md, Early promises), so that the disk is done when the holder
 * gives up. It grants the term only after that.
 *
 * All times are the voter's clock; the caller passes `now`, which never goes
 * back.
 */
#ifndef ELECTD_COMMON_QUORUM_VOTER_H
#define ELECTD_COMMON_QUORUM_VOTER_H

#include "common/quorum/durable_state.h"
#include "common/wire/vote.h"

/*
 * A clock may be off by a tenth either way (PROTOCOL.md, Assumptions). A
 * nominee counts DRIFT_SLOW / DRIFT_FAST of what the voters wait.
 */
#define DRIFT_SLOW 9
#define DRIFT_FAST 11

struct voter {
	bool votes; /* the durable state is sound */
	FILLER(7);
	nsec_t lease;               /* how long a grant binds this voter; > 0 */
	struct config_id config_id; /* the configuration by which the voter
				  * votes */
	struct promise promise;     /* the latest */
	bool is_kept;               /* the promise is durable */
	bool is_released; /* the promise's owner has given the term up */
	FILLER(6);
	struct owner holder;  /* granted last; id NODE_NONE: none */
	uint64_t holder_term; /* the latest that the holder was granted */
	bool is_yielding;     /* the holder hands over, by its beacon; set by
				  * the caller */
	FILLER(7);
	nsec_t guard_until;      /* the holder's lease may run until then */
	nsec_t quarantine_until; /* an owner that was granted before our start
	                          * may lead until then */
};

/* The outcome for a vote request. */
enum request_outcome {
	REQUEST_ANSWERED, /* the caller sends *vote */
	REQUEST_PENDING,  /* the caller asks again once the promise is durable;
	                   * never the outcome of a pre-vote */
};

/*
 * Makes a voter that has just started with this promise, which is durable.
 * `votes`, `lease` and `config_id` as in the struct; `quarantine_until` on this
 * clock.
 */
void voter_init(struct voter *v, const struct promise *promise, bool votes,
    nsec_t lease, const struct config_id *config_id, nsec_t quarantine_until);

/*
 * Another configuration is in effect, with this lease. If that is longer, the
 * voter grants nothing before voter_kept(): a restart must know it.
 */
void voter_change(
    struct voter *v, nsec_t lease, const struct config_id *config_id);

/*
 * Answers a vote request of `nominee`, any request that can be decoded. The
 * caller passes only terms that it would follow itself: a voter that promised
 * one beyond could never be asked for it. The promise has changed if is_kept is
 * false afterwards and was not before, or the promise's term has risen; the
 * caller then writes the durable state.
 */
enum request_outcome voter_answer(struct voter *v, nsec_t now,
    struct owner nominee, const struct vote_request *request,
    struct vote_response *vote);

/*
 * Whatever this voter has forgotten, it may vote again once its state, with
 * this promise, is durable: `leader` leads in the term without it (PROTOCOL.md,
 * Admission). A promise of the same term or a later one stands.
 */
void voter_admit(struct voter *v, struct owner leader, uint64_t term);

/* The promise, as it is now, is durable. */
void voter_kept(struct voter *v);

/*
 * `owner` has given up all its terms up to this one. True if its lease bound
 * this voter until now: requests that were HELD may be granted.
 */
bool voter_release(struct voter *v, struct owner owner, uint64_t term);

/* Asserts every invariant; called after each step by tests. */
void voter_check(const struct voter *v);

#endif
