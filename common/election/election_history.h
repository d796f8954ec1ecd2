/* SPDX-License-Identifier: ISC */
/*
 * What one node did in its last elections, kept for who asks why (electctl
 * explain) and for counting; nothing depends on it.
 */
#ifndef ELECTD_COMMON_ELECTION_ELECTION_HISTORY_H
#define ELECTD_COMMON_ELECTION_ELECTION_HISTORY_H

#include "common/wire/message.h"

#define HISTORY_ELECTIONS_MAX 16 /* elections that are remembered */
#define HISTORY_PHASES_MAX    16 /* of one election; later ones are not kept */

struct past_phase {
	const char *name; /* the algorithm's word */
	nsec_t at;
};

/* One election as this node saw it. */
struct past_election {
	uint64_t term; /* 0: none */
	struct reason reason;
	bool is_starter;   /* it began by itself; else a message reached it */
	unsigned restarts; /* in a row before it, without a decision */
	unsigned links;    /* of its view */
	nsec_t began;
	nsec_t decided;     /* 0: not, or a beacon came first */
	struct rank winner; /* decided */
	uint32_t sent[MESSAGE_KINDS_MAX];
	uint32_t received[MESSAGE_KINDS_MAX];
	struct past_phase phases[HISTORY_PHASES_MAX];
	unsigned phases_count;
};

/* The last elections, oldest given up first. */
struct election_history {
	struct past_election ring[HISTORY_ELECTIONS_MAX];
	unsigned count; /* that there have been */
};

/* Begins the entry of a new election: *first, in place of the oldest. */
struct past_election *election_history_begin(
    struct election_history *history, const struct past_election *first);

/* The entry of a term; of the last election for term 0. NULL: none. */
const struct past_election *election_history_find(
    const struct election_history *history, uint64_t term);

/* Notes that the algorithm is in this phase now. */
void past_election_phase(
    struct past_election *past, const char *name, nsec_t now);

#endif
