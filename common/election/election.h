/* SPDX-License-Identifier: ISC */
/*
 * The elections of one node, one after another: terms, views, restarts and the
 * bound (PROTOCOL.md, Elections). It runs one instance of the algorithm at a
 * time, and translates between the links of its view and the links of now. It
 * does not know who leads in the end, nor for how long.
 *
 * After each call the caller takes the messages with election_take(), then the
 * decision with election_decision(), until there are none.
 */
#ifndef ELECTD_COMMON_ELECTION_ELECTION_H
#define ELECTD_COMMON_ELECTION_ELECTION_H

#include "common/election/algorithm.h"
#include "common/election/election_history.h"
#include "common/util/random.h"

/* A link as it is now; the caller keeps it up to date. */
struct link {
	struct rank rank; /* latest known rank of the peer at the other end */
	uint32_t session; /* that is up on it; 0: the link is down. No two
	                   * sessions of a node have the same number */
};

struct election_setup {
	const struct algorithm *algorithm;
	struct choices choices;
	enum prefer prefer;
	unsigned links_count;
	const struct link *links; /* borrowed for the life of the election */
	bool is_nominating; /* quorum: a decision only nominates; the election
	                     * stays open until the caller settles it */
	bool is_ring;       /* the links are RING_RIGHT and RING_LEFT */
	FILLER(6);
	nsec_t settle;     /* the time for which changes of links are gathered;
			    * > 0 */
	nsec_t bound;      /* how long an election may take at first; > 0 */
	nsec_t exchange;   /* how long a message and its answer take; > 0 */
	uint64_t term_min; /* all terms are above this one */
	uint64_t floor;    /* those of elections that we begin are above this
	                    * one, too */
	uint64_t credible; /* as credible as if it had been seen */
	uint64_t seed;     /* any */
};

struct election {
	struct election_setup setup;
	struct random random;
	uint64_t term;        /* the highest seen */
	uint64_t run_term;    /* term of the instance; 0: there was none yet */
	struct reason reason; /* why the latest election began */
	bool is_broken;       /* a link of the instance changed, perhaps for a
	                       * moment only, and lost one of its messages */
	bool is_open;         /* the instance has not decided, and the caller
			       * has not settled the election */
	unsigned restarts;    /* restarts in a row without a decision */
	nsec_t bound_at;      /* when it restarts; NSEC_NEVER: not open */
	nsec_t restart_at;    /* when it restarts if its links have changed;
	                       * NSEC_NEVER: they have not */
	nsec_t timer_at;      /* timer of the instance; NSEC_NEVER: not armed */
	struct election_history history;
	struct past_election *past; /* history of the instance; NULL: there was
				     * none */

	struct view view;             /* view of the instance */
	struct view_link *view_links; /* the links of the view */
	unsigned *link_at;            /* the link of each link of the view */
	uint32_t *sessions;           /* the session of each link of the view,
				       * at the start */
	unsigned *view_of;            /* the view's link of each link; UINT_MAX:
				       * none */
	void *state;                  /* state of the instance */
	struct outbox outbox;         /* outbox of the instance's last step */
	size_t taken;                 /* messages taken from the outbox */
};

/* The outcome for a message. */
enum election_receipt {
	RECEIPT_TAKEN,   /* the instance took it */
	RECEIPT_OLD,     /* dropped: the term of the message is over */
	RECEIPT_OUTSIDE, /* its link or session is not in the view: dropped,
	                  * and the election restarts */
	RECEIPT_ABSURD,  /* its term is not credible, or it has travelled
	                  * farther than a ring is long: dropped */
};

/* Bytes that elections need with `links_count` links under this algorithm. */
size_t election_size(const struct algorithm *algorithm, unsigned links_count);

/*
 * Makes elections in `memory`, election_size() bytes aligned for any type,
 * which stays the caller's.
 */
void election_init(
    struct election *e, void *memory, const struct election_setup *setup);

/* True if no term is left to begin an election in. */
bool election_is_spent(const struct election *e);

/*
 * Begins a new election above every term seen, as a starter. The terms are not
 * spent. `self` is this node's rank, here and below.
 */
void election_start(struct election *e, nsec_t now, const struct rank *self,
    struct reason reason);

/*
 * Takes a message of the algorithm that came by a link, or by UINT_MAX if by
 * none of ours. One of a higher term makes this node join its election:
 * run_term then rises.
 */
enum election_receipt election_receive(struct election *e, nsec_t now,
    const struct rank *self, unsigned link, const struct message *m);

/* Takes the next message to send, and on which link; false if there is none. */
bool election_take(struct election *e, unsigned *link, struct message *m);

/*
 * Takes the decision of the last step; false if it made none. It settles the
 * election, unless the election only nominates.
 */
bool election_decision(struct election *e, struct rank *winner);

/*
 * Notes a term that was seen elsewhere, so that a later election goes above it.
 * False if it is not credible: then our term rises by one step at most.
 */
bool election_saw(struct election *e, uint64_t term);

/* True if a term is credible (PROTOCOL.md, Terms). */
bool election_credits(const struct election *e, uint64_t term);

/*
 * Settles the election: a winner was learned elsewhere. Nothing restarts the
 * instance any more; it goes on serving others.
 */
void election_settle(struct election *e);

/*
 * Puts off by `settle` what is due now: this node is not part of its ring at
 * present, so an open election can neither end nor restart.
 */
void election_wait(struct election *e, nsec_t now);

/*
 * Says that a link has come or gone: an open instance whose view differs from
 * the links restarts after `settle`.
 */
void election_links_changed(struct election *e, nsec_t now);

/*
 * Says that the rank at the end of this link may have changed: an open instance
 * that has not decided, and whose view has another rank, restarts after
 * `settle`.
 */
void election_rank_changed(struct election *e, nsec_t now, unsigned link);

/*
 * Says that the link to this node has gone. An undecided instance that is about
 * the death of this node, and began before we knew of it, restarts at once: it
 * would wait for the dead node. Any other waits `settle`, so that many deaths
 * make few elections.
 */
void election_node_lost(struct election *e, nsec_t now, node_id id);

/* True if the instance is to begin again: election_tick() would do that. */
bool election_is_overdue(const struct election *e, nsec_t now);

/*
 * Restarts the instance if that is due (run_term then rises), or gives it its
 * timer. True if it did either.
 */
bool election_tick(struct election *e, nsec_t now, const struct rank *self);

/* When election_tick() has something to do; NSEC_NEVER: never. */
nsec_t election_deadline(const struct election *e);

/* Asserts every invariant; called after each step by tests. */
void election_check(const struct election *e);

#endif
