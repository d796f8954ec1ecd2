/* SPDX-License-Identifier: ISC */
/*
 * The use that a start makes of the state file under each guarantee, and how an
 * operator makes such a file (electd --init-cluster).
 */
#ifndef ELECTD_DAEMON_STATE_STORE_START_H
#define ELECTD_DAEMON_STATE_STORE_START_H

#include "daemon/config/settings.h"
#include "daemon/state/store.h"

/*
 * Opens the state of node settings->id, raises its incarnation, and fills in
 * the durable state and the state health of `setup`. Returns 0 and *store, or,
 * after logging it, a negative errno: then the node cannot run.
 *
 * Under quorum nothing is made: a node without a sound state runs without a
 * vote, because it might break a promise that it has forgotten. Observers and
 * all nodes under component promise nothing: a missing or damaged file is made
 * again.
 */
int store_recall(const struct settings *settings, struct node_setup *setup,
    struct store **store);

/*
 * How far node settings->id, which is a voter by these settings, may trust the
 * state that the start has found. Logs the reason if the state is not sound.
 */
enum state_health store_judge(
    const struct settings *settings, const struct store *store);

/*
 * True if the state file keeps node settings->id from voting; `text` is the
 * reason. Changes nothing.
 */
#define STATE_TEXT_MAX 320 /* bytes of the longest reason, with its end */
bool store_lacks_vote(
    const struct settings *settings, char text[STATE_TEXT_MAX]);

/* electd --init-cluster: makes the state file of node settings->id. Prints the
 * result and returns the exit status. */
int store_init(const struct settings *settings);

#endif
