/* SPDX-License-Identifier: ISC */
/* One of the two control sockets, and the clients that came by it. */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_DOOR_H
#define ELECTD_DAEMON_CONTROL_CONTROL_DOOR_H

#include "daemon/control/control_client.h"
#include "daemon/control/control_socket.h"

struct control;

struct door {
	struct control *control; /* its owner; not used here */
	struct listener listener;
	event_callback_fn knock; /* called with the door when somebody is
				  * there to be accepted */
	struct event *ready;
	struct clients clients;
	size_t clients_count;
	size_t clients_max;
	bool is_admin;
	bool is_lost; /* its file was removed, and cannot be made again */
};

void door_init(struct door *door, struct control *control, size_t clients_max,
    event_callback_fn knock);

/* Gives 0, or a negative errno that has been logged. */
int door_open(struct door *door, struct event_base *base, const char *path,
    mode_t mode, gid_t group);

/* Answers the clients that wait, as the loop has ended; removes the file. */
void door_close(struct door *door);

/* Makes the socket anew if its file is gone, and logs that. */
void door_tend(struct door *door);

/* Stops accepting clients, or goes on. */
void door_shut(struct door *door, bool is_shut);

/* Frees the clients that are gone and have left nothing unread. */
void door_reap(struct door *door);

#endif
