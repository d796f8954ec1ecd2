/* SPDX-License-Identifier: ISC */
/*
 * What a start makes of the state file under either guarantee, and how an
 * operator makes one (electd --init-state).
 */
#ifndef ELECTD_DAEMON_STATE_STORE_START_H
#define ELECTD_DAEMON_STATE_STORE_START_H

#include "daemon/config/settings.h"
#include "daemon/state/store.h"

/*
 * How far apart the incarnations of lives are that can vote. A life that could
 * not be written bears one between: so the next that can is no copy of it, and
 * an old copy of the file is found out all the same.
 */
#define INCARNATION_STRIDE 1024

/*
 * Opens the state of node settings->id, raises its incarnation, and gives the
 * record and how far it can be trusted to setup. 0 and *store, or, logged, a
 * negative errno: the node cannot run.
 *
 * Quorum: a node without a sound record runs without a vote, and nothing is
 * made by itself: whoever has forgotten a promise might break it. Component, or
 * an observer: it promises nothing, so a missing or damaged file is made anew.
 */
int store_recall(const struct settings *settings, struct node_setup *setup,
    struct store **store);

/*
 * What keeps node settings->id from voting, as far as its state file says, into
 * `text`; false if nothing does. Changes nothing.
 */
#define STATE_TEXT_MAX 320
bool store_lacks_vote(
    const struct settings *settings, char text[STATE_TEXT_MAX]);

/* Makes the state of node settings->id, once: the exit status; it has told. */
int store_init(const struct settings *settings);

#endif
