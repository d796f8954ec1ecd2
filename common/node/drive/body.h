/* SPDX-License-Identifier: ISC */
/* What datagrams of sessions and groups have in common (body.c). */
#ifndef ELECTD_COMMON_NODE_DRIVE_BODY_H
#define ELECTD_COMMON_NODE_DRIVE_BODY_H

#include "common/node/node_parts.h"

/* The body of a datagram to the peer; and what of it is the same for all, with
 * zeros in the other fields. */
struct body body_of(const struct node *node, nsec_t now, const struct peer *p);
struct body body_for_all(const struct node *node, nsec_t now);

/* Writes the beacon with what goes with it: to this peer; to several, whose
 * timestamps we have held for `held` at most. Return the number of frames. */
unsigned body_write_beacon(
    struct node *node, nsec_t now, const struct peer *p, struct writer *f);
unsigned body_write_beacon_to_all(
    struct node *node, nsec_t now, nsec_t held, struct writer *f);

/* Writes a frame of `size` bytes. */
void body_write_frame(struct writer *w, enum frame_type type, uint32_t sequence,
    const uint8_t *bytes, size_t size);

#endif
