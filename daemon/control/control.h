/* SPDX-License-Identifier: ISC */
/*
 * The control sockets: the query socket, where every user of the host may ask,
 * and the admin socket, where privileged users may steer. Requests and answers
 * are one JSON object a line; see electd-protocol(7). Places, requests, time
 * and memory of a client are bounded, so that no client can disturb the node or
 * the other clients.
 */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_H
#define ELECTD_DAEMON_CONTROL_CONTROL_H

#include "daemon/control/answers/control_view.h"

struct loop;

struct control;

/*
 * Opens settings->socket and the admin socket beside it; `loop` serves them
 * from then on. Gives 0 and *control, or a negative errno that has been logged:
 * -EADDRINUSE if another daemon answers there.
 */
int control_new(struct loop *loop, const struct control_view *view,
    struct control **control);

/*
 * Call this before doing anything that a second daemon could disturb. Gives
 * false, and logs it, if another daemon answers at settings->socket.
 */
bool control_is_free(const struct settings *settings);

/*
 * Call this again and again. Every ten seconds it makes each socket anew whose
 * file was removed, and logs that. Once a minute it logs how many clients were
 * cut off because they did not read.
 */
void control_tend(struct control *control, nsec_t now);

/* Disconnects every client and removes the sockets. NULL is harmless. */
void control_free(struct control *control);

/* The node was made anew (node_change()). */
void control_change(struct control *control, struct node *node);

/* An operation has ended, or other settings are in effect: answers the clients
 * that wait for it. NULL is harmless. */
void control_operation_ended(struct control *control);

/*
 * Sends the notice to the clients that watch; the loop then answers the clients
 * whose wait is over. Call this for every notice, in order, also from within
 * view->perform() and view->wake(). NULL is harmless.
 */
void control_notice(struct control *control, const struct notice *notice);

#endif
