/* SPDX-License-Identifier: ISC */
/*
 * One client of a control socket: lines in, answers out, within limits. Its
 * owner watches the descriptor and frees it; nothing here frees a client, so
 * that one may be told something while another is being served.
 */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_CLIENT_H
#define ELECTD_DAEMON_CONTROL_CONTROL_CLIENT_H

#include <sys/queue.h>

#include <event2/event.h>

#include "daemon/control/verbs.h"

#define CLIENT_LINE_TIME   (5 * SEC)  /* from connecting, or a line's start */
#define CLIENT_IDLE_TIME   (60 * SEC) /* between requests; not who watches */
#define CLIENT_BACKLOG_MAX 65536      /* bytes of unread events */
#define CLIENT_RATE_MAX    50         /* requests in CLIENT_RATE_TIME; the */
#define CLIENT_RATE_TIME   (1 * SEC)  /* rest wait in the socket */

struct evbuffer;

/*
 * A request is answered only when the answer before it has left: who does not
 * read is not listened to either, and memory is bounded by one answer. Only
 * events come unasked, and whoever leaves too many unread is cut off.
 */
struct client {
	TAILQ_ENTRY(client) entry;
	void *owner; /* of the owner's callbacks; not used here */
	const struct control_view *view;
	struct control_counters *counters;
	int fd;
	struct ucred peer;
	bool is_admin;
	bool may_steer;
	bool at_end;           /* it sends no more, but may still read */
	bool is_closing;       /* to be freed once its answers have left */
	bool has_asked;        /* at least one line was complete */
	bool is_gone;          /* to be freed once client_lingers() not */
	struct event *reading; /* added while we want to read, or to write */
	struct event *writing;
	struct evbuffer *out;
	size_t said;       /* bytes, since it had read everything */
	size_t longest;    /* line of these */
	uint64_t progress; /* when it last read something, among all clients */
	struct pending_request pending;
	nsec_t deadline; /* of the line under way; NSEC_NEVER: none */
	nsec_t rate_began;
	unsigned rate_count; /* requests since then */
	size_t in_size;
	char in[CONTROL_REQUEST_MAX];
};

TAILQ_HEAD(clients, client);

/*
 * None of these takes the time: whoever was accepted, read or notified long ago
 * is served by the time it is then.
 *
 * Takes over `setup`, all of whose fields but the events, `out` and the ones
 * after it are set; `ready` is called with the client when its descriptor is.
 * NULL without memory: the descriptor then is still the caller's.
 */
struct client *client_new(const struct client *setup, struct event_base *base,
    event_callback_fn ready);

/*
 * It is gone, but has left something unread, which the kernel keeps until its
 * other end reads or closes, and counts as this process's memory. So its place
 * stays taken until then, or clients that come and go could take any amount.
 */
bool client_lingers(struct client *client);

/* Closes its descriptor. NULL is harmless. */
void client_free(struct client *client);

/* Reads, answers and writes as far as it goes without waiting. */
void client_serve(struct client *client);

/* Answers it, if it waits for something that has come true and still is so;
 * tells it the next deadline, if it watches them and it is time. */
void client_look(struct client *client);

/* The bytes of memory that its unread answers and events take. */
size_t client_held(const struct client *client);

/* It does not read, and its memory is wanted for others: it is gone. */
void client_cut_off(struct client *client);

/* Is it to be told of events? */
bool client_watches(const struct client *client);

/* Tells it an event, if it watches; then has the loop serve it, for what it
 * waits for may have come true. */
void client_notify(struct client *client, const char *line, size_t size);

/* What time brings: a line overdue, a pause that is over, a peer that went. */
void client_sweep(struct client *client);

/* How soon client_sweep() is wanted; NSEC_NEVER if not at all. */
nsec_t client_sweep_within(const struct client *client);

#endif
