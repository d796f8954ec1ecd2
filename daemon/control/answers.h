/* SPDX-License-Identifier: ISC */
/*
 * What the control protocol says of a node, as JSON. Keys are an interface,
 * documented in electctl(1), and always present. Each function gives a new
 * reference, or NULL without memory.
 *
 * No function takes the time: each wakes the node by view_wake() and answers
 * for that moment. So it is to be called once the request is there, and a
 * process that was stopped before that does not answer from what it knew then.
 */
#ifndef ELECTD_DAEMON_CONTROL_ANSWERS_H
#define ELECTD_DAEMON_CONTROL_ANSWERS_H

#include <jansson.h>

#include "daemon/control/control.h"

struct control_counters;

/* Wakes the node and gives the time: see struct control_view. */
nsec_t view_wake(const struct control_view *view);

/* What the node is at that moment. */
struct node_status view_status(const struct control_view *view);

/*
 * The deadline up to which the leader may be taken for it, 0 if there is none;
 * `now` is the moment of the answer under way. It is a promise, and holds up
 * whatever ends the leader's lease: see node_hand_out(). So only those are told
 * one who ask for it: by answer_leader(), answer_is_leader() and
 * answer_deadline().
 */
nsec_t view_hand_out(const struct control_view *view, nsec_t now);

/* Under "quorum" is_leader is true only with a deadline. */
json_t *answer_leader(const struct control_view *view);
json_t *answer_is_leader(const struct control_view *view);

/* What answer_leader() says, but for the deadline. */
json_t *answer_leader_now(const struct control_view *view);

/* The same into *answer, if the node's status at that moment fits. */
bool answer_leader_if(const struct control_view *view,
    bool (*fits)(const struct node_status *status), json_t **answer);

json_t *answer_status(const struct control_view *view);
json_t *answer_peers(const struct control_view *view);

/* Part of "status": who is missing of the voters; null without a quorum. */
json_t *answer_quorum(
    const struct control_view *view, const struct node_status *status);

/* As peer_trouble() has it, of this node itself. */
const char *identify_trouble(
    const struct control_view *view, const struct node_status *status);

/* Adds {"id","name","why"}; without memory *rows is gone. */
void add_trouble(json_t **rows, const struct settings *settings, node_id id,
    const char *why);

/* Part of "status": its verdict, and the troubles that it rests on. */
void put_verdict(json_t **object, const struct control_view *view,
    const struct node_status *status);

/* What a node knows of one election: node_past_election(). */
json_t *answer_explain(
    const struct control_view *view, const struct past_election *past);

/* Names of all configured nodes, by their ids. */
json_t *answer_names(const struct control_view *view);

/* What the last election cost: a part of the answer to "stats". */
json_t *answer_term_messages(const struct control_view *view);

json_t *answer_stats(
    const struct control_view *view, const struct control_counters *counters);

/*
 * The event that tells who watches deadlines how long this node leads; NULL if
 * there is nothing to tell: it does not lead, *told lies far enough ahead as
 * yet, or there is none after that. *told becomes the deadline, or 0 if it does
 * not lead.
 */
json_t *answer_deadline(const struct control_view *view, nsec_t *told);

/* How often to look whether there is. */
nsec_t answer_deadline_within(const struct control_view *view);

/* The first line of a watch. */
json_t *answer_state(const struct control_view *view);

/* A notice as an event; NULL also for a notice that is none. */
json_t *answer_event(
    const struct control_view *view, const struct notice *notice);

/* How many messages of each kind, by the algorithm's names for them. */
json_t *answer_messages(const struct algorithm *algorithm,
    const uint64_t counts[MESSAGE_KINDS_MAX]);

/* "full", "ring", "tree" or "graph". */
const char *topology_name(enum topology topology);

#endif
