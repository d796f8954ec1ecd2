/* SPDX-License-Identifier: ISC */
/*
 * Follows electd over its query socket, for a program that acts on whether this
 * node leads. It connects again when electd has gone. Under the guarantee
 * "quorum" it holds (electd-protocol(7), DEADLINES): electd hands over only once
 * the program has stopped and called standing_release(), or its deadline is
 * over.
 *
 * The caller polls standing_fd() and calls standing_look() when that is
 * readable or standing_due_at() has come. All times are of CLOCK_BOOTTIME.
 */
#ifndef ELECTD_DAEMON_CLIENT_STANDING_H
#define ELECTD_DAEMON_CLIENT_STANDING_H

#include "daemon/client/client.h"

struct standing;

/* What the caller sets; all of it is borrowed. */
struct standing_setup {
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

struct standing {
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
	const struct standing_setup *setup;
	struct connection connection;
	char path[CONTROL_PATH_MAX]; /* path of the socket of electd; "": not
				      * known yet */
	nsec_t try_at;               /* the next attempt to connect */
	int error;                   /* errno of the last attempt */
	bool has_complained;         /* about an error of the daemon */
	unsigned unanswered;         /* requests to release, by electd */
};

void standing_init(struct standing *s, const struct standing_setup *setup,
    const char *path, nsec_t now);

/* Disconnects. electd then waits for the deadline, unless it was released, for
 * whose answer this waits, for 0.2 s at most. */
void standing_end(struct standing *s);

/* The same for a caller that has stopped what it did as the leader: electd gets
 * all deadlines back, and does not wait. */
void standing_leave(struct standing *s);

/* The socket where it looks for a daemon, or a directory, for messages. */
const char *standing_place(const struct standing *s);

/* Complains that no daemon has answered there. */
enum control_code standing_explain(const struct standing *s);

/* Readable when there is something to take; -1: not connected. */
int standing_fd(const struct standing *s);

/* When standing_look() is to connect; NSEC_NEVER: it is connected. */
nsec_t standing_due_at(const struct standing *s);

/*
 * Takes what has come. Without a connection it makes one if that is due, which
 * may take a second: call it only when nothing else is urgent. Gives CODE_YES,
 * or why no attempt will ever succeed; that was complained about.
 */
enum control_code standing_look(struct standing *s);

/* The caller has stopped what it does as the leader. No effect unless the
 * leader hands over. */
void standing_release(struct standing *s);

#endif
