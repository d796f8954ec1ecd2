/* SPDX-License-Identifier: ISC */
/*
 * The nominee's half of the guarantee "quorum" (PROTOCOL.md, Nominee): it
 * collects the grants of a term and knows until when they make it the leader.
 * It counts the lease from when it sent the requests, never from when the
 * grants came in. The lease ends where the Q-th latest grant does, Q being a
 * majority of the voters.
 *
 * A nominee first sends pre-votes, then binding requests. A leader may request
 * votes for a later term while it holds an earlier one, and needs no pre-vote.
 *
 * All times are the nominee's clock; the caller passes `now`, which never goes
 * back.
 */
#ifndef ELECTD_COMMON_QUORUM_LEASE_H
#define ELECTD_COMMON_QUORUM_LEASE_H

#include "common/wire/vote.h"

/* The latest request of the present term that a voter granted. */
struct grant {
	unsigned voter; /* the caller's number of it, 0 to grants_count - 1 */
	FILLER(4);
	nsec_t sent; /* when we sent that request; 0: no grant */
	bool agrees; /* the voter had our configuration when it granted */
	FILLER(7);
};

struct lease {
	nsec_t length;         /* the time for which a grant binds a voter */
	nsec_t guard;          /* how long before the end we cease to lead */
	unsigned quorum;       /* how many grants make a leader */
	struct grant *grants;  /* one a voter, the latest first; the caller's */
	unsigned grants_count; /* all voters */

	uint64_t term;       /* the term that we request; 0: none */
	bool is_prevote;     /* we have requested only pre-votes so far */
	nsec_t requested_at; /* grants of earlier requests do not count */
	uint64_t held;       /* the term in which we lead; 0: none */
	nsec_t end;          /* end of the lease; others may lead from then
			      * on */
	nsec_t until;        /* we cease to lead then; before `end` */
	bool is_earlier;     /* `end` rests on grants before the last change of
	                      * the voters or the length */
	nsec_t capped;       /* we cease to lead then at the latest */
	uint64_t spent;      /* terms up to this one are given up for ever */
	nsec_t handed;       /* the latest deadline that a client relies on */
	nsec_t inherited;    /* `handed` as it was when the lead was last lost;
	                      * clients may rely on that deadline yet */
	bool is_final;       /* no client gets a deadline later than that */
};

/* What a grant led to. */
enum lease_news {
	LEASE_SAME,        /* nothing that concerns the caller */
	LEASE_PREVOTE_WON, /* a majority would grant: lease_request() is next */
	LEASE_WON,         /* this node holds the term now */
};

/*
 * Makes a lease of `length` (> 0) for `voters` voters; without voters no node
 * ever leads. `grants` has an element for each voter and is borrowed for the
 * life of the lease.
 */
void lease_init(
    struct lease *l, nsec_t length, struct grant *grants, unsigned voters);

/*
 * Begins to request a term, above every one that it held or gave up: with
 * pre-votes, unless it holds a term and so has the majority already.
 */
void lease_want(struct lease *l, nsec_t now, uint64_t term);

/*
 * Other voters, or another length. The lease that is held goes on to its end;
 * only grants of requests that are sent later extend it, not in this instant.
 * `grants` is as for lease_init(). No term is requested that is not held.
 */
void lease_change(struct lease *l, nsec_t now, nsec_t length,
    struct grant *grants, unsigned voters);

/*
 * True if this node leads by grants since the last change alone, and a majority
 * of the voters supports the lease yet by grants of requests sent since then
 * and not before `since`, and had our configuration as they gave them; and if
 * no deadline of an earlier lead of ours lies ahead of the lease (PROTOCOL.md,
 * Changes of voters, Admission).
 */
bool lease_is_settled(const struct lease *l, nsec_t now, nsec_t since);

/* True if a grant of this voter since the last change, which had our
 * configuration then, supports the lease yet. */
bool lease_is_granted_by(const struct lease *l, nsec_t now, unsigned voter);

/* After LEASE_PREVOTE_WON: goes on with binding requests of the same term. */
void lease_request(struct lease *l, nsec_t now);

/*
 * Takes a grant of this voter, which had our configuration if it `agrees`. It
 * counts only if it answers a request of the present term, sent since
 * requested_at and later than the voter's last one.
 */
enum lease_news lease_grant(struct lease *l, nsec_t now, unsigned voter,
    const struct vote_response *vote, bool agrees);

/* The time until which this node leads; 0: it does not lead. */
nsec_t lease_until(const struct lease *l);

/*
 * The same, as a deadline for a client to rely on; remembers the latest, which
 * may be of an earlier lead and a longer lease. 0: there is none to give.
 */
nsec_t lease_hand_out(struct lease *l, nsec_t now);

/*
 * All clients have released their deadlines later than `until`, 0 or more. So a
 * lease that is yielded may end sooner.
 */
void lease_take_back(struct lease *l, nsec_t now, nsec_t until);

/*
 * Gives up the lease and the request at once: their terms are spent. Returns
 * the time from which others may learn of it, `now` or later: no deadline of a
 * client lies ahead then.
 */
nsec_t lease_drop(struct lease *l, nsec_t now);

/* Hands out no later deadlines from now on; no effect if no term is held. */
void lease_finish(struct lease *l);

/*
 * Ceases to lead as soon as no deadline lies ahead, and hands out no later
 * ones. A second call changes nothing.
 */
void lease_yield(struct lease *l, nsec_t now);

/* Takes lease_finish() and lease_yield() back: the leader leads on. */
void lease_resume(struct lease *l);

/* Asserts every invariant; called after each step by tests. */
void lease_check(const struct lease *l);

#endif
