/* SPDX-License-Identifier: ISC */
/*
 * The settings that this host proposes, as the node needs them
 * (common/host/rollout.h).
 */
#ifndef ELECTD_DAEMON_ELECTD_CHANGE_HOST_PROPOSAL_H
#define ELECTD_DAEMON_ELECTD_CHANGE_HOST_PROPOSAL_H

#include "common/host/rollout.h"
#include "daemon/electd/change/change_worker.h"

/* All zero: there was none. */
struct host_proposal {
	struct document document;
	struct settings *settings; /* of another node, if they do not name us */
	struct node_setup *setup;  /* of this node, by `settings` */
};

/*
 * Takes these settings, and proposes them as the node `self`, in place of those
 * before; if they are not wanted (rollout_wants()), does no more than free
 * them. They may be those of another node, if they do not name this one. False
 * without memory.
 */
bool host_proposal_set(struct host_proposal *host_proposal,
    struct rollout *rollout, struct node *node, node_id self,
    enum rollout_origin origin, struct settings *settings);

/* Frees all. The node has ended. */
void host_proposal_done(struct host_proposal *host_proposal);

#endif
