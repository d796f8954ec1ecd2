/* SPDX-License-Identifier: ISC */
/*
 * Verbs about the whole cluster, and about its history. The declarations stand
 * under the file that defines them.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_WHOLE_WHOLE_H
#define ELECTD_DAEMON_ELECTCTL_WHOLE_WHOLE_H

#include "daemon/electctl/ask/ask.h"

/* history.c: `history`. */

enum control_code run_history(
    const struct command *command, const struct options *options);

struct causes;
struct cut;
struct histories;
struct history;

/* The requests for the names of nodes, and for a snapshot. */
#define NAMES    "{\"verb\":\"names\"}"
#define SNAPSHOT "{\"verb\":\"snapshot\"}"

/* That of a verb as which all nodes are asked: on the admin socket, and with
 * time to answer. */
struct command history_of_all(const struct command *command);

/* Asks for the events of a node, 0 for the daemon's own, from number `from` on;
 * 0 is as 1, the first. */
void history_ask(struct connection *connection, json_int_t node, uint64_t from);

/* Takes the answer to history_ask() of the same node, asks for the pieces that
 * follow, and adds all. */
enum control_code history_take(const struct command *command,
    struct connection *connection, json_int_t node, struct histories *h);

/* Asks for the names of the nodes, which come into h->names, and for a
 * snapshot, which shows the way to all nodes: a new reference. */
enum control_code history_begin(const struct command *command,
    struct connection *connection, struct histories *h, json_t **snapshot);

/* Adds the histories of all nodes of a snapshot, from this event on. */
enum control_code history_receive_all(const struct command *command,
    struct connection *connection, const json_t *snapshot, uint64_t from,
    struct histories *h);

/* Removes from the histories all terms but one, the last unless the options
 * name one, and draws them with the snapshot, which is a cut. */
enum control_code history_draw(
    const struct options *options, struct histories *h, const json_t *snapshot);

/* Draws a cut. */
enum control_code history_draw_cut(
    const char *path, const struct causes *causes, const struct cut *cut);

/* Prints the history as JSON, in a line. False, with a message, without memory.
 */
bool history_print_json(const struct history *h);

/* watch.c: `watch`. */

enum control_code run_watch(
    const struct command *command, const struct options *options);

/* watch_all.c: `watch --all`. */

enum control_code watch_all(
    const struct command *command, const struct options *options);

/* snapshot.c: `snapshot`. */

enum control_code run_snapshot(
    const struct command *command, const struct options *options);
enum control_code judge_snapshot(const json_t *answer);

#endif
