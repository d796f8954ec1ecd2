/* SPDX-License-Identifier: ISC */
/*
 * The voter's half of the guarantee "quorum" (PROTOCOL.md, Voter): it promises
 * terms in rising order, each to one owner, and grants nobody else while a
 * lease that it supports may run. Never trusts who claims; ignorant of
 * elections and links.
 *
 * A promise must be durable before its grant leaves: voter_answer() says when
 * the record is to be written, voter_kept() that it was. When a holder makes
 * room, its successor is promised its term before, so that the disk is done
 * when the holder gives up, which hears of it when it is; granted it is not
 * before that.
 */
#ifndef ELECTD_COMMON_QUORUM_VOTER_H
#define ELECTD_COMMON_QUORUM_VOTER_H

#include "common/quorum/durable_state.h"
#include "common/wire/vote.h"

/* Clocks may differ from real time by a tenth either way (PROTOCOL.md,
 * Assumptions): a claimant's lease is shorter by this than what voters wait. */
#define DRIFT_SLOW 9
#define DRIFT_FAST 11

struct voter {
	bool votes;   /* its record can be trusted */
	nsec_t lease; /* how long a grant binds it */
	struct promise promise;
	bool is_kept;         /* the promise is durable */
	bool is_released;     /* its owner has given it up: nobody's any more */
	struct owner holder;  /* id NODE_NONE: none */
	uint64_t holder_term; /* the latest that it was granted */
	bool is_yielding;     /* the holder hands over, as it says itself */
	nsec_t guard_until;   /* the holder's lease may run until then */
	nsec_t quarantine_until; /* whom it granted in its last life may lead
	                          * until then */
};

/* What became of a claim. */
enum request_outcome {
	REQUEST_ANSWERED, /* *vote is to be sent */
	REQUEST_PENDING,  /* once the promise is durable: claim again. It is
	                 * granted then, or denied by another's. A dry claim
	                 * is always answered */
};

/* A voter that has just started with this promise, durable. */
void voter_init(struct voter *v, const struct promise *promise, bool votes,
    nsec_t lease, nsec_t quarantine_until);

/*
 * A claim by `claimant`, of a term that the caller would follow: whoever
 * promised one beyond could never be asked for it. If the promise changed by
 * it, is_kept is false and the record is to be written.
 */
enum request_outcome voter_answer(struct voter *v, nsec_t now,
    struct owner nominee, const struct vote_request *request,
    struct vote_response *vote);

/* The promise, as it is now, is durable. */
void voter_kept(struct voter *v);

/* A process has given up all its terms up to this one. True: its lease was in
 * the way of others until now. */
bool voter_release(struct voter *v, struct owner owner, uint64_t term);

void voter_check(const struct voter *v);

#endif
