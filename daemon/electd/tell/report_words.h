/* SPDX-License-Identifier: ISC */
/* Names and reasons in the words of the log. */
#ifndef ELECTD_DAEMON_ELECTD_TELL_REPORT_WORDS_H
#define ELECTD_DAEMON_ELECTD_TELL_REPORT_WORDS_H

#include "common/node/node.h"
#include "daemon/config/settings.h"

#define WORDS_MAX 512 /* of a text that is made here: a list of names */

/* The node's configured name, or "an unknown node". */
const char *words_name(const struct settings *settings, node_id id);

/* "config version 3", or of a list of nodes "config version 3, revision 7".
 * Returns `text`. */
const char *words_config(
    const struct config_id *config_id, char text[WORDS_MAX]);

/* Why there is a leader or none: "the process of web3 died". Returns `text`. */
const char *words_reason(const struct settings *settings, struct reason reason,
    char text[WORDS_MAX]);

/* Why a link is down: "no heartbeat". */
const char *words_evidence(enum evidence evidence);

/* The voters that do not vote for us, and why: "web2 (no heartbeat), web3
 * (stopped)". Returns `text`. */
const char *words_missing(const struct settings *settings,
    const struct node *node, char text[WORDS_MAX]);

#endif
