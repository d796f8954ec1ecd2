/* SPDX-License-Identifier: ISC */
/* Datagrams for several peers (group_send.c; PROTOCOL.md, Group datagrams). */
#ifndef ELECTD_COMMON_NODE_DRIVE_GROUP_SEND_H
#define ELECTD_COMMON_NODE_DRIVE_GROUP_SEND_H

#include "common/node/node_parts.h"

/* Writes what a session says of groups. Returns the number of frames. */
unsigned group_write(const struct node *node, nsec_t now, const struct peer *p,
    struct writer *f);

/* The next datagram to the group, if one is due. */
bool group_act(struct node *node, nsec_t now, struct action *action);

#endif
