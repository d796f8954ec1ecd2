/* SPDX-License-Identifier: ISC */
/*
 * Whether this node and its peers are on standby, and whether their hosts have
 * an older file (standby.c; PROTOCOL.md, Standby).
 */
#ifndef ELECTD_COMMON_NODE_CONFIG_STANDBY_H
#define ELECTD_COMMON_NODE_CONFIG_STANDBY_H

#include "common/node/node_parts.h"

/* Begins as the setup says. */
void standby_init(struct node *node, nsec_t now);

/* A cause of standby begins or ends. An order or a check ends a resignation.
 * True if another standby counts then, or none. */
bool standby_set(struct node *node, nsec_t now, const struct standby *standby);

/* This node resigns, and so goes on standby unless it is on standby already. */
void standby_resign(struct node *node, nsec_t now, const char *reason);

/* Ends a resignation, if there is one, as no other node is left to lead.
 * `is_alone`: an election has found nobody eligible. */
void standby_end_resignation(struct node *node, nsec_t now, bool is_alone);

/* There is a leader. */
void standby_on_leader(struct node *node);

/* True if this node ended its resignation as nobody was eligible, and there was
 * no leader since. */
bool standby_is_alone(const struct node *node);

/* This host's file is older than the settings in effect, or no longer. */
void standby_set_file(struct node *node, bool is_older);

/* True if the file of this node's host, or of the host of a peer that is up, is
 * older than the settings in effect. */
bool standby_has_older_file(const struct node *node);
bool standby_peer_has_older_file(const struct peer *p);

/* Ends what is over by now. */
void standby_tick(struct node *node, nsec_t now);

/* When something is over next; NSEC_NEVER: nothing is. */
nsec_t standby_deadline(const struct node *node);

/* True if this node is on standby. */
bool standby_is_on(const struct node *node);

/* True if this node is on standby for an order or a check: it is not eligible
 * then, whoever else is left to lead. */
bool standby_is_firm(const struct node *node);

/* The standby of this node that counts, and that of a peer as it said last. */
struct standby standby_own(const struct node *node, nsec_t now);
struct standby standby_of(const struct peer *p, nsec_t now);

/* How often has changed what this node tells peers by standby_write(). */
unsigned standby_changes(const struct node *node);

/* A round of heartbeats begins. True if it is to go to every peer: one of the
 * rounds before may not have told it of the last change. */
bool standby_beat(struct node *node);

/* Writes the frames that tell the peer, which has a session, of this node's
 * standby and of its host's older file. Returns their number: 0 to 2. */
unsigned standby_write(const struct node *node, nsec_t now,
    const struct peer *p, struct writer *w);

/* Takes what the datagram of the session with this number says: `told` is NULL
 * if it has no frame STANDBY, so the peer is not on standby; `has_older_file`
 * is true if it has a frame FILE. */
void standby_hear(struct node *node, nsec_t now, struct peer *p,
    uint64_t number, const struct standby *told, bool has_older_file);

/* Asserts every invariant of the node, and of a peer. */
void standby_check(const struct node *node);
void standby_check_peer(const struct peer *p);

#endif
