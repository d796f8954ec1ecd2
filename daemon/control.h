/* SPDX-License-Identifier: ISC */
/*
 * The control sockets: one that anyone on the host may ask, one for those who
 * may steer. One JSON object a line, both ways; see electctl(1). Whatever a
 * client does, the node and the other clients notice nothing: its places,
 * requests, time and memory are bounded.
 */
#ifndef ELECTD_DAEMON_CONTROL_H
#define ELECTD_DAEMON_CONTROL_H

#include "common/node.h"
#include "daemon/settings.h"

struct event_base;

/* What the answers are made of. Borrowed until control_free(). */
struct control_view {
	struct node *node;
	unsigned peers_count; /* as given to node_init() */
	const struct settings *settings;
	node_id self;
	nsec_t started; /* when the daemon did */
	const char *version;
	nsec_t (*now)(void); /* the clock that the node lives by */

	/* Called first when the loop turns to the clients, and before one of
	 * them is told a deadline: node_handed_out(). Both may be NULL. */
	void (*wake)(void *context);
	void (*hand_out)(void *context);

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

/* Parts with every client and removes the sockets. NULL is harmless. */
void control_free(struct control *control);

/*
 * Tells those who watch and those who wait. To be called for every notice, in
 * order, also from within view->perform(). NULL is harmless.
 */
void control_notice(struct control *control, const struct notice *notice);

#endif
