/* SPDX-License-Identifier: ISC */
/* The verbs that look at the whole cluster. Private to the verbs. */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_SNAPSHOT_H
#define ELECTD_DAEMON_CONTROL_VERBS_SNAPSHOT_H

#include "daemon/control/verbs.h"

/* Each answers its request: see verbs_answer(). */
json_t *verb_snapshot(struct request *request);
json_t *verb_history_of(struct request *request);

/* True if the snapshot of this number has ended, or if that fetch has. Then
 * *answer is the answer. */
bool snapshot_is_over(
    const struct control_view *view, uint64_t number, json_t **answer);
bool fetch_is_over(
    const struct control_view *view, uint64_t number, json_t **answer);

#endif
