/* SPDX-License-Identifier: ISC */
/*
 * Quorum: the settings that this host proposes, as the node needs them
 * (common/host/rollout.h).
 */
#ifndef ELECTD_DAEMON_ELECTD_WISH_H
#define ELECTD_DAEMON_ELECTD_WISH_H

#include "common/host/rollout.h"
#include "daemon/electd/reading.h"

/* All zero: there was none. */
struct wish {
	struct document document;
	struct settings *settings; /* of another node, if they do not name us */
	struct node_setup *setup;  /* of this node, by these */
};

/*
 * Proposes these settings, which are taken, as `self`, in place of those
 * before. They may be those of another node, if they do not name this one. Does
 * nothing unless they are wanted (rollout_wants()). False without memory.
 */
bool wish_set(struct wish *wish, struct rollout *rollout, struct node *node,
    node_id self, struct settings *settings, bool is_own);

/* Copies settings, with another stamp. NULL without memory. */
struct settings *wish_stamp(const struct settings *settings, uint64_t stamp);

/* Frees all. The node has ended. */
void wish_done(struct wish *wish);

#endif
