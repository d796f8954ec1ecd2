/* SPDX-License-Identifier: ISC */
/*
 * What one node did in its last elections, kept for who asks why (electctl
 * explain) and for counting; nothing depends on it.
 */
#ifndef ELECTD_COMMON_ELECTION_ACCOUNT_H
#define ELECTD_COMMON_ELECTION_ACCOUNT_H

#include "common/wire/message.h"

#define ACCOUNTS_MAX       16 /* elections that are remembered */
#define ACCOUNT_PHASES_MAX 16 /* of one election; later ones are not kept */

struct account_phase {
	const char *name; /* the algorithm's word */
	nsec_t at;
};

/* One election as this node saw it. */
struct account {
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
	struct account_phase phases[ACCOUNT_PHASES_MAX];
	unsigned phases_count;
};

/* The last elections, oldest given up first. */
struct accounts {
	struct account ring[ACCOUNTS_MAX];
	unsigned count; /* that there have been */
};

/* Begins the account of a new election: *first, in place of the oldest. */
struct account *accounts_begin(
    struct accounts *accounts, const struct account *first);

/* The account of a term; of the last election for term 0. NULL: none. */
const struct account *accounts_find(
    const struct accounts *accounts, uint64_t term);

/* Notes that the algorithm is in this phase now. */
void account_phase(struct account *account, const char *name, nsec_t now);

#endif
