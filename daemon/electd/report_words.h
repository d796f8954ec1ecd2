/* SPDX-License-Identifier: ISC */
/* Names and reasons in the words of the log. */
#ifndef ELECTD_DAEMON_ELECTD_REPORT_WORDS_H
#define ELECTD_DAEMON_ELECTD_REPORT_WORDS_H

#include "common/node/node.h"
#include "daemon/config/settings.h"

#define WORDS_MAX 512 /* bytes of a text that is made here, and its end */

/* The node's configured name. */
const char *words_name(const struct settings *settings, node_id id);

/* "the process of web3 died": why there is a leader, or none. */
const char *words_reason(const struct settings *settings, struct reason reason,
    char text[WORDS_MAX]);

/* "no heartbeat": how it is known that a link is down. */
const char *words_evidence(enum evidence evidence);

/* "web2 (no heartbeat), web3 (stopped)": the voters that do not vote. */
const char *words_missing(const struct settings *settings,
    const struct node *node, char text[WORDS_MAX]);

#endif
