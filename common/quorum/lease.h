/* SPDX-License-Identifier: ISC */
/*
 * The claimant's half of the guarantee "quorum" (PROTOCOL.md, Claimant): it
 * collects grants of a term and knows until when they make it the leader. It
 * counts from when claims were sent, never from when grants came in; the lease
 * ends where the Q-th latest support does, Q being a majority of the voters.
 *
 * A claimant asks first (dry), then claims. A holder may claim a later term
 * while it holds an earlier one, and need not ask.
 */
#ifndef ELECTD_COMMON_QUORUM_LEASE_H
#define ELECTD_COMMON_QUORUM_LEASE_H

#include "common/wire/vote.h"

/* The latest claim of the term that a voter granted. */
struct grant {
	unsigned voter; /* whose: as the caller numbers them */
	nsec_t sent;    /* 0: none */
};

struct lease {
	nsec_t length;         /* what a grant binds a voter for */
	nsec_t guard;          /* we stop so long before the end */
	unsigned quorum;       /* grants that make a leader */
	struct grant *grants;  /* the latest first */
	unsigned grants_count; /* all voters */

	uint64_t term;       /* claimed; 0: none */
	bool is_prevote;     /* it is only asked for as yet */
	nsec_t requested_at; /* since when; earlier claims are not this one */
	uint64_t held;       /* the term that is ours; 0: none */
	nsec_t end;          /* of the lease: others may lead from then on */
	nsec_t capped;       /* it is given up then at the latest */
	uint64_t spent;      /* terms up to this one are given up for ever */
	nsec_t handed;       /* the latest deadline a client was given */
	bool is_final;       /* none is given that lies behind that one */
};

enum lease_news {
	LEASE_SAME,
	LEASE_PREVOTE_WON, /* a majority would grant the term: claim it */
	LEASE_WON,         /* the term is ours */
};

void lease_init(
    struct lease *l, nsec_t length, struct grant *grants, unsigned voters);

/* Wants a term, above every one it held or gave up; asks first, unless it
 * holds one: then it has the majority that asking is for. */
void lease_want(struct lease *l, nsec_t now, uint64_t term);

/* After LEASE_PREVOTE_WON: the same in earnest. */
void lease_request(struct lease *l, nsec_t now);

/* A voter has granted. Votes on other claims than the present are ignored. */
enum lease_news lease_grant(struct lease *l, nsec_t now, unsigned voter,
    const struct vote_response *vote);

/* Until when this node may say that it leads; 0: it may not. */
nsec_t lease_until(const struct lease *l);

/* The same, to be told to a client, who may rely on it: 0 if it may not. */
nsec_t lease_hand_out(struct lease *l, nsec_t now);

/*
 * Gives everything up, at once: the terms are spent. Gives when this may be
 * told: no deadline that was handed out lies ahead then.
 */
nsec_t lease_drop(struct lease *l, nsec_t now);

/* Hands out no later deadlines from now on. */
void lease_finish(struct lease *l);

/* Gives up as soon as no deadline lies ahead; hands out no later ones. */
void lease_yield(struct lease *l, nsec_t now);

/* Neither of them any more: it leads on. */
void lease_resume(struct lease *l);

void lease_check(const struct lease *l);

#endif
