/* SPDX-License-Identifier: ISC */
/*
 * What a host does with settings that it wants itself: its file was read again,
 * or an operator changes a node. What is the host's own it puts into effect at
 * once; what all hosts share it proposes (rollout.h).
 */
#ifndef ELECTD_COMMON_HOST_PROPOSAL_H
#define ELECTD_COMMON_HOST_PROPOSAL_H

#include "common/config/config_rows.h"
#include "common/host/rollout.h"

/* A file that raises the config version by more is taken for a slip. */
#define CONFIG_VERSION_STEP_MAX 100000

struct proposal {
	enum rollout_origin origin; /* FILE or MEMBERS */
	bool is_wrong;              /* it has faults; no more is known of it */
	bool has_document; /* it is of a cluster that exchanges documents */
	struct config_id running; /* in effect; the digests do not matter */
	struct config_id wanted;
	unsigned changes; /* bits, 1 << an enum change: what the differences
	                      * from what is in effect need; 0: there is none */
	bool is_forced;   /* a voter may come that is not heard */
	const struct node_setup *setup; /* QUORUM: this node by it; NULL: there
	                                 * is no memory */
};

/*
 * Judges a proposal, and sets ends[] of the rollout. DONE: the caller puts the
 * host's own settings into effect. PROPOSED: likewise, and then it proposes the
 * rest by rollout_propose(). If has_file of the rollout is set then, the caller
 * holds the file for rollout_look_at_file().
 */
enum proposal_end proposal_judge(struct rollout *rollout, struct node *node,
    nsec_t now, const struct proposal *proposal);

/* True if this proposal may change what all hosts share. */
bool proposal_is_later(const struct proposal *proposal);

/* True if the config version of this proposal is so much higher than that in
 * effect that it is probably a slip, which nobody could undo: a config version
 * never goes down again. */
bool proposal_jumps(const struct proposal *proposal);

/* True if the operator who made this proposal is to wait for more than its
 * judgement: under component it is in effect as soon as the disk has it. */
bool proposal_waits(const struct rollout *rollout, enum rollout_origin origin);

#endif
