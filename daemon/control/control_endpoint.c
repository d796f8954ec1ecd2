/* SPDX-License-Identifier: ISC */
#include "daemon/control/control_endpoint.h"

#include <errno.h>

#include "daemon/system/log.h"

void
endpoint_init(struct endpoint *endpoint, struct control *control,
    size_t clients_max, watch_handler *on_connect)
{
	endpoint->control = control;
	endpoint->clients_max = clients_max;
	endpoint->on_connect = on_connect;
	endpoint->listener.fd = -1;
	TAILQ_INIT(&endpoint->clients);
}

int
endpoint_open(struct endpoint *endpoint, struct loop *loop, const char *path,
    mode_t mode, gid_t group)
{
	int error = listener_open(&endpoint->listener, path, mode, group);

	if (error != 0) {
		log_errorx("control: %s: %s", path, listener_error_text(error));
		return error;
	}
	endpoint->ready = watch_fd(loop, PRIORITY_CONTROL,
	    endpoint->listener.fd, endpoint->on_connect, endpoint);
	return endpoint->ready == NULL ? -ENOMEM : 0;
}

static void
endpoint_drop(struct endpoint *endpoint, struct client *client)
{
	TAILQ_REMOVE(&endpoint->clients, client, entry);
	endpoint->clients_count--;
	client_free(client);
}

void
endpoint_close(struct endpoint *endpoint)
{
	struct client *client;

	TAILQ_FOREACH (client, &endpoint->clients, entry) {
		client_look(client);
		client->is_gone = true;
	}
	while ((client = TAILQ_FIRST(&endpoint->clients)) != NULL)
		endpoint_drop(endpoint, client);
	watch_free(endpoint->ready);
	listener_close(&endpoint->listener);
}

void
endpoint_shut(struct endpoint *endpoint, bool is_shut)
{
	watch_set_fd(endpoint->ready, endpoint->listener.fd,
	    is_shut ? READY_FOR_NOTHING : READY_TO_READ);
}

static int
endpoint_renew(struct endpoint *endpoint)
{
	int error;

	endpoint_shut(endpoint, true);
	error = listener_renew(&endpoint->listener);
	endpoint_shut(endpoint, false);
	return error;
}

void
endpoint_tend(struct endpoint *endpoint)
{
	const char *path = endpoint->listener.path;
	bool was_lost = endpoint->is_lost;
	int error;

	endpoint->is_lost = false;
	if (listener_is_there(&endpoint->listener))
		return;
	error = endpoint_renew(endpoint);
	endpoint->is_lost = error != 0;
	if (error == 0)
		log_warnx("control: %s was removed; made it again", path);
	else if (!was_lost)
		log_warnx(
		    "control: %s was removed and cannot be made again: %s; electctl cannot connect",
		    path, listener_error_text(error));
}

void
endpoint_reap(struct endpoint *endpoint)
{
	struct client *client, *next;

	for (client = TAILQ_FIRST(&endpoint->clients); client != NULL;
	     client = next) {
		next = TAILQ_NEXT(client, entry);
		if (client->is_gone && !client_lingers(client))
			endpoint_drop(endpoint, client);
	}
}
