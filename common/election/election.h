/* SPDX-License-Identifier: ISC */
/*
 * Elections of one node, one after another: terms, views, restarts and the
 * bound (PROTOCOL.md, Elections). Runs one instance of the algorithm at a time
 * and translates between the links of its view and those of now. Who leads in
 * the end, and for how long, is leadership's (lead.h), not this file's.
 *
 * After each call the caller takes the messages with election_take(), then
 * the decision with election_decision(), until there are none.
 */
#ifndef ELECTD_COMMON_ELECTION_ELECTION_H
#define ELECTD_COMMON_ELECTION_ELECTION_H

#include "common/election/algorithm.h"
#include "common/election/election_history.h"
#include "common/util/random.h"

/* A link as it is now; kept up to date by the caller. */
struct link {
	struct rank rank; /* of the peer at its other end, as last told */
	uint32_t session; /* which session is up on it; 0: the link is down.
	                   * No two sessions of a node have the same */
};

struct election_setup {
	const struct algorithm *algorithm;
	struct choices choices;
	enum prefer prefer;
	const struct link *links; /* borrowed for good */
	unsigned links_count;
	bool is_nominating; /* a decision is not the end: open until settled */
	bool is_ring;       /* the links are RING_RIGHT and RING_LEFT */
	nsec_t settle;      /* how long changes of links are gathered */
	nsec_t bound;       /* how long an election may take at first */
	nsec_t exchange;    /* how long a message and its answer may take */
	uint64_t term_min;  /* terms are above this one ... */
	uint64_t term_max;  /* ... and not above that one */
	uint64_t seed;
};

struct election {
	struct election_setup setup;
	struct random random;
	uint64_t term;        /* the highest seen */
	uint64_t run_term;    /* of the instance; 0: none yet */
	struct reason reason; /* of the instance */
	bool is_broken; /* a message of it was lost, as a link was another's */
	bool is_open;   /* undecided, and nobody else's winner taken */
	unsigned restarts; /* in a row, without a decision */
	nsec_t bound_at;   /* open: when it begins again */
	nsec_t restart_at; /* open: links have changed; NSEC_NEVER if not */
	nsec_t timer_at;   /* of the instance; NSEC_NEVER: not armed */
	struct election_history history;
	struct past_election *past; /* of the instance; NULL: none yet */

	struct view view;
	struct view_link *view_links; /* of the view */
	unsigned *link_at;            /* which link of ours a view's link is */
	uint32_t *sessions;           /* by view's link, when it began */
	unsigned *view_of;            /* and back; UINT_MAX: outside the view */
	void *state;                  /* of the instance */
	struct outbox outbox;
	size_t taken; /* messages of the outbox */
};

/* Bytes of memory for so many links under this algorithm. */
size_t election_size(const struct algorithm *algorithm, unsigned links_count);

/* `memory` is election_size() bytes, aligned for any type. */
void election_init(
    struct election *e, void *memory, const struct election_setup *setup);

/* True if no term is left to begin an election in. */
bool election_is_spent(const struct election *e);

/* Begins a new election above every term seen, as a starter; not if the terms
 * are spent. */
void election_start(struct election *e, nsec_t now, const struct rank *self,
    struct reason reason);

enum election_receipt {
	RECEIPT_TAKEN,   /* the instance has it */
	RECEIPT_OLD,     /* of an older term: dropped */
	RECEIPT_OUTSIDE, /* from outside the view: dropped, and noted */
	RECEIPT_ABSURD,  /* its term is impossibly far ahead, or it has come
	                  * farther than a ring is long: dropped */
};

/* A message of the algorithm has come by a link, or, UINT_MAX, by none of
 * ours. One of a new election makes this node join it: run_term then rises. */
enum election_receipt election_receive(struct election *e, nsec_t now,
    const struct rank *self, unsigned link, const struct message *m);

/* The next message to send: on which link, and what. False if none. */
bool election_take(struct election *e, unsigned *link, struct message *m);

/* The winner, if an instance has just decided. Its election is settled by
 * that, unless it only nominates. */
bool election_decision(struct election *e, struct rank *winner);

/*
 * A term was seen elsewhere: a later election goes above it. False if it is
 * impossibly far ahead: ignored, but for a step towards it.
 */
bool election_saw(struct election *e, uint64_t term);

/* Would it be believed? */
bool election_credits(const struct election *e, uint64_t term);

/* A winner was learned elsewhere: nothing is open any more. The instance goes
 * on serving others. */
void election_settle(struct election *e);

/*
 * An open election can neither end nor begin again at present, as this node
 * is no part of its ring: what is due now is put off by `settle`.
 */
void election_wait(struct election *e, nsec_t now);

/* A link has come or gone: an open instance that has other links begins again
 * after `settle`. */
void election_links_changed(struct election *e, nsec_t now);

/* The rank at the end of this link may be another: an open instance that knows
 * it otherwise, and has not decided, begins again after `settle`. */
void election_rank_changed(struct election *e, nsec_t now, unsigned link);

/*
 * The link to this node has gone. An instance that is about its death, and came
 * before we knew, begins again at once: undecided, it waits for the dead. For
 * others it waits `settle`, so that many who die together make few elections.
 */
void election_node_lost(struct election *e, nsec_t now, node_id id);

/*
 * Begins again what is due for it (run_term then rises), or gives the instance
 * its timer. True if it did either.
 */
bool election_tick(struct election *e, nsec_t now, const struct rank *self);

nsec_t election_deadline(const struct election *e);

void election_check(const struct election *e);

#endif
