/* SPDX-License-Identifier: ISC */
/*
 * What clients want to know of other nodes: snapshots of the whole cluster, one
 * at a time, and pieces of the events of any node that the last one reached.
 * The node fetches both (PROTOCOL.md, Snapshots, Pulls).
 */
#ifndef ELECTD_DAEMON_ELECTD_LOOK_SNAPSHOTTER_H
#define ELECTD_DAEMON_ELECTD_LOOK_SNAPSHOTTER_H

#include "daemon/control/control.h"

struct snapshotter;

/* NULL without memory. */
struct snapshotter *snapshotter_new(void);
void snapshotter_free(struct snapshotter *s);

/* Begins a snapshot. If one is under way, its end answers this client, too.
 * Gives its number, from 1; 0 without memory. */
uint64_t snapshotter_begin(
    struct snapshotter *s, struct node *node, nsec_t now);

/* The last snapshot that has ended. */
struct assembled snapshotter_last(const struct snapshotter *s);

/* Begins to fetch the events of a node from this number on. Gives the number of
 * the pull, from 1; 0: the last complete snapshot has no such node, or too many
 * pulls are under way. */
uint64_t snapshotter_pull(struct snapshotter *s, node_id id, uint64_t from);

/* True if this pull is over, and clients may wait for that. *fetched: what
 * came of it, until snapshotter_pull() is called; NULL: a later pull took
 * its place. */
bool snapshotter_has_fetched(const struct snapshotter *s, uint64_t number,
    const struct fetched **fetched);

/* Takes an ACTION_PULLED. True if clients may wait for what it completes. */
bool snapshotter_take(
    struct snapshotter *s, nsec_t now, const struct action *action);

/* When a snapshot takes too long; NSEC_NEVER: none is under way. Ends it then:
 * true if clients may wait for that. */
nsec_t snapshotter_deadline(const struct snapshotter *s);
bool snapshotter_tick(
    struct snapshotter *s, const struct node *node, nsec_t now);

/* Lets the node begin what is next. True if it has begun something. */
bool snapshotter_go_on(struct snapshotter *s, struct node *node, nsec_t now);

#endif
