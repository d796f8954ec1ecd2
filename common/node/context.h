/* SPDX-License-Identifier: ISC */
/* What the configuration makes of a node, whether it leads; notices and traces
 * (context.c). */
#ifndef ELECTD_COMMON_NODE_CONTEXT_H
#define ELECTD_COMMON_NODE_CONTEXT_H

#include "common/node/node_parts.h"

/* The guarantee is "quorum"; the topology is a ring, or a tree. */
bool node_is_quorum(const struct node *node);
bool node_is_ring(const struct node *node);
bool node_is_tree(const struct node *node);

/* True if sessions join more than neighbours: in `full` and under quorum
 * (PROTOCOL.md, Watching). */
bool node_is_star(const struct node *node);

/* True if a node watches only some of its peers at once. */
bool node_is_limited(const struct node *node);

/* True while this node is the leader that it follows. */
bool node_leads(const struct node *node);

/* The detection time without its margin: misses * heartbeat (PROTOCOL.md,
 * Detection time). */
nsec_t node_detection(const struct node *node);

/* True if what a peer says with each heartbeat was said within a detection and
 * a heartbeat. */
bool node_is_recent(const struct node *node, nsec_t now, nsec_t said);

/* Limits a rate by a bucket that drains with time and is empty at *empty_at:
 * one in each `cost`, and `burst` / `cost` more at once. True if it takes one
 * more. */
bool bucket_take(nsec_t *empty_at, nsec_t now, nsec_t cost, nsec_t burst);

/* Queues a notice for the host, with the time `now`, and records what it says
 * of an election. The queue has room for all
 * that one input adds; the caller drains it after each input. */
void node_note(struct node *node, nsec_t now, struct notice n);

/* Adds an event, with the time `now`. */
void node_record(struct node *node, nsec_t now, struct event e);

/* The capacity of a queue that one input cannot exceed. */
size_t notices_wanted(unsigned peers, bool trace);

/* Queues a line of the trace, if tracing is on and the queue has room beside
 * the notices. */
void node_trace(struct node *node, nsec_t now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if a node of this role is one of the voters. */
bool role_votes(enum role role);

/* True if the setup names a peer with this id. */
bool setup_names(const struct node_setup *setup, node_id id);

#endif
