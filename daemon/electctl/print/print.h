/* SPDX-License-Identifier: ISC */
/*
 * Answers as text, on stdout. Each function prints the answer of the verb that
 * it is named after, and may add to it. The declarations stand under the file
 * that defines them.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_PRINT_PRINT_H
#define ELECTD_DAEMON_ELECTCTL_PRINT_PRINT_H

#include "daemon/client/client.h"

/* event.c: events, and answers of one line. */

void print_leader(json_t *answer); /* without a leader: on stderr */
void print_wait(json_t *answer);
void print_reload(json_t *answer);
void print_changed(json_t *answer); /* of the verbs that change members */
void print_config(json_t *answer);
void print_event(json_t *event);

/* stats.c, explain.c, key.c, snapshot.c, leaders.c */

void print_stats(json_t *answer);
void print_explain(json_t *answer);
void print_key(json_t *answer);
void print_snapshot(json_t *answer);
void print_leaders(json_t *answer);

/* status.c */

void print_status(json_t *answer);
void print_peers(json_t *answer); /* takes an answer of `status` */
void print_members(json_t *answer);

/* verdict.c: the first line of `status`. */

void print_verdict(json_t *answer); /* as one line, of any length */
void print_verdict_line(json_t *answer);

/* The exit status of a monitoring plugin: 0, 1, 2 or 3. */
enum control_code judge_verdict(const json_t *answer);

/* tree.c: the place of this node in the tree. */

/* Adds `names` to an answer of `status`, which has the name of each node. */
void add_names(json_t *answer);

void print_tree(json_t *answer); /* takes an answer of `status` */

/* kv.c: answers as key=value pairs. */

/* Prints pairs and a newline. Names of nested keys are joined by "_". */
void print_kv(json_t *value, const char *between);

/*
 * The same, one pair a line, for an answer whose `leader` is an object or null.
 * `leader` becomes its id; the names are the same with and without a leader.
 */
void print_kv_leader(json_t *answer);

#endif
