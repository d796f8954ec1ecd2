/* SPDX-License-Identifier: ISC */
/*
 * The control sockets: one that anyone on the host may ask, one for those who
 * may steer. One JSON object a line, both ways; see electctl(1). Whatever a
 * client does, the node and the other clients notice nothing: its places,
 * requests, time and memory are bounded.
 */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_H
#define ELECTD_DAEMON_CONTROL_CONTROL_H

#include "common/node/node.h"
#include "daemon/config/settings.h"

struct event_base;

/* What the answers are made of. Borrowed until control_free(). */
struct control_view {
	struct node *node;
	unsigned peers_count; /* as given to node_init() */
	const struct settings *settings;
	node_id self;
	nsec_t started; /* when the daemon did */
	const char *version;

	/*
	 * Gives the time, on the clock that the node lives by, after the node
	 * has been told if the helper took this process for dead meanwhile. The
	 * control sockets have no other way to the time: what answers a request
	 * calls this itself, once the request is there, and hands the result to
	 * nobody who answers another one. May reason notices. Not to be called
	 * from within perform() or control_notice().
	 */
	nsec_t (*wake)(void *context);

	/* Called before a client is told a deadline, node_handed_out(). May be
	 * NULL. */
	void (*hand_out)(void *context);

	/* Is the address of this peer known, or is its name not resolved? NULL:
	 * all are. */
	bool (*is_placed)(void *context, node_id id);

	/* Performs what came of steering the node. */
	void (*perform)(void *context);
	void *context;
};

struct control;

/*
 * Opens settings->socket and the admin socket beside it, which from then on
 * are served by `base`. Gives 0 and *control, or a negative errno that has
 * been logged: -EADDRINUSE when another daemon answers there.
 */
int control_new(struct event_base *base, const struct control_view *view,
    struct control **control);

/*
 * To be called before there is anything that a second daemon could disturb:
 * false if another daemon answers at settings->socket, which has been logged.
 */
bool control_is_free(const struct settings *settings);

/*
 * To be called again and again: makes a socket anew whose file was removed, and
 * logs that. Looks every ten seconds. Logs once a minute how many clients were
 * cut off because they did not read.
 */
void control_tend(struct control *control, nsec_t now);

/* Parts with every client and removes the sockets. NULL is harmless. */
void control_free(struct control *control);

/*
 * Tells those who watch; the loop then answers those who wait. To be called for
 * every notice, in order, also from within view->perform() and view->wake().
 * NULL is harmless.
 */
void control_notice(struct control *control, const struct notice *notice);

#endif
