/* SPDX-License-Identifier: ISC */
/*
 * One client of a control socket: reads its lines, answers them, and keeps it
 * within its limits. The owner of a client watches its descriptor and frees it.
 * Nothing here frees a client, so a client may get an event while another one
 * is being served.
 */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_CLIENT_H
#define ELECTD_DAEMON_CONTROL_CONTROL_CLIENT_H

#include <sys/queue.h>

#include "daemon/control/control_rate.h"
#include "daemon/control/verbs/verbs.h"
#include "daemon/system/loop/loop.h"

#define CLIENT_LINE_TIME (5 * SEC)  /* from connecting, or a line's start */
#define CLIENT_IDLE_TIME (60 * SEC) /* between requests; not for watchers */
#define CLIENT_UNREAD_TIME                                                     \
	(5 * SEC) /* the time for which one that has gone keeps its place */
#define CLIENT_BACKLOG_MAX 65536 /* of unread events: 300 or more */

struct evbuffer;

/*
 * The daemon answers a request only when the answer before it has left. So it
 * does not read from a client that does not read, and one answer bounds the
 * memory. Only events come without a request; a client that leaves too many of
 * them unread is cut off.
 */
struct client {
	TAILQ_ENTRY(client) entry;
	void *owner; /* for the owner's callbacks; not used here */
	const struct control_view *view;
	struct control_counters *counters;
	struct rates *rates;
	int fd;
	struct ucred peer; /* the process at the other end */
	uid_t user;        /* whose places and requests it takes */
	uint64_t number;   /* of its connection, from 1 */
	bool is_admin;     /* the client connected to the admin socket */
	bool may_steer;
	bool may_rely;        /* the client may get deadlines */
	bool at_end;          /* the client sends no more, but may still read */
	bool is_closing;      /* to be closed once its answers have left */
	bool has_asked;       /* at least one line was complete */
	bool is_gone;         /* to be freed once client_lingers() is false */
	nsec_t ended;         /* when it was found gone; 0: it was not */
	bool has_parted;      /* the view knows that it is gone */
	struct watch *ready;  /* for its descriptor */
	int file;             /* goes with the first byte in `out`; -1: none */
	struct evbuffer *out; /* answers and events that have not left */
	size_t queued;        /* bytes added to `out` since it was empty */
	size_t longest;       /* line of these */
	uint64_t progress;    /* counters->progress when it last took
			    * something */
	struct pending_request pending;
	bool has_released; /* a deadline, which the owner takes back */
	nsec_t deadline;   /* of the line under way; NSEC_NEVER: none */
	bool is_delayed;   /* the client waits, since its user asks too often */
	size_t in_size;    /* bytes in `in` */
	char in[CONTROL_REQUEST_MAX];
};

TAILQ_HEAD(clients, client);

/*
 * Makes a client from `setup`, in which the fields up to may_rely are set and
 * all others are 0. `on_ready` is called with the client when its descriptor is
 * ready. NULL without memory: then the caller still owns the descriptor.
 *
 * No function here takes the time. Each reads the clock itself, so that a
 * client that waited for long is served by the present time.
 */
struct client *client_new(
    const struct client *setup, struct loop *loop, watch_handler *on_ready);

/*
 * Discards what a gone client has not been sent, and says whether it has left
 * something unread in the kernel. The kernel counts that as this process's
 * memory until the other end reads it or closes. The client is kept until then;
 * otherwise clients that come and go could take any amount.
 */
bool client_lingers(struct client *client);

/* True if it has been gone for CLIENT_UNREAD_TIME: then it takes no place of
 * other users. */
bool client_is_spent(const struct client *client, nsec_t now);

/* Closes its descriptor, too. */
void client_free(struct client *client);

/* Reads, answers and writes as far as possible without waiting. */
void client_serve(struct client *client);

/*
 * Answers a client that waits if its condition holds now. Sends a watcher of
 * deadlines the next one when it is due.
 */
void client_look(struct client *client);

/* The bytes of memory that its unread answers and events take. */
size_t client_held(const struct client *client);

/* Gives up a client that does not read, to free its memory for others. */
void client_cut_off(struct client *client);

/* True if the client gets events. */
bool client_watches(const struct client *client);

/*
 * Sends the client an event, if it watches. Then has the loop serve it, as its
 * condition may hold now, if it waits.
 */
void client_notify(struct client *client, const char *line, size_t size);

/* Does what is due by now: ends a line that is overdue, or the delay of a
 * client that asks too often, and notices that a peer has gone. */
void client_sweep(struct client *client);

/* How soon to call client_sweep(); NSEC_NEVER: not at all. */
nsec_t client_sweep_within(const struct client *client);

#endif
