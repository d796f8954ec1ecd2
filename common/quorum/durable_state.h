/* SPDX-License-Identifier: ISC */
/*
 * What a node must not forget, and how far it may trust what it remembers. This
 * file says what is in the durable state; the host keeps it durable
 * (PROTOCOL.md, Durability).
 */
#ifndef ELECTD_COMMON_QUORUM_DURABLE_STATE_H
#define ELECTD_COMMON_QUORUM_DURABLE_STATE_H

#include "common/wire/edition.h"

/* One process of a node. A voter promises and grants terms to owners. */
struct owner {
	node_id id; /* NODE_NONE: nobody */
	uint64_t incarnation;
};

/*
 * A voter's word: it promises this term to nobody else, and a lower one to
 * nobody.
 */
struct promise {
	uint64_t term;      /* 0: the voter has promised nothing yet */
	struct owner owner; /* id NODE_NONE if and only if term is 0 */
	bool is_early;      /* given while the lease of another ran; the owner
	                     * has had no grant since */
};

struct durable_state {
	uint64_t incarnation;   /* of the process that runs, or ran last */
	uint64_t term;          /* the highest in which it knew a leader */
	struct promise promise; /* quorum */
	nsec_t lease;           /* quorum: the longest that a grant given
	                         * before the last start may bind the voter */
	bool is_revoked; /* it was an old copy: no promise in it counts */
	struct edition edition; /* quorum: the latest that was in effect */
};

/*
 * How far a node may trust its durable state. A node whose state is not sound
 * neither votes nor is eligible.
 */
enum state_health {
	STATE_HEALTH_SOUND,
	STATE_HEALTH_LOST,    /* missing, damaged, or another node's */
	STATE_HEALTH_REVOKED, /* an old copy: peers know later incarnations */
	STATE_HEALTH_FAILED,  /* it could not be written */
	STATE_HEALTH_CHANGED, /* the edition in effect is earlier than one that
	                       * was: that one's document is lost */
};

/* Asserts what is true of every promise. */
void promise_check(const struct promise *promise);

/* "sound", "lost" and so on: stable words of the control protocol, static. */
const char *state_health_name(enum state_health health);

#endif
