/* SPDX-License-Identifier: ISC */
/* The verbs that set this node aside: see electctl(1). */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_STANDBY_H
#define ELECTD_DAEMON_CONTROL_VERBS_STANDBY_H

#include "daemon/control/verbs.h"

json_t *verb_standby(struct request *request);
json_t *verb_rejoin(struct request *request);

/*
 * True if the change of this number has ended, this node does not lead any
 * more, and it is known who does. Then *answer says so, or why the node is not
 * on standby: a new reference, or NULL without memory.
 */
bool standby_is_over(
    const struct control_view *view, uint64_t number, json_t **answer);

/* The same of the end of a standby, whether the node leads or not. */
bool rejoin_is_over(
    const struct control_view *view, uint64_t number, json_t **answer);

#endif
