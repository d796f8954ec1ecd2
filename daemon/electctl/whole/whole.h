/* SPDX-License-Identifier: ISC */
/*
 * Verbs about the whole cluster, and about its history. The declarations stand
 * under the file that defines them.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_WHOLE_WHOLE_H
#define ELECTD_DAEMON_ELECTCTL_WHOLE_WHOLE_H

#include "daemon/electctl/ask/ask.h"
#include "daemon/history/cut.h"

/* picture.c: histories, what they say of causes, and a cut of them. All begins
 * as zeros. */

struct picture {
	struct histories histories;
	struct causes causes;
	struct cut cut;
	bool has_cut;
};

void picture_free(struct picture *p);

/* Finds the causes, also anew. False, with a message, if the histories
 * contradict each other, or without memory. */
bool picture_find_causes(struct picture *p);

/* Leaves out all terms but this one, unless it is 0, and finds the causes of
 * that. False as picture_find_causes() says. */
bool picture_keep_term(struct picture *p, uint64_t term);

/* Writes the diagram, with the cut, to the file; NULL: to stdout. Complains if
 * that fails. */
enum control_code picture_draw(const struct picture *p, const char *path);

/* history.c: `history`. */

enum control_code run_history(
    const struct command *command, const struct options *options);

/* The requests for the names of nodes, and for a snapshot. */
#define NAMES    "{\"verb\":\"names\"}"
#define SNAPSHOT "{\"verb\":\"snapshot\"}"

/* The verb, as it asks for what all nodes know: on the admin socket, with time
 * for their answers. */
struct command history_of_all(const struct command *command);

/* Asks for the events of a node, 0 for the daemon's own, from number `from` on;
 * 0 is as 1, the first. */
void history_ask(struct electd *daemon, json_int_t node, uint64_t from);

/* Takes the answer to history_ask() of the same node, asks for the pieces that
 * follow, and adds all. */
enum control_code history_take(const struct command *command,
    struct electd *daemon, json_int_t node, struct histories *h);

/* Asks for the names of the nodes, which come into h->names, and for a
 * snapshot, which shows the way to all nodes: a new reference. */
enum control_code history_begin(const struct command *command,
    struct electd *daemon, struct histories *h, json_t **snapshot);

/* Adds the histories of all nodes of a snapshot, from this event on. */
enum control_code history_receive_all(const struct command *command,
    struct electd *daemon, const json_t *snapshot, uint64_t from,
    struct histories *h);

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
