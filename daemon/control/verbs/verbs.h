/* SPDX-License-Identifier: ISC */
/*
 * The verbs of the control protocol: a table of names, arguments and answers.
 * Any user of the host may send requests; this checks them completely.
 */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_VERBS_H
#define ELECTD_DAEMON_CONTROL_VERBS_VERBS_H

#include "daemon/control/verbs/request.h"

/*
 * Answers one line, without its newline; any bytes are allowed. Call this after
 * the line has arrived, so that the answer is of a later moment. A new
 * reference. NULL if there is no answer yet (see request->pending), or without
 * memory.
 */
json_t *verbs_answer(struct request *request, const char *line, size_t size);

/* The error of a request that nobody may send here any more. */
#define WATCHES_ALREADY "this connection already watches or waits: use another"

#endif
