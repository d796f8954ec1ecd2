/* SPDX-License-Identifier: ISC */
/* The verbs that steer. Private to the verbs. */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_STEER_H
#define ELECTD_DAEMON_CONTROL_VERBS_STEER_H

#include "daemon/control/verbs.h"

json_t *verb_elect(struct request *request);
json_t *verb_resign(struct request *request);
json_t *verb_rejoin(struct request *request);

/*
 * Does another lead than who resigned, or is it clear that none will? Then
 * *answer is what is said; `to` was to lead, NODE_NONE: anyone else.
 */
bool resign_is_over(
    const struct control_view *view, node_id to, json_t **answer);

#endif
