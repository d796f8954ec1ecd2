/* SPDX-License-Identifier: ISC */
/*
 * The answers of the control protocol as JSON. Their keys are an interface that
 * electd-protocol(7) documents; all of them are always present. Each function
 * that gives a json_t gives a new reference, or NULL without memory.
 *
 * No function takes the time. Each wakes the node with view_wake() and answers
 * for that moment. Call it after the request has arrived: then a process that
 * was stopped before does not answer from what it knew at that time.
 */
#ifndef ELECTD_DAEMON_CONTROL_ANSWERS_ANSWERS_H
#define ELECTD_DAEMON_CONTROL_ANSWERS_ANSWERS_H

#include <jansson.h>

#include "daemon/control/answers/control_view.h"
#include "daemon/control/protocol/control_protocol.h"
#include "daemon/history/history.h"

/* Wakes the node and gives the time: see struct control_view. */
nsec_t view_wake(const struct control_view *view);

/* The number of peers: all nodes but this one. */
unsigned view_peers(const struct control_view *view);

/* The node's status at that moment. */
struct node_status view_status(const struct control_view *view);

/*
 * The deadline up to which the leader certainly leads; 0: there is none. `now`
 * is the moment of the answer under way. The deadline is a promise and delays
 * the end of the leader's lease: see node_hand_out(). So only clients that ask
 * for one and may have it get it, by answer_leader(), answer_is_leader() or
 * answer_deadline(). A client that `holds` gives the deadline back by the verb
 * `release`, and the caller keeps account of it; from any other client it never
 * comes back.
 */
nsec_t view_hand_out(const struct control_view *view, nsec_t now, bool holds);

/* Notes in view->given that a client had a deadline, perhaps 0, and can give it
 * back no more. */
void view_note_given(const struct control_view *view, nsec_t until);

/* The interfaces that lead to the peers, if none has a carrier; or NULL. */
const char *view_no_carrier(const struct control_view *view);

/* {"error":text,"code":code} */
json_t *error_answer(enum control_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True if error_answer() made this object. */
bool answer_is_error(const json_t *answer);

/* The lines as an array of strings. NULL: there are none. */
json_t *lines_of(const char *lines);

/* The answer of `leader`. gets_deadline: the client asks for a deadline, and
 * may have it. */
json_t *answer_leader(const struct control_view *view, bool gets_deadline);

typedef bool status_fits(const struct node_status *status);

/*
 * The same into *answer, if the node's status at that moment fits. Otherwise
 * gives false and leaves *answer alone.
 */
bool answer_leader_if(
    const struct control_view *view, status_fits *fits, json_t **answer);

/* The answer of `is-leader`. Under "quorum" a yes to a client that
 * gets_deadline is a promise; the answer is no if there is no deadline to
 * give. */
json_t *answer_is_leader(const struct control_view *view, bool gets_deadline);

/* The answers of the verbs that they are named after; see electd-protocol(7).
 */
json_t *answer_status(const struct control_view *view);
json_t *answer_peers(const struct control_view *view);
json_t *answer_key(const struct control_view *view);
json_t *answer_members(const struct control_view *view);
json_t *answer_config(const struct control_view *view);
json_t *answer_stats(const struct control_view *view);
json_t *answer_version(const struct control_view *view);

/* The names of all configured nodes, and of those that left, by their ids. */
json_t *answer_names(const struct control_view *view);

/* One past election: see node_past_election(). */
json_t *answer_explain(
    const struct control_view *view, const struct past_election *past);

/* Names the node and the cluster of a piece; the rest is not set. */
struct history answer_history_head(const struct control_view *view, node_id id);

/* The events of this node from this number on, HISTORY_PIECE_MAX at most: see
 * history.h. */
json_t *answer_history(const struct control_view *view, uint64_t from);

/* The last leaders that this node has seen, the oldest first. */
json_t *answer_leaders(const struct control_view *view);

/* A snapshot that has ended, or the error that says how it has failed. */
json_t *answer_snapshot(
    const struct control_view *view, const struct assembled *assembled);

/* A piece of the events of another node, or the error. */
json_t *answer_fetched(
    const struct control_view *view, const struct fetched *f);

/* The part of "stats" that says what this node sent in its last election. */
json_t *answer_term_messages(const struct control_view *view);

/* Numbers of messages by the algorithm's names for them, zeros included. */
json_t *answer_messages(const struct algorithm *algorithm,
    const uint64_t counts[MESSAGE_KINDS_MAX]);

/* {"id","name","address"} of a node; null for NODE_NONE. */
void put_node(json_t **object, const char *key, const struct settings *settings,
    node_id id);

/* The keys "reason" and "reason_name". */
void put_reason_named(
    json_t **object, const struct settings *settings, struct reason reason);

/* The key "standby": null if it is off. `is_own`: its cause is known. */
void put_standby(json_t **object, const struct standby *standby, bool is_own);

/* The part of "status" about the voters; null without a quorum. */
json_t *answer_quorum(
    const struct control_view *view, const struct node_status *status);

/* Adds the keys "verdict" and "troubles" of "status". */
void put_verdict(json_t **object, const struct control_view *view,
    const struct node_status *status);

/* The first line of a watch. */
json_t *answer_state(const struct control_view *view);

/* A notice as an event. NULL also for a notice that is only for the log. */
json_t *answer_event(
    const struct control_view *view, const struct notice *notice);

/*
 * The event "deadline": until when this node certainly leads. *sent is the
 * deadline that the watcher got last, 0 if none. NULL if there is nothing to
 * send: the node does not lead, *sent is still far enough ahead, or no later
 * deadline is to be had, or no first one with enough time left
 * (deadline_plan.h). Sets *sent to the new deadline, or to 0 if the node does
 * not lead. A watcher that `holds` can give back *sent, and gets nothing while
 * the node hands over.
 */
json_t *answer_deadline(
    const struct control_view *view, bool holds, nsec_t *sent);

/* How often to call answer_deadline(). */
nsec_t answer_deadline_within(const struct control_view *view);

/* "full", "ring", "tree" or "graph". */
const char *topology_name(enum topology topology);

#endif
