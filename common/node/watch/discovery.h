/* SPDX-License-Identifier: ISC */
/*
 * How nodes of a cluster with discovery meet those that they do not know
 * (discovery.c; PROTOCOL.md, Discovery).
 */
#ifndef ELECTD_COMMON_NODE_WATCH_DISCOVERY_H
#define ELECTD_COMMON_NODE_WATCH_DISCOVERY_H

#include "common/node/node_parts.h"

/* A round of heartbeats: announces the node, if it is alone, or leads, or
 * knows of no leader. */
void discovery_beat(struct node *node, nsec_t now);

/* Takes a datagram of the type ANNOUNCE, which names our cluster. `p` is
 * the peer whose id it has, `from` the one whose address; NULL: none. */
void discovery_receive(struct node *node, nsec_t now, struct peer *p,
    struct peer *from, const struct packet_head *head, const uint8_t *bytes,
    size_t size);

/* The next action, if any: ACTION_JOINER; and, unless the node is mute,
 * ACTION_GROUP and ACTION_JOIN. */
bool discovery_act_joiner(struct node *node, struct action *action);
bool discovery_act(struct node *node, struct action *action);

#endif
