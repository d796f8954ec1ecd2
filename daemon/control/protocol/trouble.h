/* SPDX-License-Identifier: ISC */
/*
 * What is wrong with a node: a word in answers, and its meaning for people, as
 * electctl and the log show it.
 */
#ifndef ELECTD_DAEMON_CONTROL_PROTOCOL_TROUBLE_H
#define ELECTD_DAEMON_CONTROL_PROTOCOL_TROUBLE_H

#include "common/node/node.h"

/*
 * The word for what is wrong with a peer to which this node has or seeks a
 * link, or which is a voter; NULL: nothing is. Never NULL for a voter that does
 * not vote.
 */
const char *peer_trouble(const struct peer_status *peer);

/* The meaning of such a word; NULL for a word of evidence. */
const char *trouble_meaning(const char *trouble);

#endif
