/* SPDX-License-Identifier: ISC */
/* The verbs that steer. Private to the verbs. */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_STEER_H
#define ELECTD_DAEMON_CONTROL_VERBS_STEER_H

#include "daemon/control/verbs.h"

/* Each answers its request: see verbs_answer(). */
json_t *verb_record(struct request *request);
json_t *verb_elect(struct request *request);
json_t *verb_resign(struct request *request);
json_t *verb_reload(struct request *request);

/* Puts the id of the node that the argument `key` names into *id, NODE_NONE
 * without that argument. NULL, or the error. */
json_t *find_node(const struct request *request, const char *key, node_id *id);

/* True if the request has "force": true. */
bool request_forces(const struct request *request);

/* The lines as an array of strings. NULL: there are none. */
json_t *lines_of(const char *lines);

/* Why nothing has changed; NULL if all went well. */
const char *reload_trouble(enum reload_end end);

/*
 * True if the outcome of a resignation is known: another node leads, or none
 * will. Then *answer is the answer. `to` is the successor that the operator
 * chose, NODE_NONE for any node.
 */
bool resign_is_over(
    const struct control_view *view, node_id to, json_t **answer);

/* True if the reload of this number has ended; if it waits, also what it
 * proposed. Then *answer is the answer. */
bool reload_is_over(const struct control_view *view, uint64_t number,
    bool waits, json_t **answer);

#endif
