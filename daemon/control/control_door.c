/* SPDX-License-Identifier: ISC */
#include "daemon/control/control_door.h"

#include <errno.h>

#include "daemon/system/log.h"

void
door_init(struct door *door, struct control *control, size_t clients_max,
    event_callback_fn knock)
{
	door->control = control;
	door->clients_max = clients_max;
	door->knock = knock;
	door->listener.fd = -1;
	TAILQ_INIT(&door->clients);
}

int
door_open(struct door *door, struct event_base *base, const char *path,
    mode_t mode, gid_t group)
{
	int error = listener_open(&door->listener, path, mode, group);

	if (error != 0) {
		log_errorx("control: %s: %s", path, listener_error_text(error));
		return error;
	}
	door->ready = event_new(
	    base, door->listener.fd, EV_READ | EV_PERSIST, door->knock, door);
	if (door->ready == NULL || event_add(door->ready, NULL) != 0)
		return -ENOMEM;
	return 0;
}

static void
door_drop(struct door *door, struct client *client)
{
	TAILQ_REMOVE(&door->clients, client, entry);
	door->clients_count--;
	client_free(client);
}

void
door_close(struct door *door)
{
	struct client *client;

	TAILQ_FOREACH (client, &door->clients, entry) {
		client_look(client);
		client->is_gone = true;
	}
	while ((client = TAILQ_FIRST(&door->clients)) != NULL)
		door_drop(door, client);
	if (door->ready != NULL)
		event_free(door->ready);
	listener_close(&door->listener);
}

static int
door_renew(struct door *door)
{
	struct event_base *base = event_get_base(door->ready);
	int error;

	event_del(door->ready);
	error = listener_renew(&door->listener);
	event_assign(door->ready, base, door->listener.fd, EV_READ | EV_PERSIST,
	    door->knock, door);
	return event_add(door->ready, NULL) == 0 ? error : -ENOMEM;
}

void
door_tend(struct door *door)
{
	const char *path = door->listener.path;
	bool was_lost = door->is_lost;
	int error;

	door->is_lost = false;
	if (listener_is_there(&door->listener))
		return;
	error = door_renew(door);
	door->is_lost = error != 0;
	if (error == 0)
		log_warnx("control: %s was removed; made it again", path);
	else if (!was_lost)
		log_warnx("control: %s was removed, and cannot be made again: "
			  "%s",
		    path, listener_error_text(error));
}

void
door_shut(struct door *door, bool is_shut)
{
	if (is_shut)
		event_del(door->ready);
	else
		event_add(door->ready, NULL);
}

void
door_reap(struct door *door)
{
	struct client *client, *next;

	for (client = TAILQ_FIRST(&door->clients); client != NULL;
	     client = next) {
		next = TAILQ_NEXT(client, entry);
		if (client->is_gone && !client_lingers(client))
			door_drop(door, client);
	}
}
