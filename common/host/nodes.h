/* SPDX-License-Identifier: ISC */
/*
 * The list of nodes of a cluster with discovery (PROTOCOL.md, Discovery), as a
 * host keeps it: it names those that the host has met, forgets those that are
 * gone, and says where the host itself is. The caller makes the list, a copy of
 * the configuration in effect; checks and completes what came of it; and
 * proposes that.
 */
#ifndef ELECTD_COMMON_HOST_NODES_H
#define ELECTD_COMMON_HOST_NODES_H

#include "common/config/config.h"

/* Nodes that a host meets until its next list: others announce themselves
 * again. */
#define NODES_MET_MAX 64

#define NODES_PAUSE (1 * SEC) /* between two looks at what is in effect */

/* A node that was met, and where. */
struct met_joiner {
	struct joiner node;
	char address[ADDRESS_MAX_BYTES]; /* any bytes that end */
};

/* What the next list is to change. All zero: nothing. */
struct nodes {
	struct met_joiner met[NODES_MET_MAX];
	unsigned met_count;
	bool has_gone;     /* the node forgets some: node_forgets() */
	bool is_elsewhere; /* this host's own node differs from what the host
	                    * says of it */
	nsec_t look_at;
};

/* The node has met this one (ACTION_JOINER), at the address where the datagram
 * came from. The first of one id counts: a later one may be a copy. */
void nodes_meet(
    struct nodes *nodes, const struct joiner *joiner, const char *address);

/*
 * True if nodes_list() may have something to change. `running` is in effect,
 * and nothing else is about to be; `own` is what this host says of its node:
 * id, address, priority, role, and a name, or "".
 */
bool nodes_look(struct nodes *nodes, struct node *node, nsec_t now,
    const struct config *running, const struct config_node *own);

/*
 * Makes these changes of the list, which has room for met_count nodes more,
 * with the next revision if any of them is to win over lists of other hosts.
 * False if the list is as before. Afterwards there is nothing to change.
 */
bool nodes_list(struct nodes *nodes, const struct node *node, nsec_t now,
    const struct config_node *own, struct config *list);

/*
 * Gives `list`, which is by a file and has room for the nodes of `running` and
 * one more, those that no file lists: all such nodes of `running`, and that of
 * this host, `self`, if the list has it; and its revision. The file is not
 * older than that by which `running` is. The caller checks that the list has
 * `self`.
 */
void nodes_follow(
    struct config *list, const struct config *running, node_id self);

/* QUORUM: true if `wanted` gives a vote to the node `self`, which `running` has
 * as discovered: then it has the id of a voter by mistake. */
bool nodes_usurp(
    const struct config *running, const struct config *wanted, node_id self);

/* True if a node may have this name: no name is all digits but an id. */
bool nodes_may_call(const char *name);

#endif
