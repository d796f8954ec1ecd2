/* SPDX-License-Identifier: ISC */
/* Images of a node on its tape (PROTOCOL.md, Tape). */
#ifndef ELECTD_COMMON_NODE_DRIVE_IMAGE_H
#define ELECTD_COMMON_NODE_DRIVE_IMAGE_H

#include "common/node/node.h"

/* Begins a half of the node's tape with an image of the node as it is now. */
void image_take(struct node *node, nsec_t now);

#endif
