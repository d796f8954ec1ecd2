/* SPDX-License-Identifier: ISC */
/* Datagrams that come in (receive.c). */
#ifndef ELECTD_COMMON_NODE_DRIVE_RECEIVE_H
#define ELECTD_COMMON_NODE_DRIVE_RECEIVE_H

#include "common/node/node_parts.h"

/* Takes a datagram; `peer` is the one whose address it came from, PEER_NONE if
 * it is nobody's. */
void receive_datagram(struct node *node, nsec_t now, unsigned peer,
    const uint8_t *bytes, size_t size);

#endif
