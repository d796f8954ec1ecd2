/* SPDX-License-Identifier: ISC */
/*
 * What is wrong with a node: a word in answers, and its meaning for people, in
 * electctl and in the log.
 */
#ifndef ELECTD_DAEMON_CONTROL_TROUBLE_H
#define ELECTD_DAEMON_CONTROL_TROUBLE_H

#include "common/node/node.h"

/*
 * The word for what is wrong with a peer that this node has something to do
 * with; NULL: nothing. Never NULL for a voter that does not vote.
 */
const char *peer_trouble(const struct peer_status *peer);

/* What such a word means; NULL for evidence that a link is down. */
const char *trouble_meaning(const char *trouble);

#endif
