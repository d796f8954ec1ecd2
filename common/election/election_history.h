/* SPDX-License-Identifier: ISC */
/*
 * What one node did in its last elections: `electctl explain` shows it, and
 * counters are made of it. No decision depends on it.
 */
#ifndef ELECTD_COMMON_ELECTION_ELECTION_HISTORY_H
#define ELECTD_COMMON_ELECTION_ELECTION_HISTORY_H

#include "common/wire/message.h"

/* What a node remembers: a quarter of an hour of a leader that fails each
 * minute, and of each election more phases than most algorithms have. Later
 * phases are not kept. */
#define HISTORY_ELECTIONS_MAX 16
#define HISTORY_PHASES_MAX    16
#define PHASE_NAME_MAX        16 /* bytes of an algorithm's word, and its end */

struct past_phase {
	char name[PHASE_NAME_MAX]; /* the algorithm's word */
	nsec_t at;                 /* when the phase began */
};

/* One election as this node saw it. */
struct past_election {
	uint64_t term; /* 0: no election */
	struct reason reason;
	bool is_starter;    /* this node began it; else a message reached it */
	unsigned restarts;  /* restarts in a row before it, without a
			     * decision */
	unsigned links;     /* links of the view */
	nsec_t began;       /* when this node began it or joined */
	nsec_t decided;     /* 0: never, or a beacon came first */
	struct rank winner; /* if decided */
	uint32_t sent[MESSAGE_KINDS_MAX];             /* messages, by kind */
	uint32_t received[MESSAGE_KINDS_MAX];         /* messages, by kind */
	struct past_phase phases[HISTORY_PHASES_MAX]; /* in their order */
	unsigned phases_count;
};

/* The last elections; a new one takes the place of the oldest. */
struct election_history {
	struct past_election ring[HISTORY_ELECTIONS_MAX];
	unsigned count; /* number of all elections so far */
};

/*
 * Adds an election, a copy of *first, whose term is above all earlier ones.
 * Returns its entry, which stays valid until HISTORY_ELECTIONS_MAX more are
 * added.
 */
struct past_election *election_history_begin(
    struct election_history *history, const struct past_election *first);

/* The election of this term; the last one for term 0. NULL: none is kept. */
const struct past_election *election_history_find(
    const struct election_history *history, uint64_t term);

/*
 * Notes that the algorithm is in this phase at `now`; without effect if it is
 * the last one noted.
 */
void past_election_phase(
    struct past_election *past, const char *name, nsec_t now);

/* Asserts every invariant; called by tests. */
void election_history_check(const struct election_history *history);

#endif
