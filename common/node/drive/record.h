/* SPDX-License-Identifier: ISC */
/* Puts the inputs of a node on its tape (PROTOCOL.md, Tape): each function of
 * node.h that is one begins with a call of this file. */
#ifndef ELECTD_COMMON_NODE_DRIVE_RECORD_H
#define ELECTD_COMMON_NODE_DRIVE_RECORD_H

#include "common/node/node.h"
#include "common/node/tape/tape.h"

/* Each does nothing but for a node that is recorded. */

/* An input without arguments. */
void record_input(struct node *node, nsec_t now, enum tape_kind kind);

void record_receive(struct node *node, nsec_t now, nsec_t age, unsigned peer,
    const uint8_t *bytes, size_t size);
void record_refused(struct node *node, nsec_t now, unsigned peer);
void record_resign(struct node *node, nsec_t now, node_id to);
void record_standby(
    struct node *node, nsec_t now, const struct standby *standby);
void record_keys(struct node *node, nsec_t now, bool has_old);
void record_take_back(struct node *node, nsec_t now, nsec_t until);
void record_persisted(struct node *node, nsec_t now, bool ok);
void record_carrier(struct node *node, nsec_t now, bool has_carrier);
void record_file(struct node *node, nsec_t now, bool is_older);

void record_pull(struct node *node, nsec_t now, const struct pull *pull);

/* TAPE_PROPOSE or TAPE_REFUSE; `document` is NULL for the latter. */
void record_edition(struct node *node, nsec_t now, enum tape_kind kind,
    const struct edition *edition, const uint8_t *document, size_t size);

/* TAPE_ANNOUNCE or TAPE_CHANGE. */
void record_setup(struct node *node, nsec_t now, enum tape_kind kind,
    const struct node_setup *setup);

#endif
