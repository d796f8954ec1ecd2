/* SPDX-License-Identifier: ISC */
/*
 * How later settings come into effect at one host (PROTOCOL.md, Configurations,
 * and PROTOCOL.md, Changes of voters). First the disk has their document, then
 * the node is made anew with them. Under quorum the leader takes each step, and
 * a host that wants one proposes it. The caller has the documents and the disk.
 */
#ifndef ELECTD_COMMON_HOST_ROLLOUT_H
#define ELECTD_COMMON_HOST_ROLLOUT_H

#include "common/node/node.h"

/* What failed to reach the disk is tried again after this time: soon after
 * there is space, and seldom enough to cost nothing. */
#define ROLLOUT_PAUSE (2 * SEC)

/* The side that wants settings in effect, or why the host writes them. */
enum rollout_origin {
	ORIGIN_FILE,    /* this host's file */
	ORIGIN_MEMBERS, /* an operator of this host changes a node */
	ORIGIN_NODES,   /* this host: nodes were met, are gone, or moved */
	ORIGIN_PEER,    /* another node */
	ORIGIN_LEADER,  /* QUORUM: this node leads, and takes a step */
	ORIGIN_DISK,    /* they are in effect, but the disk has others */
};

#define ORIGINS_ASKED 2 /* FILE and MEMBERS: an operator waits for the end */

/* How a proposal has ended, for the operator that waits. */
enum proposal_end {
	PROPOSAL_NOTHING,  /* the proposal is in effect already */
	PROPOSAL_DONE,     /* what has changed is in effect */
	PROPOSAL_PROPOSED, /* it is to come into effect: QUORUM, once the leader
	                    * puts it there; else once it is on the disk */
	/* Nothing has changed. */
	PROPOSAL_WRONG,    /* the files are wrong */
	PROPOSAL_RESTART,  /* a change needs a restart */
	PROPOSAL_CLUSTER,  /* all hosts must agree on a change */
	PROPOSAL_TOO_FAR,  /* more than one voter changes */
	PROPOSAL_PROMOTES, /* an observer would vote */
	PROPOSAL_UNHEARD,  /* a voter would come that is not heard */
	PROPOSAL_ALIEN,    /* the proposal would be another cluster */
	PROPOSAL_FAILED,   /* an address cannot be applied */
};

/* All zero but for is_quorum: nothing is to come into effect. */
struct rollout {
	bool is_quorum;
	enum rollout_origin origin; /* of the last write */
	struct config_id next; /* has_next: it comes into effect once the disk
	                      * has its document */
	bool has_next;
	bool is_writing; /* a write is under way; rollout_kept() ends it */
	bool is_astray;  /* the disk has another configuration than that in
			  * effect */
	bool has_failed; /* the last write failed: the next is at again_at */
	nsec_t again_at;
	struct config_id proposal; /* has_proposal: what this host proposes */
	bool has_proposal;
	enum rollout_origin proposer; /* has_proposal */
	bool has_file;     /* QUORUM: the cluster does not have the file yet */
	bool has_resigned; /* this node resigned for the proposal, so that
			    * another leader takes the step */
	enum proposal_end ends[ORIGINS_ASKED]; /* of the last that each made */
};

/* The host begins to write the document of this configuration. It takes the
 * place of one that was to be tried again. */
void rollout_keep(struct rollout *rollout, enum rollout_origin origin,
    const struct config_id *config_id);

/* What the host does at the end of a write. */
enum rollout_end {
	ROLLOUT_APPLY,  /* put the settings into effect; if that fails, call
	                 * rollout_refused() */
	ROLLOUT_DROP,   /* forget the settings: they come too late, or this
	                 * process ends and the next one begins with them */
	ROLLOUT_RETAIN, /* the write failed: hold the settings until they are to
	                 * be written again */
	ROLLOUT_KEPT,   /* nothing: the settings are in effect */
};

/* The write has ended; `is_kept`: the document is on the disk. Under component
 * one that is not comes into effect all the same. */
enum rollout_end rollout_kept(
    struct rollout *rollout, struct node *node, nsec_t now, bool is_kept);

/* The settings of ROLLOUT_APPLY cannot be put into effect: the disk gets back
 * those that are, and a proposal of these has failed. Gives the configuration
 * that the node is not to fetch: node_refuse(). */
struct config_id rollout_refused(struct rollout *rollout, struct node *node);

/* True if nothing is on its way, from anybody: the host may change the list of
 * nodes. */
bool rollout_is_idle(const struct rollout *rollout, const struct node *node);

/* True if other settings than those in effect are on their way: a change that
 * an operator makes of these would be lost. */
bool rollout_is_under_way(
    const struct rollout *rollout, const struct node *node);

/* True if the last write failed and is to be tried again. */
bool rollout_has_failed(const struct rollout *rollout);

/* What a whole document of another node is to this host. */
enum offered {
	OFFERED_RIGHT,
	OFFERED_WITHOUT_US, /* it does not name this host's node, or not so that
	                     * it may be in effect here */
	OFFERED_WRONG,      /* the document cannot be read */
};

/* What to do with it. */
enum rollout_offer {
	OFFER_IGNORE,   /* nothing: it is no later than what is here */
	OFFER_KEEP,     /* keep it, ORIGIN_PEER */
	OFFER_PROPOSAL, /* QUORUM: it is a proposal: rollout_propose() */
	OFFER_REFUSE,   /* node_refuse() */
};

/* To be called while no write is under way. */
enum rollout_offer rollout_offer(const struct rollout *rollout,
    struct node *node, nsec_t now, const struct config_id *config_id,
    enum offered offered);

/* True if this proposal is later than the one before and than what is in
 * effect, or nothing depends on that. */
bool rollout_wants(const struct rollout *rollout, const struct node *node,
    enum rollout_origin origin, const struct config_id *config_id);

/* Proposes a configuration that is wanted, in place of the proposal before.
 * Under component this host takes the step itself, as soon as its disk has
 * time. The document is borrowed, as by node_propose(). */
void rollout_propose(struct rollout *rollout, struct node *node,
    enum rollout_origin origin, const struct config_id *config_id,
    const uint8_t *document, size_t size);

/* QUORUM: true if there is a proposal that is not in effect. */
bool rollout_is_proposing(
    const struct rollout *rollout, const struct node *node);

/* This host's file has this config version now: ends a proposal by the file
 * before, unless that had a lower config version. */
void rollout_withdraw(
    struct rollout *rollout, struct node *node, uint32_t config_version);

/*
 * QUORUM: looks whether the cluster has this host's file, whose config version
 * this is; `running` is the config version in effect. Once the cluster has it,
 * clears has_file, and ends what the operator waits for. True if the host is to
 * propose the file now. A file that is in effect here, but that no leader has
 * stamped, may have to be proposed yet: an earlier configuration of the cluster
 * may take its place.
 */
bool rollout_look_at_file(struct rollout *rollout, const struct node *node,
    uint32_t config_version, uint32_t running);

/* There is no memory for what somebody proposes. */
void rollout_give_up(struct rollout *rollout, enum rollout_origin origin);

/* What the host is to do next, or what the node was told. */
enum rollout_act {
	ROLLOUT_WAIT,     /* nothing, for now */
	ROLLOUT_WRITE,    /* write settings, and call rollout_keep() */
	ROLLOUT_RESIGNED, /* the node was told to hand over, for the proposal */
	ROLLOUT_STOOD,    /* the node was told that it may lead again */
	ROLLOUT_REFUSED,  /* the proposal was dropped */
};

/* Settings that a host has. */
enum rollout_which {
	ROLLOUT_NEXT,     /* those that were retained */
	ROLLOUT_CURRENT,  /* those in effect */
	ROLLOUT_PROPOSED, /* the proposal */
};

struct rollout_todo {
	enum rollout_act act;
	enum rollout_which which;   /* WRITE */
	enum rollout_origin origin; /* WRITE: for rollout_keep() */
	uint64_t config_term;       /* WRITE: with this config term; 0: with
				      * their own */
	enum change_step step;      /* REFUSED: why */
};

/*
 * Gives the next thing to do. `proposed` is the setup of this node by the
 * proposal, as for node_step(); it may be NULL if there is no proposal, and
 * under component.
 */
struct rollout_todo rollout_next(struct rollout *rollout, struct node *node,
    nsec_t now, const struct node_setup *proposed);

/* When a failed write is to be tried again, by rollout_next(); NSEC_NEVER:
 * none is. */
nsec_t rollout_deadline(const struct rollout *rollout);

#endif
