/* SPDX-License-Identifier: ISC */
/* Datagrams that go out (send.c). */
#ifndef ELECTD_COMMON_NODE_DRIVE_SEND_H
#define ELECTD_COMMON_NODE_DRIVE_SEND_H

#include "common/node/node_parts.h"

/* Builds one datagram under this session, which may be one on offer, into
 * PACKET_MAX bytes. Returns its size. */
size_t send_build_session(struct node *node, nsec_t now, struct peer *p,
    struct session *session, enum packet_type type, uint8_t *datagram);

#endif
