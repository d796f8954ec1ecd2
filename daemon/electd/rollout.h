/* SPDX-License-Identifier: ISC */
/*
 * How the next settings of the cluster come into effect at this host
 * (PROTOCOL.md, Editions, and PROTOCOL.md, Changes of voters). First the state
 * directory has their document, then the node is made anew with them. Under
 * quorum the leader takes each step; a host that wants one proposes it.
 */
#ifndef ELECTD_DAEMON_ELECTD_ROLLOUT_H
#define ELECTD_DAEMON_ELECTD_ROLLOUT_H

#include "daemon/electd/reading.h"

/* Where settings come from. */
enum origin {
	ORIGIN_RELOAD,  /* component: this host's file */
	ORIGIN_MEMBERS, /* component: an operator changes a node */
	ORIGIN_PEER,    /* another node gave them */
	ORIGIN_STEP,    /* quorum: this host leads, and takes a step */
	ORIGIN_MET,     /* discovery: this node has met others */
};

/* All zero: nothing is to come into effect. */
struct rollout {
	/* What is being kept, and is in effect after that. */
	struct read_files next; /* settings NULL: nothing */
	enum origin origin;

	/* Quorum: what the cluster is to have, by our file or that of another
	 * host. */
	struct document wish;     /* bytes NULL: nothing */
	struct settings *wished;  /* of another node, if it does not name us */
	struct node_setup *setup; /* of this node, by `wished` */
	bool is_own;              /* by our file */
	bool has_resigned;        /* another leader has to take that step */
};

/* What is to be done for the wish. */
enum rollout_next {
	ROLLOUT_WAIT,   /* nothing, for now */
	ROLLOUT_STEP,   /* keep these settings, with ORIGIN_STEP */
	ROLLOUT_RESIGN, /* node_resign(); if that begins, set has_resigned */
	ROLLOUT_STAND,  /* that was for a wish that is no more: node_stand() */
	ROLLOUT_REFUSE, /* the wish was dropped: no leader would grant it */
};

/*
 * Quorum: wants these settings in effect, which are taken, and tells the node,
 * `self`. They may be those of another node, if they do not name this one. Does
 * nothing unless they are later than the wish before and than those in effect.
 * False without memory.
 */
bool rollout_wish(struct rollout *rollout, struct node *node, node_id self,
    struct settings *settings, bool is_own);

/* Ends the wish. */
void rollout_forget(struct rollout *rollout, struct node *node);

/* This host's file has this generation now: ends a wish by an other one of this
 * host, unless that was earlier. */
void rollout_withdraw(
    struct rollout *rollout, struct node *node, uint32_t generation);

/*
 * Quorum: what is to be done next, as the node and the settings in effect are
 * now. ROLLOUT_STEP: *next is allocated, with the stamp that it is to have.
 * ROLLOUT_REFUSE: *step says why.
 */
enum rollout_next rollout_pursue(struct rollout *rollout, struct node *node,
    nsec_t now, const struct settings *running, struct settings **next,
    enum change_step *step);

/* True if there is a wish: its generation, and what node_step() says of it. */
bool rollout_is_wished(const struct rollout *rollout, struct node *node,
    nsec_t now, uint32_t *generation, enum change_step *step);

/* Frees all. */
void rollout_done(struct rollout *rollout);

#endif
