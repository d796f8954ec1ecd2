/* SPDX-License-Identifier: ISC */
/* One of the two control sockets, and the clients that connected to it. */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_ENDPOINT_H
#define ELECTD_DAEMON_CONTROL_CONTROL_ENDPOINT_H

#include "daemon/control/control_client.h"
#include "daemon/control/control_socket.h"

struct control;

struct endpoint {
	struct control *control; /* its owner; not used here */
	struct listener listener;
	watch_handler *on_connect; /* gets the endpoint when a client waits to
				    * be accepted */
	struct watch *ready;       /* calls on_connect */
	struct clients clients;
	size_t clients_count;
	size_t clients_max;
	bool is_admin;
	bool is_lost; /* its file was removed and could not be made again */
};

/* Makes an endpoint that is not open, with room for `clients_max` clients. */
void endpoint_init(struct endpoint *endpoint, struct control *control,
    size_t clients_max, watch_handler *on_connect);

/* Gives 0, or a negative errno that has been logged. */
int endpoint_open(struct endpoint *endpoint, struct loop *loop,
    const char *path, mode_t mode, gid_t group);

/*
 * Disconnects every client and removes the file. As the loop has ended, it
 * first answers the clients whose wait is over.
 */
void endpoint_close(struct endpoint *endpoint);

/* Makes the socket anew if its file was removed, and logs that. */
void endpoint_tend(struct endpoint *endpoint);

/* Stops accepting clients, or starts again. */
void endpoint_shut(struct endpoint *endpoint, bool is_shut);

/* Frees the clients that are gone and have left nothing unread. */
void endpoint_reap(struct endpoint *endpoint);

#endif
