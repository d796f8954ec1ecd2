/* SPDX-License-Identifier: ISC */
/*
 * Follows electd over its query socket, for a program that acts on whether this
 * node leads. It connects again when electd has gone. Under the guarantee
 * "quorum" it holds (electd-protocol(7), DEADLINES): electd hands over only
 * once the program has stopped and called lead_watch_release(), or its deadline
 * is over.
 *
 * The caller polls lead_watch_fd() and calls lead_watch_look() when that is
 * readable or lead_watch_due_at() has come. All times are of CLOCK_BOOTTIME.
 */
#ifndef ELECTD_DAEMON_CLIENT_LEAD_WATCH_H
#define ELECTD_DAEMON_CLIENT_LEAD_WATCH_H

#include "daemon/client/client.h"

struct lead_watch;

/* What the caller sets; all of it is borrowed. */
struct lead_watch_setup {
	const struct whereabouts *place;

	/* The lead has changed, by this event of electd-protocol(7); NULL:
	 * electd has gone. Called for each change in order, also for one that
	 * another has followed at once. */
	void (*changed)(void *context, nsec_t now, const json_t *event);

	/* A daemon has answered: `cluster` to `is_quorum` are set. False: the
	 * caller does not want it, and ends. May be NULL. */
	bool (*met)(void *context, const json_t *status);

	void *context;
};

struct lead_watch {
	/* What is known from electd. */
	char cluster[PLAIN_TEXT_MAX]; /* "": none has answered yet */
	char node[PLAIN_TEXT_MAX];    /* name of this node */
	bool is_quorum;
	bool is_connected;
	nsec_t until;   /* this node leads at least until then; NSEC_NEVER:
	                 * without a deadline; 0: it does not lead, or nobody
	                 * knows */
	nsec_t span;    /* from when electd gave the last deadline to its end */
	uint64_t term;  /* in which it leads */
	uint64_t token; /* in which this lead began */
	bool hands_over; /* this leader wants to give up the lead */

	/* Not for the caller. */
	const struct lead_watch_setup *setup;
	struct connection connection;
	char path[CONTROL_PATH_MAX]; /* path of the socket of electd; "": not
				      * known yet */
	nsec_t try_at;               /* the next attempt to connect */
	int error;                   /* errno of the last attempt */
	bool has_complained;         /* about an error of the daemon */
	unsigned unanswered;         /* requests to release, by electd */
};

void lead_watch_init(struct lead_watch *s, const struct lead_watch_setup *setup,
    const char *path, nsec_t now);

/* Disconnects. electd then waits for the deadline, unless it was released, for
 * whose answer this waits, for 0.2 s at most. */
void lead_watch_end(struct lead_watch *s);

/* The same for a caller that has stopped what it did as the leader: electd gets
 * all deadlines back, and does not wait. */
void lead_watch_leave(struct lead_watch *s);

/* The socket where it looks for a daemon, or a directory, for messages. */
const char *lead_watch_place(const struct lead_watch *s);

/* Complains that no daemon has answered there. */
enum control_code lead_watch_explain(const struct lead_watch *s);

/* Readable when there is something to take; -1: not connected. */
int lead_watch_fd(const struct lead_watch *s);

/* When lead_watch_look() is to connect; NSEC_NEVER: it is connected. */
nsec_t lead_watch_due_at(const struct lead_watch *s);

/*
 * Takes what has come. Without a connection it makes one if that is due, which
 * may take a second: call it only when nothing else is urgent. Gives CODE_YES,
 * or why no attempt will ever succeed; that was complained about.
 */
enum control_code lead_watch_look(struct lead_watch *s);

/* The caller has stopped what it does as the leader. No effect unless the
 * leader hands over. */
void lead_watch_release(struct lead_watch *s);

#endif
