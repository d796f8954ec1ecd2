/* SPDX-License-Identifier: ISC */
/* Inputs and checkpoints of a node on its tape (PROTOCOL.md, Tape). */
#ifndef ELECTD_COMMON_NODE_TAPE_CHECKPOINT_H
#define ELECTD_COMMON_NODE_TAPE_CHECKPOINT_H

#include "common/node/tape/entry.h"

/* An input begins: writes it to the node's tape, if there is one, and before it
 * a checkpoint of the node where the tape has no room. */
void record(struct node *node, nsec_t now, struct entry in);

#endif
