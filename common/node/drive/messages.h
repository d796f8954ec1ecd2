/* SPDX-License-Identifier: ISC */
/* Messages of the algorithm that come in (messages.c). */
#ifndef ELECTD_COMMON_NODE_DRIVE_MESSAGES_H
#define ELECTD_COMMON_NODE_DRIVE_MESSAGES_H

#include "common/node/node_parts.h"

/* Hands the election a message of a peer; drops one of another configuration
 * than ours, whose tag it bears. May end any session. */
void messages_take(struct node *node, nsec_t now, struct peer *p, uint32_t tag,
    const struct message *m);

#endif
