/* SPDX-License-Identifier: ISC */
/* Beacons that come in (beacon.c; PROTOCOL.md, Beacon). */
#ifndef ELECTD_COMMON_NODE_DRIVE_BEACON_H
#define ELECTD_COMMON_NODE_DRIVE_BEACON_H

#include "common/node/node_parts.h"

/* Takes a beacon that came from this peer: follows its leader, renews ours,
 * begins an election, or ignores it (PROTOCOL.md, Beacon). */
void beacon_take(struct node *node, nsec_t now, struct peer *from,
    const struct beacon *beacon);

/*
 * A peer will not follow our leader, and we may not follow the peer's, if it
 * has one, since we have seen a later term. Our leader may not hear that peer.
 * So we begin an election above all of these terms, if we have a leader.
 */
void node_rise_above(struct node *node, nsec_t now, const struct peer *from);

#endif
