/* SPDX-License-Identifier: ISC */
/*
 * What a node must not forget, and how far it may trust what it remembers. Here
 * is what the durable state holds; the host writes it to the disk (PROTOCOL.md,
 * Durability).
 */
#ifndef ELECTD_COMMON_QUORUM_DURABLE_STATE_H
#define ELECTD_COMMON_QUORUM_DURABLE_STATE_H

#include "common/wire/config_id.h"

/* One process of a node. A voter promises and grants terms to owners. */
struct owner {
	node_id id; /* NODE_NONE: nobody */
	FILLER(4);
	uint64_t incarnation;
};

/*
 * What a voter has promised: no other owner gets this term from it, and nobody
 * a lower one.
 */
struct promise {
	uint64_t term;      /* 0: the voter has promised nothing yet */
	struct owner owner; /* id NODE_NONE if and only if term is 0 */
	bool is_early;      /* given while the lease of another ran; the owner
	                     * has had no grant since */
	FILLER(7);
};

struct durable_state {
	uint64_t incarnation;   /* incarnation of the process that runs, or ran
				 * last */
	uint64_t term;          /* the highest in which it knew a leader */
	struct promise promise; /* quorum */
	nsec_t lease;           /* quorum: the longest that a grant given
	                         * before the last start may bind the voter */
	bool is_revoked;        /* the state was an old copy: no promise in it
			  * counts */
	FILLER(7);
	struct config_id config_id; /* quorum: the latest that was in effect */
};

/*
 * How far a node may trust its durable state. A node whose state is not sound
 * neither votes nor is eligible.
 */
enum state_health {
	STATE_HEALTH_SOUND,
	STATE_HEALTH_LOST,    /* missing, damaged, or another node's */
	STATE_HEALTH_REVOKED, /* an old copy: peers know later incarnations */
	STATE_HEALTH_FAILED,  /* the state could not be written */
	STATE_HEALTH_CHANGED, /* the configuration in effect is earlier than
			       * one that was: that one's document is lost */
};

/*
 * How far a voter may trust the state that its host has found, where the
 * configuration `now` is in effect. `is_complete`: the host has a state, and no
 * promise of this node was lost before the state was made.
 */
enum state_health durable_found(const struct durable_state *found,
    bool is_complete, const struct config_id *now);

/*
 * Under quorum a start raises the incarnation by this much. A process that
 * cannot write its state raises it by one instead, and does not vote. So a
 * later process that votes has another incarnation, and peers still recognise
 * an old copy of the state.
 */
#define INCARNATION_STRIDE 1024

/* The incarnation of a process that starts; `last` is that of the process
 * before it, or 0. */
uint64_t incarnation_after(uint64_t last, bool is_quorum);

/*
 * QUORUM: that of a process whose host has no state: above those of all
 * processes of the node before, by the wall clock. Peers may remember these,
 * and voters may have granted them terms.
 */
uint64_t incarnation_anew(nsec_t wall);

/* Asserts what is true of every promise. */
void promise_check(const struct promise *promise);

/* "sound", "lost" and so on: stable words of the control protocol, static. */
const char *state_health_name(enum state_health health);

#endif
