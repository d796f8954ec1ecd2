/* SPDX-License-Identifier: ISC */
/*
 * What a node must not forget, and how well it remembers it. The host keeps
 * the record durable (PROTOCOL.md, Durability); this says what is in it.
 */
#ifndef ELECTD_COMMON_QUORUM_DURABLE_STATE_H
#define ELECTD_COMMON_QUORUM_DURABLE_STATE_H

#include "common/election/electorate.h"

/* One process of a node's: what a term is promised to. */
struct owner {
	node_id id;
	uint64_t incarnation;
};

/* A voter's word: no other owner in this term, nobody in an earlier one. */
struct promise {
	uint64_t term; /* 0: none was ever given */
	struct owner owner;
	bool is_early; /* another's lease ran when it was given, and the owner
	                * has been granted nothing yet */
};

struct durable_state {
	uint64_t incarnation;   /* of the process that runs, or ran last */
	uint64_t term;          /* the highest in which it knew a leader */
	struct promise promise; /* quorum */
	nsec_t lease;    /* for so long a promise may have been relied on */
	bool is_revoked; /* it proved to be an old copy: no word in it counts */
	struct electorate electorate; /* quorum: whom its promises concern */
};

/*
 * Whether a node may trust its durable state. A node whose state is not sound
 * neither votes nor is eligible.
 */
enum state_health {
	STATE_HEALTH_SOUND,
	STATE_HEALTH_LOST,    /* missing, damaged, or another node's */
	STATE_HEALTH_REVOKED, /* an old copy: peers know later incarnations */
	STATE_HEALTH_FAILED,  /* it could not be written */
	STATE_HEALTH_CHANGED, /* its promises concern other voters
	                       * (electorate.h) */
};

/* "sound", "lost" and so on: stable words of the control protocol. */
const char *state_health_name(enum state_health health);

#endif
