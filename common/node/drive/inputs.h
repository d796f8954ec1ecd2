/* SPDX-License-Identifier: ISC */
/* The inputs of node.h (inputs.c). */
#ifndef ELECTD_COMMON_NODE_DRIVE_INPUTS_H
#define ELECTD_COMMON_NODE_DRIVE_INPUTS_H

#include "common/node/node_parts.h"

/* Each input begins with this: takes the time, and notices a stall. */
void node_wake(struct node *node, nsec_t now);

#endif
