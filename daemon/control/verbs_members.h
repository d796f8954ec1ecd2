/* SPDX-License-Identifier: ISC */
/* The verbs that change the nodes of the cluster. Private to the verbs. */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_MEMBERS_H
#define ELECTD_DAEMON_CONTROL_VERBS_MEMBERS_H

#include "daemon/control/verbs.h"

/* Each answers its request: see verbs_answer(). */
json_t *verb_members_add(struct request *request);
json_t *verb_members_remove(struct request *request);
json_t *verb_members_replace(struct request *request);

/*
 * True if the change of the nodes with this number is in effect at this node,
 * or will not be. Then *answer is the answer.
 */
bool members_is_over(
    const struct control_view *view, uint64_t number, json_t **answer);

#endif
