/* SPDX-License-Identifier: ISC */
/* The verbs that have files of their own. Each answers its request: see
 * verbs_answer(). */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_VERBS_EACH_H
#define ELECTD_DAEMON_CONTROL_VERBS_VERBS_EACH_H

#include "daemon/control/verbs/request.h"

/* verbs_steer.c */
json_t *verb_elect(struct request *request);
json_t *verb_resign(struct request *request);
json_t *verb_reload(struct request *request);
json_t *verb_record(struct request *request);

/* verbs_members.c: change the nodes of the cluster */
json_t *verb_members_add(struct request *request);
json_t *verb_members_remove(struct request *request);
json_t *verb_members_replace(struct request *request);

/* verbs_standby.c: put this node on standby */
json_t *verb_standby(struct request *request);
json_t *verb_rejoin(struct request *request);

/* Takes the argument "reason", which may be missing, of a standby. NULL, or why
 * it is none. */
json_t *take_reason(
    const struct request *request, char reason[STANDBY_REASON_MAX + 1]);

/* verbs_snapshot.c: look at the whole cluster */
json_t *verb_snapshot(struct request *request);

/* Answers with the history of the node that the request names, from this event
 * on. */
json_t *fetch_history(struct request *request, uint64_t from);

/* verbs_health.c: `electctl checks` gets the checks by it, and says how the
 * services are */
json_t *verb_health(struct request *request);

/* verbs_steer.c: why settings that were read, or are to be, have not come into
 * effect; NULL if all went well. And the answer that says so. */
const char *reload_trouble(enum proposal_end end);
json_t *answer_refusal(const char *verb, const struct reload *reload);

#endif
